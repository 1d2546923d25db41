import { sha256Hex } from '../kernel/crypto.ts'
import { PlatformError, badRequest, busy } from '../kernel/errors.ts'
import type { Ids } from '../kernel/id.ts'
import type { RequestHeaders } from '../kernel/http/message.ts'
import type { Scope } from '../kernel/scope.ts'
import type { Clock } from '../ports/clock.ts'
import { Change } from '../records/change.ts'
import type { Records } from '../features/records.ts'
import type { RequestRecord } from '../records/core.ts'
import type { Answer } from './respond.ts'
import type { OnceRequest, SealedAnswers } from './seals.ts'
import type { EffectWrite } from '../kernel/preconditions.ts'
import type { Stored } from '../records/collection.ts'

/** What {@link createIdempotency} works with. */
interface IdempotencyOptions {
  readonly records: Records
  readonly seals: SealedAnswers
  readonly ids: Ids
  readonly clock: Clock
}

/** Either this request was answered before, or this is the one attempt at it. */
type Begun =
  | { readonly replay: Answer; readonly attempt: null }
  | { readonly replay: null; readonly attempt: Attempt }

/**
 * Refuses a caller who lacks a scope that the stored operation needed: one of each list; `null`:
 * they were not noted.
 */
type Admit = (demands: readonly (readonly Scope[])[] | null) => void

/** Lets requests with an `Idempotency-Key` have their effect once. */
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

/** What an {@link Attempt} works with. */
interface AttemptOptions {
  readonly records: Records
  readonly seals: SealedAnswers
  readonly clock: Clock
  readonly request: OnceRequest
  /** The reservation as it was read back: its version is what the effect's commit checks. */
  readonly reserved: Stored<RequestRecord>
}

const KEPT_MS = 86_400_000
/**
 * How long a reservation lasts without a sign of life: one that crashed is in the way of its
 * repetition no longer than this.
 */
const LEASE_MS = 60_000
const RENEW_MS = LEASE_MS / 3
/** One that hangs for longer than this gives its place up. */
const LONGEST_MS = 3_600_000

/**
 * The one attempt at a request: it holds the reservation until the answer is stored or it gives up.
 * It renews it while the operation runs, and no more once the operation begins to commit: that
 * commit depends on the reservation's version.
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

  /** Notes scopes that the operation asked for; a repetition of the request needs one of them too. */
  demanded(scopes: readonly Scope[]): void {
    this.#demands.push(scopes)
  }

  /** Adds the answer to the commit that has the effect. */
  async settle(write: EffectWrite, answer: Answer): Promise<void> {
    const { records, seals: sealedAnswers, clock, request } = this.#options
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

  /** The commit that was settled last is written. */
  settled(): void {
    this.#stored = true
  }

  /**
   * The answer to give: the one that was stored with the effect, else this one, which it stores
   * now.
   *
   * @throws {PlatformError} 409 if the reservation was lost and the request is being worked on by
   *   another
   */
  async finish(answer: Answer): Promise<Answer> {
    if (this.#stored && this.#answer) return this.#answer
    const change = new Change()
    await this.settle(change, answer)
    if (await this.#options.records.commit(change)) return answer
    return (await this.#find()) ?? lost()
  }

  /**
   * Lets the request be repeated at once, if it had no effect; else gives the answer that was
   * stored with the effect. Where the store cannot tell, the reservation is left to its lease.
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

  /** Renews the reservation until told to let go, or until it is somebody else's. */
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
        // Whether it was written is seen by reading.
      }
      const found = await records.requests.get(request.account, id).catch(() => this.#reserved)
      if (found?.value.holder !== holder) return
      this.#reserved = found
    }
  }

  /** No more renewing; resolves when the version of the reservation stands. */
  #letGo(): Promise<void> {
    this.#committing.abort()
    return this.#kept
  }

  async #find(): Promise<Answer | null> {
    const { records, seals: sealedAnswers, request, reserved } = this.#options
    const found = await records.requests.get(request.account, ...reserved.id)
    return found && found.value.asked === reserved.value.asked && found.value.answer !== null
      ? sealedAnswers.open(request, found.value.answer)
      : null
  }
}

/** 409 for a request that is being worked on. */
function inFlight(): PlatformError {
  return busy('A request with this Idempotency-Key is still in progress')
}

function lost(): never {
  throw inFlight()
}
