import type { PlatformOptions } from '../../src/platform/options.ts'
import type { Authenticator } from '../../src/ports/authenticator.ts'
import type { Luck } from './luck.ts'

/** The plan with a rate, which worlds with rates have. */
export const RATED = {
  id: 'rated',
  name: 'Rated',
  creditsPerMonth: 100,
  rate: { limit: 6, periodMs: 60_000, burst: 4 },
} as const

/** The account of those who run the platform. */
export const STAFF = 'staff'

/** Every caller may act for the account that it names. */
const byAccount: Authenticator = async (request) => {
  const account = request.headers.get('x-account')
  return account === null
    ? null
    : { account, user: `user-of-${account}`, scopes: [account === STAFF ? 'operator' : '*'] }
}

/** Those who are told of what the processes log as errors. */
export interface Listener {
  tell(text: string): void
  /** The dataset is without the rows of a run, as their merge has killed too many workers. */
  gaveUpMerge(dataset: string): void
  /** A call was let through that the limiter could not count. */
  letThrough(): void
}

const UNRATED = {
  tasks: false,
  analytics: false,
  billing: false,
  mcp: false,
  authentication: false,
} as const

const RATED_PLAN = {
  id: RATED.id,
  name: RATED.name,
  creditsPerMonth: RATED.creditsPerMonth,
  rates: { tasks: RATED.rate },
}

/** The options of all processes of a world. `hasRates`: one plan has a rate. */
export function drawOptions(luck: Luck, listener: Listener, hasRates: boolean): PlatformOptions {
  const quiet = (): void => {}
  const isLimited = luck.chance(0.5)
  return {
    authenticators: [byAccount],
    ...(hasRates
      ? { rateLimits: UNRATED, limiter: 'store' as const }
      : { rateLimits: false as const }),
    operator: true,
    logger: {
      debug: quiet,
      info: quiet,
      warn: (message) => {
        if (message.startsWith('The rate limiter failed')) listener.letThrough()
      },
      error: (message, fields) => {
        const { error, kind = '', reason, data } = fields ?? {}
        const text = error instanceof Error ? error.message : JSON.stringify(error ?? reason ?? '')
        listener.tell(`logged: ${message} ${String(kind)} ${text}`)
        if (message !== 'A job was given up' || kind !== 'merge') return
        const [, dataset] = /"dataset":"([^"]*)"/.exec(JSON.stringify(data ?? null)) ?? []
        if (dataset !== undefined) listener.gaveUpMerge(dataset)
      },
    },
    worker: {
      leaseMs: luck.pick([6_000, 30_000]),
      share: luck.pick([1, 1, 2, 3]),
      concurrency: luck.int(1, 4),
    },
    ...(isLimited && {
      billing: {
        plans: [
          {
            id: 'small',
            name: 'Small',
            creditsPerMonth: luck.int(20, 400),
            dailyCap: luck.chance(0.5) ? luck.int(20, 200) : null,
            concurrentExecutions: luck.chance(0.5) ? luck.int(1, 4) : null,
          },
          ...(hasRates ? [RATED_PLAN] : []),
        ],
      },
    }),
  }
}
