import { sha256Hex } from '../kernel/crypto.ts'
import { PlatformError, busy } from '../kernel/errors.ts'
import type { Scope } from '../kernel/scope.ts'
import type { Clock } from '../ports/clock.ts'
import { Change } from '../records/change.ts'
import type { Records } from '../features/records.ts'
import type { RequestRecord } from '../records/core.ts'
import type { Answer } from './respond.ts'
import type { OnceRequest, SealedAnswers } from './sealed-answers.ts'
import type { EffectWrite } from '../kernel/preconditions.ts'
import type { Stored } from '../records/collection.ts'
import { retryConflicts } from '../records/retry.ts'
import type { Core } from '../features/core.ts'
import { DAY_MS } from '../kernel/time.ts'

/** Either the stored answer of an earlier attempt, or the only running attempt at this request. */
type Begun =
  | { readonly replay: Answer; readonly attempt: null }
  | { readonly replay: null; readonly attempt: Attempt }

/**
 * Refuses a caller who lacks a scope that the stored operation needed. The caller needs one scope
 * of each list. `null`: the scopes were not recorded.
 */
type Admit = (demands: readonly (readonly Scope[])[] | null) => void

/** Executes requests with an `Idempotency-Key` once. */
export interface Idempotency {
  /**
   * Calls `admit` with the scopes that the operation needed before it returns a stored answer.
   *
   * @throws {PlatformError} 409 while another attempt runs, 422 if the key was used for another
   *   request; errors of `admit`
   */
  begin(request: OnceRequest, admit: Admit): Promise<Begun>
}

/**
 * The key is reserved before the operation runs, under a lease that is renewed while it runs. The
 * commit that has the effect also replaces the reservation by the answer, and fails if the
 * reservation is gone. So exactly one attempt at a request has its effect, even if attempts crash,
 * and a stored answer proves that the effect was committed (decisions/009).
 */
export function createIdempotency(core: Core, sealedAnswers: SealedAnswers): Idempotency {
  const { records, ids, clock } = core
  return {
    async begin(request, admit) {
      const { account, key } = request
      const id = await sha256Hex(key)
      const requestDigest = await sha256Hex(request.asked)
      const judge = async (record: RequestRecord): Promise<Begun> => {
        if (record.asked !== requestDigest)
          throw new PlatformError(
            'UNPROCESSABLE_CONTENT',
            'This Idempotency-Key was used for another request: use a new key for each request',
          )
        if (record.answer === null) throw inFlight()
        admit(record.demands ?? null)
        return { replay: await sealedAnswers.open(request, record.answer), attempt: null }
      }
      const begun = await retryConflicts(async () => {
        const earlier = await records.requests.get(account, id)
        if (earlier) return judge(earlier.value)
        const reserved: RequestRecord = {
          id,
          asked: requestDigest,
          holder: ids('attempt'),
          answer: null,
        }
        const failed = await reserve(records, account, reserved, clock.now() + LEASE_MS)
        const stored = await records.requests.get(account, id)
        if (stored?.value.holder === reserved.holder)
          return {
            replay: null,
            attempt: new Attempt({ records, clock, sealedAnswers, request, reserved: stored }),
          }
        if (failed) throw failed.cause
        return stored && judge(stored.value)
      })
      if (begun === null) throw inFlight()
      return begun
    },
  }
}

// A commit may be applied although it reported a failure. The caller checks this with a read, so
// the failure is returned and not thrown.
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

/** Options of {@link Attempt}. */
interface AttemptOptions {
  readonly records: Records
  readonly sealedAnswers: SealedAnswers
  readonly clock: Clock
  readonly request: OnceRequest
  /** The reservation, read after it was written. The commit of the effect checks its version. */
  readonly reserved: Stored<RequestRecord>
}

const KEPT_MS = DAY_MS
/** Lease of a reservation without renewal: a crashed attempt blocks a retry no longer than this. */
const LEASE_MS = 60_000
const RENEW_MS = LEASE_MS / 3
/** An attempt that hangs for longer than this stops renewing its reservation. */
const LONGEST_MS = 3_600_000

/**
 * The only running attempt at a request. It holds the reservation until the answer is stored or the
 * attempt gives up. It renews the reservation while the operation runs, and stops when the
 * operation begins to commit, because that commit depends on the reservation's version.
 */
export class Attempt {
  readonly #options: AttemptOptions
  readonly #committing = new AbortController()
  readonly #kept: Promise<void>
  #reserved: Stored<RequestRecord>
  #answer: Answer | null = null
  #stored = false
  readonly #demands: (readonly Scope[])[] = []

  constructor(options: AttemptOptions) {
    this.#options = options
    this.#reserved = options.reserved
    this.#kept = this.#keep()
  }

  /** Records the scopes that the operation demanded. A retry of the request needs one of them too. */
  demanded(scopes: readonly Scope[]): void {
    this.#demands.push(scopes)
  }

  /** Adds the answer to the commit of the effect. */
  async settle(write: EffectWrite, answer: Answer): Promise<void> {
    const { records, sealedAnswers, clock, request } = this.#options
    const [sealed] = await Promise.all([sealedAnswers.seal(request, answer), this.#letGo()])
    const reserved = this.#reserved
    const key = records.requests.key(request.account, reserved.id)
    write.check(key, reserved.version)
    write.set(
      key,
      { ...reserved.value, answer: sealed, demands: this.#demands },
      clock.now() + KEPT_MS,
    )
    this.#answer = answer
  }

  /** Call this when the commit of the last `settle` is written. */
  settled(): void {
    this.#stored = true
  }

  /**
   * Returns the answer that was stored with the effect. If no answer was stored, stores and returns
   * `answer`.
   *
   * @throws {PlatformError} 409 if the reservation was lost and another attempt at the request runs
   */
  async finish(answer: Answer): Promise<Answer> {
    if (this.#stored && this.#answer) return this.#answer
    const change = new Change()
    await this.settle(change, answer)
    if (await this.#options.records.commit(change)) return answer
    return (await this.#find()) ?? lost()
  }

  /**
   * Removes the reservation if the request had no effect, so that it can be retried at once.
   * Otherwise returns the answer that was stored with the effect. If the store fails, the
   * reservation ends with its lease.
   */
  async giveUp(): Promise<Answer | null> {
    const { records, request } = this.#options
    await this.#letGo()
    try {
      const change = new Change()
      records.requests.remove(change, request.account, this.#reserved)
      return (await records.commit(change)) ? null : await this.#find()
    } catch {
      return null
    }
  }

  /** Renews the reservation until `#letGo` is called or another attempt holds it. */
  async #keep(): Promise<void> {
    const { records, clock, request } = this.#options
    const { signal } = this.#committing
    const { id, holder } = this.#reserved.value
    for (const until = clock.now() + LONGEST_MS; clock.now() < until;) {
      await clock.sleep(RENEW_MS, signal).catch(() => {})
      if (signal.aborted) return
      try {
        const change = new Change()
        records.requests.require(change, request.account, this.#reserved)
        records.requests.put(change, request.account, this.#reserved.value, clock.now() + LEASE_MS)
        await records.commit(change)
      } catch {
        // The read below shows whether it was written.
      }
      const stored = await records.requests.get(request.account, id).catch(() => this.#reserved)
      if (stored?.value.holder !== holder) return
      this.#reserved = stored
    }
  }

  /** Stops renewing. Resolves when the version of the reservation is final. */
  #letGo(): Promise<void> {
    this.#committing.abort()
    return this.#kept
  }

  async #find(): Promise<Answer | null> {
    const { records, sealedAnswers, request, reserved } = this.#options
    const stored = await records.requests.get(request.account, ...reserved.id)
    return stored && stored.value.asked === reserved.value.asked && stored.value.answer !== null
      ? sealedAnswers.open(request, stored.value.answer)
      : null
  }
}

/** 409 for a request that another attempt is processing. */
function inFlight(): PlatformError {
  return busy('A request with this Idempotency-Key is still in progress')
}

function lost(): never {
  throw inFlight()
}
