import { FairQueue } from './fair/fair-queue.ts'

/**
 * Length of a slice, in ms. After a slice, long work on the serving thread yields to the event
 * loop. A call that meets one or two slices waits for a few milliseconds.
 */
const SLICE_MS = 2
/**
 * Turns of the event loop between two slices, for all other work. A call that needs twenty turns
 * then waits for five slices, not for twenty. If nothing else is due, they take some microseconds.
 */
const FREE_TURNS = 4
/**
 * Time in ms that each piece of work may use before it needs a slice. Most work ends within this
 * time and never waits behind long work.
 */
const FREE_MS = 0.5
/** Slices after which work counts as long. */
const SHORT_SLICES = 2
/** Number of slices of short work after which long work gets one. */
const SHORT_IN_TURN = 3
/**
 * Maximum number of steps of a slice. On some runtimes the clock stands still until the code
 * awaits.
 */
const MOST_STEPS = 256

/** Work that cannot be divided, of an account: its size is compared with that of other accounts. */
export interface WholeWork {
  /** Empty: it belongs to no account. All such work takes turns as one account. */
  readonly account: string
  /** In bytes, or characters. */
  readonly size: number
}

/** Gives turns of the event loop to work that runs in slices. */
export interface Slices {
  /** Adds `ms` of work to this turn, and returns true if the turn has time left. */
  hasRoomAfter(ms: number): boolean
  /** Resolves in a turn for one slice. */
  wait(work: { readonly isShort: boolean }): Promise<void>
  /** Resolves in a turn for one piece of whole work. Accounts take turns. */
  waitWhole(work: WholeWork): Promise<void>
}

/**
 * Schedules all work that runs in slices, and counts the time used in this turn of the event loop.
 * Twenty slices in one turn would block the loop twenty times as long, so each waiting slice gets
 * its own turn, after some turns without slices. Work that has had few slices goes first, because
 * it ends soon and would otherwise wait for a slice of each piece of long work. Every fourth slice
 * goes to long work.
 */
export class SliceScheduler implements Slices {
  readonly #next: () => Promise<void>
  readonly #short: (() => void)[] = []
  readonly #long: (() => void)[] = []
  readonly #whole = new FairQueue<WholeWork & { readonly begin: () => void }>()
  #isServing = false
  #shortInTurn = 0
  /** Time of the work in this turn, in ms. */
  #workMs = 0

  /** `next` resolves when the next slice may begin. */
  constructor(next: () => Promise<void> = afterFreeTurns) {
    this.#next = next
  }

  /** Adds `ms` of work to this turn, and returns true if the turn has time left. */
  hasRoomAfter(ms: number): boolean {
    this.#workMs += ms
    // Until some work waits, up to one slice of time may be counted in later turns too. To observe
    // every turn would cost more.
    return this.#workMs < SLICE_MS
  }

  /** Resolves in its own turn, after all earlier callers of its kind. */
  wait({ isShort }: { readonly isShort: boolean }): Promise<void> {
    if (!this.#isServing) void this.#serve()
    return new Promise((resolve) => (isShort ? this.#short : this.#long).push(resolve))
  }

  /** Resolves in its own turn, among long work. The account that had least of such work is next. */
  waitWhole(work: WholeWork): Promise<void> {
    void this.wait({ isShort: false }).then(() => {
      const next = this.#whole.take()
      if (next === undefined) return
      this.#whole.charge(next.account, next.size)
      next.begin()
    })
    return new Promise((begin) => this.#whole.push(work.account, { ...work, begin }))
  }

  async #serve(): Promise<void> {
    this.#isServing = true
    do {
      await this.#next()
      this.#workMs = 0
      this.#take()?.()
    } while (this.#short.length + this.#long.length > 0)
    this.#isServing = false
  }

  #take(): (() => void) | undefined {
    const isShort =
      this.#long.length === 0 || (this.#short.length > 0 && this.#shortInTurn < SHORT_IN_TURN)
    this.#shortInTurn = isShort ? this.#shortInTurn + 1 : 0
    return (isShort ? this.#short : this.#long).shift()
  }
}

/**
 * Slices where each event has timers and promises of its own, which end with it, as in workerd. No
 * work may then wait for the timer of other work, so each has its own. The clock of workerd stands
 * still while code runs, so time is not counted.
 */
export class OwnSlices implements Slices {
  readonly #next: () => Promise<void>

  /** `next` resolves when the next slice may begin. */
  constructor(next: () => Promise<void> = afterFreeTurns) {
    this.#next = next
  }

  hasRoomAfter(): boolean {
    return true
  }

  wait(): Promise<void> {
    return this.#next()
  }

  waitWhole(): Promise<void> {
    return this.#next()
  }
}

const shared: Slices = isWorkerd() ? new OwnSlices() : new SliceScheduler()

/**
 * Divides long work into slices and yields to the event loop between them. Each piece of work has
 * its own `Pace`.
 */
export class Pace {
  readonly #scheduler: Slices
  readonly #now: () => number
  readonly #mostStill: number
  #since: number
  #steps = 0
  #still = 0
  #workMs = 0
  #slices = 0

  constructor({
    scheduler = shared,
    now = () => performance.now(),
    mostStill = MOST_STEPS,
  }: {
    readonly scheduler?: Slices
    readonly now?: () => number
    /**
     * Maximum number of steps of a slice if the clock stands still. Use fewer if a step may be
     * long.
     */
    readonly mostStill?: number
  } = {}) {
    this.#scheduler = scheduler
    this.#now = now
    this.#mostStill = mostStill
    this.#since = now()
  }

  /**
   * Call this after each small step. Returns a promise to await if the slice is over, and otherwise
   * `null`, which costs nothing.
   */
  step(): Promise<void> | null {
    const now = this.#now()
    const ms = now - this.#since
    const hasRoom = this.#scheduler.hasRoomAfter(ms)
    this.#since = now
    this.#workMs += ms
    this.#still = ms === 0 ? this.#still + 1 : 0
    const mayGoOn = (hasRoom || this.#workMs < FREE_MS) && this.#still < this.#mostStill
    return mayGoOn && ++this.#steps < MOST_STEPS ? null : this.#rest()
  }

  async #rest(): Promise<void> {
    await this.#scheduler.wait({ isShort: this.#slices++ < SHORT_SLICES })
    this.#steps = 0
    this.#still = 0
    this.#since = this.#now()
  }
}

/**
 * Resolves in a turn of the event loop that no other caller and no other paced work gets. For long
 * work that cannot be divided. Accounts take turns, so that one with much of it holds up no other.
 */
export function ownTurn(work: WholeWork = NO_ACCOUNT): Promise<void> {
  return shared.waitWhole(work)
}

/** Work of a size that nobody knows counts as much as the largest body. */
const NO_ACCOUNT: WholeWork = { account: '', size: 1_048_576 }

/** Resolves after the event loop has processed everything else that is due. */
export function nextTurn(): Promise<void> {
  // A timer of 0 ms takes 1 ms or more, so it is used only where there is no other way.
  if (typeof MessageChannel === 'undefined' || isWorkerd())
    return new Promise((resolve) => setTimeout(resolve, 0))
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    const onTurn = (): void => {
      port1.close()
      resolve()
    }
    port1.addEventListener('message', onTurn, { once: true })
    port1.start()
    port2.postMessage(null)
  })
}

/**
 * workerd delivers messages of a channel in the same turn, so timers and requests would have to
 * wait.
 */
function isWorkerd(): boolean {
  return typeof navigator !== 'undefined' && navigator.userAgent === 'Cloudflare-Workers'
}

async function afterFreeTurns(): Promise<void> {
  for (let turn = 0; turn < FREE_TURNS; turn++) await nextTurn()
}

/** Bytes that are copied at once: the pages of new memory cost more than the copying. */
const AT_ONCE = 1_048_576

/**
 * Joins parts, whose total length is given, in slices, because they may be tens of megabytes. The
 * result is always a copy.
 */
export async function joinedInSlices(
  parts: readonly Uint8Array[],
  length: number,
  pace = new Pace(),
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length)
  let index = 0
  for (const part of parts) {
    for (let from = 0; from < part.length; from += AT_ONCE) {
      const piece = part.subarray(from, from + AT_ONCE)
      bytes.set(piece, index)
      index += piece.length
      const rest = pace.step()
      if (rest) await rest
    }
  }
  return bytes
}
