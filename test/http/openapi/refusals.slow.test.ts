import { expect, it } from 'vitest'
import { PlatformError } from '../../../src/kernel/errors.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import type { PlatformOptions } from '../../../src/platform/options.ts'
import { DocumentCheck } from '../../support/sources/document-check.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createFakeWeb } from '../../support/fakes/fake-web.ts'
import { OWNER } from '../../support/worlds/world.ts'

const SITE = 'https://shop.example.com'
const ORIGIN = 'https://api.example.com'
const silent = { debug() {}, info() {}, warn() {}, error() {} }

/** A platform, and the answers that its own description does not have. */
async function open(options: PlatformOptions) {
  const clock = createFakeClock()
  const platform = createPlatform({
    clock,
    logger: silent,
    rateLimits: false,
    fetcher: createFakeWeb({ [`${SITE}/`]: '<h1>x</h1>' }),
    ...options,
  })
  const document = await (await platform.fetch(new Request(`${ORIGIN}/api/v1/openapi.json`))).json()
  const check = new DocumentCheck(document)
  const ask = async (method: string, path: string, body?: object) => {
    const response = await platform.fetch(
      new Request(ORIGIN + path, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      }),
    )
    return { status: response.status, undescribed: await check.violations(method, path, response) }
  }
  return { platform, clock, document, ask }
}

it('every route that starts an execution describes the refusal without credits', async () => {
  const { platform, clock, ask } = await open({
    authenticators: [async () => OWNER],
    billing: { plans: [{ id: 'small', name: 'Small', creditsPerMonth: 1 }] },
  })
  const recipe = { start: { urls: [`${SITE}/`] }, extract: { fields: { title: 'h1' } } }
  const task = await platform.api.tasks.create(OWNER, { name: 'x', recipe })
  const spent = await platform.api.executions.start(OWNER, task.id, {})
  await clock.runUntil(platform.worker.tick({ budgetMs: 1_000 }))
  const refused = [
    await ask('POST', `/api/v1/tasks/${task.id}/executions`),
    await ask('POST', `/api/v1/executions/${spent.id}/retry`),
    await ask('POST', '/api/v1/templates/article/executions', { params: { urls: [`${SITE}/`] } }),
    await ask('POST', '/api/v1/mcp/agentic-executions', {
      tool: 'crawl',
      arguments: { url: `${SITE}/` },
    }),
    await ask('POST', '/api/v1/mcp/agentic-executions', {
      tool: 'run_template',
      arguments: { id: 'article', params: { urls: [`${SITE}/`] } },
    }),
  ]
  expect(refused).toEqual(refused.map(() => ({ status: 402, undescribed: [] })))
  await platform.close()
})

it('every route that starts an execution describes the refusal of too many executions', async () => {
  const { platform, ask } = await open({
    authenticators: [async () => OWNER],
    billing: { plans: [{ id: 'one', name: 'One', creditsPerMonth: 100, concurrentExecutions: 1 }] },
  })
  const task = await platform.api.tasks.create(OWNER, {
    name: 'x',
    recipe: { start: { urls: [`${SITE}/`] } },
  })
  const ended = await platform.api.executions.start(OWNER, task.id, {})
  await platform.api.executions.cancel(OWNER, ended.id)
  await platform.api.executions.start(OWNER, task.id, {})
  const refused = [
    await ask('POST', `/api/v1/tasks/${task.id}/executions`),
    await ask('POST', `/api/v1/executions/${ended.id}/retry`),
    await ask('POST', '/api/v1/templates/article/executions', { params: { urls: [`${SITE}/`] } }),
    await ask('POST', '/api/v1/mcp/agentic-executions', {
      tool: 'crawl',
      arguments: { url: `${SITE}/` },
    }),
  ]
  expect(refused).toEqual(refused.map(() => ({ status: 429, undescribed: [] })))
  await platform.close()
})

it('every route with a credential describes the refusal while credentials cannot be checked', async () => {
  const authenticator = async () =>
    Promise.reject(
      new PlatformError('SERVICE_UNAVAILABLE', 'Tokens cannot be checked at present', {
        headers: { 'Retry-After': '30' },
      }),
    )
  const { platform, document, ask } = await open({ authenticators: [authenticator] })
  const paths: Record<string, Record<string, { security: readonly object[] }>> = document.paths
  const guarded = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { security }]) => security.some((form) => 'bearer' in form))
      .map(([method]) => ({ method: method.toUpperCase(), path: path.replace(/\{\w+\}/g, 'x') })),
  )
  expect(guarded.length).toBeGreaterThan(60)
  for (const { method, path } of guarded)
    expect({ method, path, ...(await ask(method, path)) }).toEqual({
      method,
      path,
      status: 503,
      undescribed: [],
    })
  await platform.close()
})
