import type { Key } from './key.ts'
import type { Scope } from './scope.ts'

/**
 * The atomic write that has an effect, as far as {@link Terms} adds to it; the records' `Change` is
 * one.
 */
export interface EffectWrite {
  check(key: Key, version: string | null): unknown
  set(key: Key, value: unknown, expiresAt?: number): unknown
}

/**
 * On what terms a caller wants a write done, beyond its input: only if the record is as the caller
 * knows it (`If-Match`), and only once (`Idempotency-Key`).
 */
export interface Terms {
  /**
   * Given what a read of the record would show now.
   *
   * @throws {PlatformError} 412 `PRECONDITION_FAILED` if the caller expects something else.
   */
  expect(data: object): void
  /**
   * Told which scopes the write needs beyond its route's; the caller has one of them. They are
   * stored with the answer, and a repetition of the request is answered only for a caller who has
   * one of them too. `kernel/demand-scope.ts` calls it.
   */
  demanded(scopes: readonly Scope[]): void
  /**
   * Adds the answer to the commit that has the effect, so that both are stored or neither is:
   * whoever repeats the request then gets this answer and no second effect. The commit fails if
   * someone else has taken the request over.
   */
  settle(write: EffectWrite, data: object): Promise<void>
  /** The commit that was settled last is written. */
  settled(): void
}
