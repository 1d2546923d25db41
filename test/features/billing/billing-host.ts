import { expect } from 'vitest'
import type { PlanDefinition } from '../../../src/features/ledger/plans.ts'
import type { PlatformOptions } from '../../../src/platform/options.ts'
import type { Payments } from '../../../src/ports/payments.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'
import type { World } from '../../support/worlds/world.ts'

/** An answer whose body is parsed if it is JSON. */
export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Untyped, as for a client without types. */
  readonly data: ReturnType<typeof JSON.parse>
  readonly error: ReturnType<typeof JSON.parse>
}

const SITE = 'https://shop.example.com'
export const PLANS: readonly [PlanDefinition, ...PlanDefinition[]] = [
  { id: 'free', name: 'Free', creditsPerMonth: 100 },
  { id: 'pro', name: 'Pro', creditsPerMonth: 1_000, creditsExpire: 'never' },
  { id: 'huge', name: 'Huge', creditsPerMonth: 5_000, price: { amount: 9_900, currency: 'EUR' } },
  { id: 'tailored', name: 'Tailored <b>', creditsPerMonth: 700, access: 'private' },
]

/** A platform with plans, over HTTP, in the middle of June. */
export async function createBillingHost(
  options: {
    billing?: NonNullable<PlatformOptions['billing']>
    payments?: Payments
    start?: number
  } = {},
) {
  const clock = createFakeClock(options.start ?? Date.parse('2026-06-16T00:00:00Z'))
  const urls = Array.from({ length: 30 }, (_, i) => `${SITE}/p/${i}`)
  const world: World = createWorld(
    Object.fromEntries(urls.map((url) => [url, `<h1>${url}</h1>`])),
    {
      clock,
      billing: { plans: PLANS, ...options.billing },
      ...(options.payments && { payments: options.payments }),
    },
  )
  const { secret } = await world.platform.api.keys.create(OWNER, { name: 'test', scopes: ['*'] })
  const send = (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> =>
    world.platform.fetch(
      new Request(`http://host.test/api/v1/billing/${path}`, {
        method,
        headers: {
          'X-API-Key': secret,
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    )
  const call = async (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answered> => {
    const response = await send(method, path, body, headers)
    const text = await response.text()
    const parsed =
      response.headers.get('content-type')?.startsWith('application/json') && text !== ''
        ? JSON.parse(text)
        : {}
    return {
      status: response.status,
      headers: response.headers,
      text,
      data: parsed.data,
      error: parsed.error,
    }
  }
  return {
    world,
    clock,
    send,
    call,
    billing: world.platform.api.billing,
    get: async (path: string) => {
      const { status, data, error } = await call('GET', path)
      expect([path, status, error]).toEqual([path, 200, undefined])
      return data
    },
    /** Runs a recipe over so many pages; gives the execution's id. */
    async run(pages: number, name = 'Shop') {
      const task = await world.platform.api.tasks.create(OWNER, {
        name,
        recipe: {
          start: { urls: urls.slice(0, pages) },
          crawl: { delayMs: 0 },
          extract: { fields: { title: 'h1' } },
        },
      })
      const { id } = await world.platform.api.executions.start(OWNER, task.id)
      await world.work()
      return { id, taskId: task.id }
    },
    /** Lets time pass until a time. */
    until: (time: string) => clock.advance(Date.parse(time) - clock.now()),
  }
}
