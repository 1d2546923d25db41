import type { Key } from './key.ts'
import type { Scope } from './scope.ts'
import { PlatformError } from './errors.ts'
import { grants } from './scope.ts'

/**
 * The part of an atomic write that {@link Preconditions} uses. The `Change` of the records
 * implements it.
 */
export interface EffectWrite {
  check(key: Key, version: string | null): unknown
  set(key: Key, value: unknown, expiresAt?: number): unknown
}

/**
 * Preconditions of a write: the record is unchanged since the caller read it (`If-Match`), and the
 * write happens only once (`Idempotency-Key`).
 */
export interface Preconditions {
  /**
   * Checks the current representation of the record.
   *
   * @throws {PlatformError} 412 `PRECONDITION_FAILED` if the caller expects another one.
   */
  expect(data: object): void
  /**
   * Receives the scopes that the write needs beyond those of its route. The caller has one of them.
   * They are stored with the answer: a retry of the request gets the answer only if its caller has
   * one of them too. `kernel/preconditions.ts` calls this.
   */
  demanded(scopes: readonly Scope[]): void
  /**
   * Adds the answer to the commit that has the effect, so that both are stored or none. A retry of
   * the request then gets this answer and has no second effect. The commit fails if another attempt
   * at the request has taken over.
   */
  settle(write: EffectWrite, data: object): Promise<void>
  /** Call this when the commit of the last `settle` is written. */
  settled(): void
}

/**
 * Refuses callers who have none of the scopes in `wanted`. All refusals for a missing scope are
 * made here (RFC 6750 section 3.1). A service that demands more scopes than its route passes its
 * preconditions: a retry with the same `Idempotency-Key` then needs the scope too.
 *
 * @throws {PlatformError} 403 that names the scopes
 */
export function demandScope(
  caller: { readonly scopes: readonly string[] },
  scopes: readonly Scope[],
  preconditions?: Preconditions,
): void {
  if (!scopes.some((scope) => grants(caller.scopes, scope))) {
    throw new PlatformError('FORBIDDEN', `This needs the scope ${scopes.join(' or ')}`, {
      headers: {
        'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scopes[0] ?? ''}"`,
      },
    })
  }
  preconditions?.demanded(scopes)
}
