import { cryptoRandom, systemClock } from '../defaults/system-clock.ts'
import { toBase64Url } from '../kernel/bytes.ts'
import { callback, checkOptions, withMethods } from '../kernel/options.ts'
import type { Clock, RandomBytes } from '../ports/clock.ts'

/** How long a code is valid, in ms. */
const GOOD_MS = 600_000
const CODE_BYTES = 24

/** Options of {@link createSignInCodes}. */
export interface SignInCodesOptions {
  /** Default: the system's. */
  readonly clock?: Clock
  /** Default: that of Web Crypto. */
  readonly random?: RandomBytes
}

/** One-time codes of sign-in links, made by `createSignInCodes`. */
export interface SignInCodes {
  /** Returns a new code for an API key. */
  issue(key: string): string
  /** Returns the key of a code, and makes the code invalid. `null`: it was not valid. */
  take(code: string): string | null
}

/**
 * Makes one-time codes for links that sign people in to the console: `<console>#code=<code>`. Each
 * is valid once, for ten minutes, in this process alone. If several processes serve the console,
 * keep codes in a store of your own, and pass its function as `exchange`.
 *
 * @example
 *   const codes = createSignInCodes()
 *   const platform = createPlatform({
 *     console: createConsole({ exchange: async (code) => codes.take(code) }),
 *   })
 *   const link = `https://data.example.com/console#code=${codes.issue('svc_sk_…')}`
 *
 * @throws {TypeError} for unknown and wrong options
 */
export function createSignInCodes(options: SignInCodesOptions = {}): SignInCodes {
  checkOptions<SignInCodesOptions>('createSignInCodes', options, {
    clock: withMethods('a clock', 'now'),
    random: callback,
  })
  const { clock = systemClock, random = cryptoRandom } = options
  const issued = new Map<string, { readonly key: string; readonly until: number }>()
  return {
    issue(key) {
      for (const [code, { until }] of issued) if (until <= clock.now()) issued.delete(code)
      const code = toBase64Url(random(CODE_BYTES))
      issued.set(code, { key, until: clock.now() + GOOD_MS })
      return code
    },
    take(code) {
      const entry = issued.get(code)
      issued.delete(code)
      return entry && clock.now() < entry.until ? entry.key : null
    },
  }
}
