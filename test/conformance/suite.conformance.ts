import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPlatform, type Platform } from 'seine'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createIds } from '../../src/kernel/id.ts'
import { createMcpSurface } from '../../src/platform/mcp.ts'
import { withFixtureTools } from './fixture-tools.ts'
import { runAgainst } from './run-against.ts'
import { runModernSuite, runSuite } from './run-suite.ts'

const logger = { debug() {}, info() {}, warn() {}, error: console.error }
let platform: Platform
let folder: string

beforeAll(async () => {
  platform = createPlatform({ logger, rateLimits: false })
  folder = await mkdtemp(join(tmpdir(), 'seine-conformance-'))
})

afterAll(async () => {
  await platform.close()
  await rm(folder, { recursive: true })
})

/** The same platform, with the suite's tools in front of its own. */
const withFixtures = () =>
  createMcpSurface(platform.fetch, platform.fetch, {
    mcp: {},
    basePath: '',
    ids: createIds({
      now: () => Date.now(),
      random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    }),
    logger,
    through: withFixtureTools,
  })

test.each([
  ['as it is', 'as-it-is.yml', () => platform.fetch, runSuite],
  ['with the fixture tools of the suite', 'with-fixtures.yml', withFixtures, runSuite],
  ['protocol 2026-07-28', 'modern-era.yml', () => platform.fetch, runModernSuite],
  ['protocol 2026-07-28, fixture tools', 'modern-fixtures.yml', withFixtures, runModernSuite],
])('the official suite finds only the known failures: %s', async (_, baseline, fetchOf, run) => {
  const { code, output } = await runAgainst(platform, (url) => run(url, baseline, folder), {
    fetch: fetchOf(),
  })
  expect(code, output.slice(-6_000)).toBe(0)
})

test.each([
  'as-it-is.yml',
  'with-fixtures.yml',
  'modern-era.yml',
  'modern-fixtures.yml',
  'tasks.yml',
])('every expected failure of %s has a reason', async (baseline) => {
  const lines = (await readFile(new URL(baseline, import.meta.url), 'utf8'))
    .split('\n')
    .filter((line) => line.startsWith('  - '))
  expect(lines.length).toBeGreaterThan(5)
  for (const line of lines) expect(line).toMatch(/^ {2}- [\w:-]+ # .{10,}/)
})
