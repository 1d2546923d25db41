import { describe, expect, it } from 'vitest'
import { createPlatform } from 'seine'
import { pageLimitsOf } from '../../src/features/ledger/account-plan.ts'
import { capsOf } from '../../src/features/ledger/plans.ts'
import { createShares } from '../../src/features/limits/shares.ts'
import { quotasFrom, quotasOfPlan } from '../../src/features/previews/quotas.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'
import {
  callback,
  checkOptions,
  either,
  group,
  listOf,
  nonEmpty,
  objectLike,
  oneOf,
  required,
  whole,
} from '../../src/kernel/options.ts'

interface Options {
  readonly name?: string
  readonly size?: number
  readonly mode?: 'a' | 'b' | (() => void)
  readonly parts?: readonly { readonly id: string }[]
}

const check = (options: object) => () =>
  checkOptions<Options>('make', options, {
    name: nonEmpty,
    size: whole(1),
    mode: either(oneOf('a', 'b'), callback),
    parts: listOf(group<{ readonly id: string }>({ id: required(nonEmpty) })),
  })

describe('options', () => {
  it.each([
    [{}],
    [{ name: 'x', size: 1, mode: 'b', parts: [{ id: 'p' }] }],
    [{ mode: () => {}, parts: [] }],
    [{ name: undefined, size: undefined }],
  ])('%o are accepted', (options) => {
    expect(check(options)).not.toThrow()
  })

  it.each([
    [{ nmae: 'x' }, 'make: nmae is not an option; did you mean name?'],
    [{ colour: 'x' }, 'make: colour is not an option'],
    [{ size: 0 }, 'make: size must be a whole number from 1, not 0'],
    [{ size: '1' }, 'make: size must be a whole number from 1, not another text'],
    [{ mode: 'c' }, 'make: mode must be "a" or "b" or a function, not "c"'],
    [
      { parts: [{ id: 'p' }, { idd: 'p' }] },
      'make: parts.1.idd is not an option; did you mean parts.1.id?; parts.1.id is required: a text that is not empty',
    ],
    [{ parts: {} }, 'make: parts must be a list, not another object'],
  ])('%o are refused', (options, message) => {
    expect(check(options)).toThrow(new TypeError(message))
  })

  it('may be one of several groups with different names', () => {
    const server = either(
      group<{ readonly redis: unknown }>({ redis: required(objectLike('a client')) }),
      group<{ readonly postgres: unknown }>({ postgres: required(objectLike('a pool')) }),
    )
    const make = (options: object) => () =>
      checkOptions<{ readonly server: object }>('make', { server: options }, { server })
    expect(make({ redis: {} })).not.toThrow()
    expect(make({ postgres: {} })).not.toThrow()
    expect(make({ postgres: {}, name: 'x' })).toThrow(
      new TypeError('make: server.name is not an option'),
    )
  })

  it('are all reported in one error, which repeats no long text, as it may be a secret', () => {
    const secret = 'a text that is long enough to be the key of something'
    expect(check({ nmae: 'x', size: secret, mode: null })).toThrow(
      new TypeError(
        'make: nmae is not an option; did you mean name?; size must be a whole number from 1, not another text; ' +
          'mode must be "a" or "b" or a function, not null',
      ),
    )
  })
})

describe('createPlatform', () => {
  it('names each unknown and each wrong option with its place', () => {
    const options: object = {
      stroe: {},
      limiter: 'redis',
      billing: { prices: { fetchd: 1 }, plans: [{ id: 'p', name: 'P', creditsPerMonth: -1 }] },
      worker: { concurrency: 0 },
      cors: { origins: ['https://a.example'], credential: true },
    }
    const message = messageOf(() => createPlatform(options))
    expect(message).toContain('stroe is not an option; did you mean store?')
    expect(message).toContain('limiter must be "memory" or "store" or a limiter, which has take')
    expect(message).toContain(
      'billing.prices.fetchd is not an option; did you mean billing.prices.fetched?',
    )
    expect(message).toContain('billing.plans.0.creditsPerMonth must be a whole number from 0')
    expect(message).toContain('worker.concurrency must be a whole number from 1, not 0')
    expect(message).toContain('cors.credential is not an option; did you mean cors.credentials?')
    expect(message.split('; ')).toHaveLength(9)
  })

  it('requires a complete rate, as a part of one would limit nothing', () => {
    const rateLimits: object = { tasks: { limit: 10, periodMs: 1_000 } }
    expect(() => createPlatform({ rateLimits })).toThrow('rateLimits.tasks.burst is required')
  })

  it.each([
    [{ rateLimits: { nonsense: false } }, 'rateLimits.nonsense is not an option'],
    [
      { rateLimits: { taks: false } },
      'rateLimits.taks is not an option; did you mean rateLimits.tasks?',
    ],
    [{ rateLimits: { tasks: rateOf({ limit: 0 }) } }, 'rateLimits.tasks.limit must be'],
    [{ rateLimits: { tasks: rateOf({ limit: '120' }) } }, 'rateLimits.tasks.limit must be'],
    [{ rateLimits: { tasks: rateOf({ burst: 119.5 }) } }, 'rateLimits.tasks.burst must be'],
    [{ rateLimits: { tasks: rateOf({ limit: 2 ** 52 }) } }, 'rateLimits.tasks.limit must be'],
    [{ rateLimits: { authentication: null } }, 'rateLimits.authentication must be'],
    [
      { previews: { perday: 1 } },
      'previews.perday is not an option; did you mean previews.perDay?',
    ],
  ])('refuses %j, which would be no limit', (options: object, message) => {
    expect(() => createPlatform(options)).toThrow(message)
  })

  it.each([
    // A log that drops entries at once would look as if nothing had been written; use `audit: false`.
    [{ audit: { retentionDays: 0 } }, 'audit.retentionDays must be a whole number from 1'],
    [{ audit: { retentionDays: 0.5 } }, 'audit.retentionDays must be a whole number from 1'],
    [{ previews: { urls: 0 } }, 'previews.urls must be'],
  ])('refuses %j, which would do nothing', (options: object, message) => {
    expect(() => createPlatform(options)).toThrow(message)
  })

  it.each([
    [
      { apiKeys: { prefix: 'my key ' } },
      'apiKeys.prefix must be a text of letters, digits, - and _',
    ],
    [{ basePath: 'https://x' }, 'basePath must be a text, which is a path such as /data'],
    [{ basePath: '/data?a' }, 'basePath must be a text, which is a path such as /data'],
    [
      { publicUrl: 'https://u:p@x.test' },
      'publicUrl must be a URL without a query and credentials',
    ],
    [{ media: { tokenSeconds: 1e15 } }, 'media.tokenSeconds must be a whole number from 1 to'],
    [{ suspendedRunDays: Infinity }, 'suspendedRunDays must be null or a number from 0 to 36500'],
    [planOf({ price: { amount: 9.99, currency: 'EUR' } }), 'price.amount must be a whole number'],
    [planOf({ price: { amount: 999, currency: 'euro' } }), 'price.currency must be three capital'],
    [
      planOf({ retentionDays: 0.5 }),
      'retentionDays must be null or a whole number from 1 to 36500',
    ],
  ])('refuses %j, which nobody could use', (options: object, message) => {
    expect(() => createPlatform(options)).toThrow(message)
  })

  it('treats undefined as absent, so it removes no limit', async () => {
    const absent: object = { keys: undefined, steps: undefined, perDay: undefined, each: undefined }
    const rates: object = { tasks: undefined }
    const options: object = { rateLimits: rates, ...planOf({ rates, caps: { keys: undefined } }) }
    expect(() => createPlatform(options)).not.toThrow()
    expect(capsOf({ caps: absent })).toMatchObject(capsOf({}))
    expect(pageLimitsOf({ page: absent })).toMatchObject(pageLimitsOf({}))
    expect(quotasOfPlan({ previews: absent }, quotasFrom())).toMatchObject(quotasFrom())
    const { answers } = createShares(createFakeClock(), { answers: { ...absent, waiting: 0 } })
    for (let held = 0; held < 4; held++) await answers.enter('acme')
    await expect(answers.enter('acme')).rejects.toMatchObject({ status: 429 })
  })

  it('repeats no text that may be a secret', () => {
    const options: object = { apiKeys: { prefix: 7 }, store: 'postgres://u:p@h/d', limiter: 'disk' }
    const message = messageOf(() => createPlatform(options))
    expect(message).toContain('not "disk"')
    expect(message).toContain('not another text')
    expect(message).not.toContain('u:p')
  })
})

function planOf(part: object): object {
  return { billing: { plans: [{ id: 'p', name: 'P', creditsPerMonth: 1, ...part }] } }
}

function rateOf(part: object): object {
  return { limit: 10, periodMs: 1_000, burst: 9, ...part }
}

function messageOf(make: () => unknown): string {
  try {
    make()
  } catch (error) {
    if (error instanceof TypeError) return error.message
    throw error
  }
  throw new Error('The options were accepted')
}
