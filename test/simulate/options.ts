import type { PlatformOptions } from '../../src/platform/options.ts'
import type { Authenticator } from '../../src/ports/authenticator.ts'
import type { Luck } from './luck.ts'

/** The account of those who run the platform. */
export const STAFF = 'staff'

/** Every caller may act for the account that it names. */
const byAccount: Authenticator = async (request) => {
  const account = request.headers.get('x-account')
  return account === null
    ? null
    : { account, user: `user-of-${account}`, scopes: [account === STAFF ? 'operator' : '*'] }
}

/** The options of all processes of a world. `tell`: told of what they log as errors. */
export function drawOptions(luck: Luck, tell: (text: string) => void): PlatformOptions {
  const quiet = (): void => {}
  const isLimited = luck.chance(0.5)
  return {
    authenticators: [byAccount],
    rateLimits: false,
    operator: true,
    logger: {
      debug: quiet,
      info: quiet,
      warn: quiet,
      error: (message, fields) => {
        const { error, kind = '', reason } = fields ?? {}
        const text = error instanceof Error ? error.message : JSON.stringify(error ?? reason ?? '')
        tell(`logged: ${message} ${String(kind)} ${text}`)
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
        ],
      },
    }),
  }
}
