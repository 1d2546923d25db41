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

it.each([
  ['tasks', '/api/v1/tasks'],
  ['tasks', '/api/v1/executions/exec_1/results'],
  ['tasks', '/api/v1/templates'],
  ['tasks', '/api/v1/openapi.json'],
  ['tasks', '/docs'],
  ['billing', '/api/v1/billing/balance'],
  ['media', '/api/v1/media/med_1'],
  ['media', '/media/owner/0/name?token=t'],
] as const)('%s alone has %s, as the whole has it', async (surface, path) => {
  const { platform, ask } = await open({ rateLimits: false })
  const whole = await ask(platform.fetch, path)
  for (const one of SURFACES) {
    expect([one, (await ask(platform.handlers[one], path, 'OPTIONS')).status]).toEqual([
      one,
      one === surface ? 204 : 404,
    ])
  }
  expect(await ask(platform.handlers[surface], path)).toEqual(whole)
})

it('shares keys, records and limits with the whole, behind the same prefix', async () => {
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
