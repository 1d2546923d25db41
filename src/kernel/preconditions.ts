import type { Key } from './key.ts'
import type { Scope } from './scope.ts'
import { PlatformError } from './errors.ts'
import { grants } from './scope.ts'

/**
 * The atomic write that has an effect, as far as {@link Preconditions} adds to it; the records'
 * `Change` is one.
 */
export interface EffectWrite {
  check(key: Key, version: string | null): unknown
  set(key: Key, value: unknown, expiresAt?: number): unknown
}

/**
 * On what terms a caller wants a write done, beyond its input: only if the record is as the caller
 * knows it (`If-Match`), and only once (`Idempotency-Key`).
 */
export interface Preconditions {
  /**
   * Given what a read of the record would show now.
   *
   * @throws {PlatformError} 412 `PRECONDITION_FAILED` if the caller expects something else.
   */
  expect(data: object): void
  /**
   * Told which scopes the write needs beyond its route's; the caller has one of them. They are
   * stored with the answer, and a repetition of the request is answered only for a caller who has
   * one of them too. `kernel/preconditions.ts` calls it.
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

/**
 * Refuses callers who have none of `wanted`. Every refusal for want of a scope comes from here (RFC
 * 6750 section 3.1). A service that asks for more than its route does passes its terms: whoever
 * repeats the request with the same `Idempotency-Key` must then have the scope too.
 *
 * @throws {PlatformError} 403 that names the scopes
 */
export function demandScope(
  caller: { readonly scopes: readonly string[] },
  wanted: readonly Scope[],
  preconditions?: Preconditions,
): void {
  if (!wanted.some((scope) => grants(caller.scopes, scope))) {
    throw new PlatformError('FORBIDDEN', `This needs the scope ${wanted.join(' or ')}`, {
      headers: {
        'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${wanted[0] ?? ''}"`,
      },
    })
  }
  preconditions?.demanded(wanted)
}
