import { expect, it } from 'vitest'
import type { HttpHandler } from '../../src/http/handler.ts'
import type { Handlers } from '../../src/http/surfaces.ts'
import { createPlatform } from '../../src/platform/platform.ts'
import type { PlatformOptions } from '../../src/platform/options.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'
import { OWNER } from '../support/worlds/world.ts'

const SURFACES = [
  'tasks',
  'analytics',
  'billing',
  'media',
] as const satisfies readonly (keyof Handlers)[]

async function open(options: PlatformOptions = {}) {
  const platform = createPlatform({
    clock: createFakeClock(),
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    ...options,
  })
  const { secret } = await platform.api.keys.create(OWNER, { name: 'test', scopes: ['*'] })
  const ask = async (handler: HttpHandler, path: string, method = 'GET') => {
    const response = await handler(
      new Request(`https://host.test${path}`, {
        method,
        headers: { 'X-API-Key': secret, 'X-Request-Id': 'the-same-request' },
      }),
    )
    return {
      status: response.status,
      remaining: response.headers.get('x-ratelimit-remaining'),
      text: await response.text(),
    }
  }
  return { platform, ask }
}

it('the Task surface describes only its own routes, and the whole platform describes all', async () => {
  const { platform, ask } = await open()
  const pathsOf = async (handler: HttpHandler): Promise<string[]> =>
    Object.keys(JSON.parse((await ask(handler, '/api/v1/openapi.json')).text).paths)
  const others = /^\/api\/v1\/(?:analytics|billing)\/|^\/media\//
  const [whole, alone] = [await pathsOf(platform.fetch), await pathsOf(platform.handlers.tasks)]
  expect(whole.filter((path) => others.test(path)).length).toBeGreaterThan(10)
  expect(alone).toEqual(whole.filter((path) => !others.test(path)))
  expect(alone).toContain('/api/v1/media/{id}')
  const page = (await ask(platform.handlers.tasks, '/docs')).text
  expect(page).toContain('/api/v1/tasks')
  expect(page).not.toMatch(/api\/v1\/(?:analytics|billing)/)
  for (const path of alone) {
    const status = async (handler: HttpHandler) =>
      (await ask(handler, path.replaceAll(/[{}]/g, ''), 'OPTIONS')).status
    expect([path, await status(platform.handlers.tasks)]).toEqual([path, 204])
  }
})

it.each([
  ['tasks', '/api/v1/tasks'],
  ['tasks', '/api/v1/executions/exec_1/results'],
  ['tasks', '/api/v1/templates'],
  ['tasks', '/api/v1/openapi.json'],
  ['tasks', '/docs'],
  ['billing', '/api/v1/billing/balance'],
  ['tasks', '/api/v1/media/med_1'],
  ['media', '/media/owner/0/name?token=t'],
] as const)('%s by itself serves %s like the whole platform', async (surface, path) => {
  const { platform, ask } = await open({ rateLimits: false })
  const whole = await ask(platform.fetch, path)
  for (const one of SURFACES) {
    expect([one, (await ask(platform.handlers[one], path, 'OPTIONS')).status]).toEqual([
      one,
      one === surface ? 204 : 404,
    ])
  }
  const alone = await ask(platform.handlers[surface], path)
  // The description is that of its surface, which the test above checks.
  if (/docs|openapi/.test(path)) expect([alone.status, whole.status]).toEqual([200, 200])
  else expect(alone).toEqual(whole)
})

it('a surface shares keys, records and limits with the whole platform, behind the same prefix', async () => {
  const { platform, ask } = await open({
    basePath: '/data',
    rateLimits: { tasks: { limit: 10, periodMs: 60_000, burst: 9 } },
  })
  const task = await platform.api.tasks.create(OWNER, {
    name: 'shared',
    recipe: { start: { urls: ['https://shop.example.com/'] } },
  })
  const [whole, alone] = [
    await ask(platform.fetch, `/data/api/v1/tasks/${task.id}`),
    await ask(platform.handlers.tasks, `/data/api/v1/tasks/${task.id}`),
  ]
  expect([whole.status, alone.status, whole.remaining, alone.remaining]).toEqual([
    200,
    200,
    '9',
    '8',
  ])
  expect(alone.text).toBe(whole.text)
  const reply = await platform.handlers.billing.reply(
    new Request('https://host.test/data/api/v1/billing/balance'),
  )
  expect(reply.status).toBe(401)
})
