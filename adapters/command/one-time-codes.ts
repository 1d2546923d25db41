import { randomBytes } from 'node:crypto'

/** How long a code of a sign-in link is good, in ms. */
const GOOD_MS = 600_000

/** Codes of sign-in links, each good once and for ten minutes. */
export class OneTimeCodes {
  readonly #now: () => number
  readonly #keys = new Map<string, { readonly key: string; readonly until: number }>()

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Returns a new code for an API key. */
  issue(key: string): string {
    const code = randomBytes(24).toString('base64url')
    this.#keys.set(code, { key, until: this.#now() + GOOD_MS })
    return code
  }

  /** Returns the key of a code, which is good no more after that. `null`: it was not good. */
  take(code: string): string | null {
    const issued = this.#keys.get(code)
    this.#keys.delete(code)
    return issued && this.#now() < issued.until ? issued.key : null
  }
}
