import { sha256Hex } from '../kernel/crypto.ts'
import { PlatformError, badRequest } from '../kernel/errors.ts'
import type { Ids } from '../kernel/id.ts'
import type { RequestHeaders } from '../kernel/http/message.ts'
import type { Scope } from '../kernel/scope.ts'
import type { Clock } from '../ports/clock.ts'
import { Change } from '../records/change.ts'
import type { Records } from '../records/records.ts'
import type { RequestRecord } from '../records/core.ts'
import { Attempt, inFlight, LEASE_MS } from './attempt.ts'
import type { Answer } from './respond.ts'
import type { OnceRequest, Seals } from './seals.ts'

/** What {@link createIdempotency} works with. */
export interface IdempotencyOptions {
  readonly records: Records
  readonly seals: Seals
  readonly ids: Ids
  readonly clock: Clock
}

/** Either this request was answered before, or this is the one attempt at it. */
export type Begun =
  | { readonly replay: Answer; readonly attempt: null }
  | { readonly replay: null; readonly attempt: Attempt }

/**
 * Refuses a caller who lacks a scope that the stored operation needed: one of each list; `null`:
 * they were not noted.
 */
export type Admit = (demands: readonly (readonly Scope[])[] | null) => void

/** Lets requests with an `Idempotency-Key` have their effect once (design 4.1). */
export interface Idempotency {
  /**
   * `admit` is asked before a stored answer is given, with the scopes that its operation needed.
   *
   * @throws {PlatformError} 409 while another attempt is under way, 422 if the key stands for
   *   another request; what `admit` throws
   */
  begin(request: OnceRequest, admit: Admit): Promise<Begun>
}

const MAX_KEY_LENGTH = 255
const TRIES = 3

/**
 * The key is reserved before the operation runs, under a lease that is renewed while it does; the
 * commit that has the effect turns the reservation into the answer, or fails where the reservation
 * is gone. So of all attempts at a request one alone has its effect, whenever one crashes; and
 * whoever finds the answer knows that the effect was had (decisions/009).
 */
export function createIdempotency(options: IdempotencyOptions): Idempotency {
  const { records, ids, clock } = options
  return {
    async begin(request, admit) {
      const { account, key } = request
      const id = await sha256Hex(key)
      const asked = await sha256Hex(request.asked)
      const judge = async (record: RequestRecord): Promise<Begun> => {
        if (record.asked !== asked)
          throw new PlatformError(
            'UNPROCESSABLE_CONTENT',
            'This Idempotency-Key was used for another request',
          )
        if (record.answer === null) throw inFlight()
        admit(record.demands ?? null)
        return { replay: await options.seals.open(request, record.answer), attempt: null }
      }
      for (let tried = 0; tried < TRIES; tried++) {
        const found = await records.requests.get(account, id)
        if (found) return judge(found.value)
        const reserved: RequestRecord = { id, asked, holder: ids('attempt'), answer: null }
        const failed = await reserve(records, account, reserved, clock.now() + LEASE_MS)
        const stored = await records.requests.get(account, id)
        if (stored?.value.holder === reserved.holder)
          return { replay: null, attempt: new Attempt({ ...options, request, reserved: stored }) }
        if (failed) throw failed.cause
        if (stored) return judge(stored.value)
      }
      throw inFlight()
    },
  }
}

/**
 * The caller's key. `null`: none.
 *
 * @throws {PlatformError} 400 for one that is empty or too long
 */
export function readIdempotencyKey(headers: RequestHeaders): string | null {
  const key = headers.get('idempotency-key')
  if (key !== null && (key === '' || key.length > MAX_KEY_LENGTH))
    throw badRequest([
      { path: 'Idempotency-Key', message: `must have 1 to ${MAX_KEY_LENGTH} characters` },
    ])
  return key
}

// Whether a commit that failed was written all the same is seen by reading, so that its failure is
// only kept here.
async function reserve(
  records: Records,
  account: string,
  reserved: RequestRecord,
  until: number,
): Promise<{ readonly cause: unknown } | null> {
  const change = new Change()
  records.requests.requireAbsent(change, account, reserved.id)
  records.requests.put(change, account, reserved, until)
  try {
    await records.commit(change)
    return null
  } catch (cause) {
    return { cause }
  }
}
