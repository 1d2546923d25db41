import { PlatformError } from '../../src/kernel/errors.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Logger } from '../../src/ports/logger.ts'
import { readKeySet } from './key-set.ts'
import type { FindKey } from './key-set.ts'

/** Options of {@link RemoteKeys}. Times in ms. */
export interface RemoteKeysOptions {
  readonly read: () => Promise<Uint8Array>
  readonly clock: Pick<Clock, 'now'>
  readonly logger: Logger
  readonly cacheMs: number
  readonly staleMs: number
  readonly cooldownMs: number
}

/** The keys with which a token is checked. */
export interface CurrentKeys {
  readonly find: FindKey
  /** True if the keys were read just now, for this token. */
  readonly isNew: boolean
}

/** Delay after a failed read before the next one. */
const RETRY_MS = 5_000

/**
 * An issuer's key set, read on demand, by one read at a time. While the issuer is down, the last
 * good set is used for another `staleMs`, and callers do not wait for an issuer that is known to be
 * down.
 */
export class RemoteKeys {
  readonly #options: RemoteKeysOptions
  #keys: { readonly find: FindKey; readonly at: number } | null = null
  #failedAt: number | null = null
  #askedAt: number | null = null
  #reading: Promise<void> | null = null

  constructor(options: RemoteKeysOptions) {
    this.#options = options
  }

  /** @throws {PlatformError} 503 if no usable set is left, so that tokens cannot be verified */
  async current(): Promise<CurrentKeys> {
    const { cacheMs, staleMs } = this.#options
    if (this.#keys && this.#isWithin(this.#keys.at, cacheMs))
      return { find: this.#keys.find, isNew: false }
    const usable = () =>
      this.#keys && this.#isWithin(this.#keys.at, cacheMs + staleMs) ? this.#keys.find : null
    let isNew = false
    if (!this.#isWithin(this.#failedAt, RETRY_MS)) {
      const reading = this.#readOnce()
      isNew = this.#failedAt === null || usable() === null
      if (isNew) await reading
    }
    const find = usable()
    if (find) return { find, isNew }
    throw new PlatformError('SERVICE_UNAVAILABLE', 'Tokens cannot be checked at present', {
      headers: { 'Retry-After': String(RETRY_MS / 1000) },
    })
  }

  /**
   * Returns a newer set than one that lacks a token's key, or `null`. The issuer may have changed
   * its keys, so the set is read at once. But there is a cooldown, so that invented key ids do not
   * cause endless reads.
   */
  async newerThan({ find, isNew }: CurrentKeys): Promise<FindKey | null> {
    if (this.#keys?.find === find && !isNew) {
      if (!this.#reading) {
        if (this.#isWithin(this.#askedAt, this.#options.cooldownMs)) return null
        this.#askedAt = this.#options.clock.now()
      }
      await this.#readOnce()
    }
    return this.#keys && this.#keys.find !== find ? this.#keys.find : null
  }

  #readOnce(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null
    })
    return this.#reading
  }

  async #read(): Promise<void> {
    const { read, clock, logger } = this.#options
    try {
      const find = readKeySet(await read())
      this.#keys = { find, at: clock.now() }
      this.#failedAt = null
    } catch (error) {
      this.#failedAt = clock.now()
      logger.error('The key set for tokens could not be read', { error })
    }
  }

  /** If the clock was set back, every wait ends, so that it does not become longer. */
  #isWithin(since: number | null, ms: number): boolean {
    if (since === null) return false
    const passed = this.#options.clock.now() - since
    return passed >= 0 && passed < ms
  }
}
