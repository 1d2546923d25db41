import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPlatform, type Platform } from 'seine'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isObject } from '../../src/kernel/json.ts'
import type { ProxiedCall } from './key-proxy.ts'
import { runAgainst } from './run-against.ts'
import { runScenario } from './run-suite.ts'

// The scenarios in which a tool asks the user, on the one question that the platform has: whether a
// call may spend. The suite prescribes the names of the tool and of the question, which a proxy
// exchanges.

const logger = { debug() {}, info() {}, warn() {}, error: console.error }
const TOOL = 'test_input_required_result_elicitation'
let platform: Platform
let folder: string

beforeAll(async () => {
  platform = createPlatform({ logger, rateLimits: false, mcp: { confirmAbove: 0 } })
  folder = await mkdtemp(join(tmpdir(), 'seine-questions-'))
})

afterAll(async () => {
  await platform.close()
  await rm(folder, { recursive: true })
})

/** A call that may spend in place of the suite's; the answer of its user means yes. */
function renamed({ name, inputResponses }: ProxiedCall): ProxiedCall | null {
  if (name !== TOOL) return null
  const call = {
    name: 'crawl',
    arguments: { url: 'https://pens.example.com/', scope: 'page', maxPages: 1, waitSeconds: 0 },
  }
  if (inputResponses === undefined) return call
  if (!isObject(inputResponses)) return { ...call, inputResponses }
  const { user_name: user, ...others } = inputResponses
  const confirm = isObject(user) ? { ...user, content: { confirm: true } } : user
  return { ...call, inputResponses: { ...others, ...(user !== undefined && { confirm }) } }
}

const answered = (body: string): string =>
  body.replace('"inputRequests":{"confirm":', '"inputRequests":{"user_name":')

test.each([
  'input-required-result-basic-elicitation',
  'input-required-result-result-type',
  'input-required-result-missing-input-response',
  'input-required-result-ignore-extra-params',
  'input-required-result-validate-input',
  'input-required-result-unsupported-methods',
])('the official suite finds no failures: %s', async (scenario) => {
  const run = (url: string) => runScenario(url, scenario, 'tasks.yml', folder)
  const { code, output } = await runAgainst(platform, run, { renamed, answered })
  expect(code, output.slice(-6_000)).toBe(0)
  expect(output).not.toContain('WARNING')
})
