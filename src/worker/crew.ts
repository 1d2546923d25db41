import type { Clock } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import type { Stored } from '../records/collection.ts'
import type { ErrandRecord, HandRecord, ReportRecord } from '../records/crew-records.ts'
import type { FrontierRecord } from '../records/types.ts'
import type { CrewMail } from './crew-mail.ts'
import { EachItsOwn } from './capacity.ts'
import type { Capacity, Place } from './capacity.ts'
import { HostQueues } from './host-queues.ts'
import { Overtaken } from './journal.ts'
import { Lanes } from './lanes.ts'
import { NO_MEDIA } from './media-taker.ts'
import type { PageOutcome } from './outcome.ts'
import type { PoliteVisits } from './polite-visits.ts'

/** How often helpers and their reports are looked for. */
export const POLL_MS = 100
/** Pages beyond those that places have, so that there is a choice of hosts. */
const BACKLOG = 1_000
/** Pages that a helper may have for each that it visits: the others bridge the way through the store. */
const AHEAD = 3
const TRIES = 5

/** What a {@link Crew} works with. */
export interface CrewOptions {
  readonly mail: CrewMail
  readonly clock: Clock
  readonly logger: Logger
  readonly execution: string
  /** Pages at the same time. */
  readonly concurrency: number
  /** Whether in all processes together; else in each. */
  readonly together: boolean
  /** What visits pages in this process. */
  readonly visits: PoliteVisits
  /** Before this, Unix milliseconds, no host is asked. */
  readonly firstTurn: number
}

/** A helper, as the holder of the fence sees it. */
interface Mate extends Place {
  /** `null`: this process. */
  readonly hand: string | null
  /** Number of the next errand. */
  given: number
  /** Number of the next report. */
  read: number
}

interface Page {
  readonly entry: FrontierRecord
  readonly resolve: (page: PageOutcome) => void
  readonly reject: (error: unknown) => void
}

interface Errand {
  readonly mate: Mate
  readonly number: number
  readonly url: string
  readonly lane: number | null
  /** Here before the run came to this page. */
  report: ReportRecord | null
}

/**
 * Visits the pages of a run in this process and in those that help, each host in one of them at a time. It writes no
 * outcomes: what it gives back is for the run to commit, as if all were visited here.
 */
export class Crew {
  readonly #options: CrewOptions
  readonly #capacity: Capacity<Mate>
  readonly #queues: HostQueues<Mate>
  readonly #here: Mate
  readonly #mates = new Map<string, Mate>()
  #places: readonly Mate[]
  /** Pages that the run has asked for, by number. */
  readonly #pages = new Map<number, Page>()
  readonly #errands = new Map<number, Errand>()
  #unsent: ErrandRecord[] = []
  #surplus: ReportRecord[] = []
  #signal: AbortSignal = AbortSignal.abort()
  #wake: () => void = () => {}
  #tending: Promise<void> | null = null
  #broken: { readonly cause: unknown } | null = null

  constructor(options: CrewOptions) {
    this.#options = options
    this.#capacity = options.together ? new Lanes(options.concurrency) : new EachItsOwn(options.concurrency)
    this.#queues = new HostQueues(this.#capacity, options.firstTurn)
    this.#here = { hand: null, ahead: 1, out: 0, hosts: 0, lanes: 0, given: 0, read: 0 }
    this.#places = [this.#here]
  }

  /** Pages that can be visited at the same time. */
  get slots(): number {
    return this.#capacity.slots
  }

  /** Pages that the run may take up. */
  get room(): number {
    return AHEAD * this.slots + BACKLOG
  }

  /** Takes over what helpers have from an earlier holder. To be done before the first page is asked for. @throws {Overtaken} */
  async adopt(): Promise<void> {
    while (!(await this.#look()));
  }

  /** Works until the signal aborts; `wake` is called when there is more room, or something is wrong. */
  work(signal: AbortSignal, wake: () => void): void {
    this.#signal = signal
    this.#wake = wake
    signal.addEventListener('abort', () => this.#drop(), { once: true })
    this.#tending = this.#tend()
  }

  /** Resolves when it has stopped. */
  async settled(): Promise<void> {
    await this.#tending
  }

  /** @throws what has kept it from going on */
  check(): void {
    if (this.#broken) throw this.#broken.cause
  }

  /** What became of a page, wherever it was visited. Rejects when the signal aborts. */
  visit(entry: FrontierRecord): Promise<PageOutcome> {
    return new Promise((resolve, reject) => {
      if (this.#signal.aborted) return reject(this.#signal.reason)
      this.#pages.set(entry.seq, { entry, resolve, reject })
      const errand = this.#errands.get(entry.seq)
      if (errand?.report) this.#arrive(errand, errand.report)
      if (errand) return
      this.#queues.add(entry)
      this.#distribute()
    })
  }

  #drop(): void {
    for (const { reject } of this.#pages.values()) reject(this.#signal.reason)
    this.#pages.clear()
  }

  async #tend(): Promise<void> {
    const { clock, logger, execution } = this.#options
    for (let failures = 0; !this.#signal.aborted; await clock.sleep(POLL_MS, this.#signal).catch(() => {})) {
      try {
        await this.#look()
        this.#distribute()
        await this.#send()
        failures = 0
      } catch (error) {
        if (error instanceof Overtaken || ++failures === TRIES) {
          this.#broken = { cause: error }
          return this.#wake()
        }
        logger.warn('Helpers could not be reached; trying again', { execution, error: String(error) })
      }
    }
  }

  #distribute(): void {
    const { clock, mail, execution } = this.#options
    const now = clock.now()
    // A holder that cannot renew its time asks no more hosts: another may have taken over, and given them out.
    while (!this.#signal.aborted && mail.isSafe(now)) {
      const given = this.#queues.next(this.#places, now)
      if (!given) return
      const { entry, place } = given
      const lane = this.#capacity.take(place)
      if (place.hand === null) void this.#visitHere(entry, lane)
      else {
        const number = place.given++
        this.#errands.set(entry.seq, { mate: place, number, url: entry.url, lane, report: null })
        this.#unsent.push({ execution, hand: place.hand, number, entry, lane })
      }
    }
  }

  async #visitHere(entry: FrontierRecord, lane: number | null): Promise<void> {
    const page = this.#pages.get(entry.seq)
    try {
      const visited = await this.#options.visits.visit(entry, this.#signal)
      this.#queues.done(entry.url, visited.turn)
      page?.resolve(visited.page)
    } catch (error) {
      this.#queues.lost(entry.url, this.#options.clock.now())
      page?.reject(error)
    }
    this.#capacity.free(lane)
    this.#pages.delete(entry.seq)
    this.#distribute()
  }

  /** A lost answer is no loss: the same errands are sent again. */
  async #send(): Promise<void> {
    const errands = [...this.#unsent]
    const surplus = [...this.#surplus]
    if (errands.length === 0 && surplus.length === 0) return
    await this.#options.mail.send(errands, surplus)
    this.#unsent = this.#unsent.slice(errands.length)
    this.#surplus = this.#surplus.slice(surplus.length)
  }

  /** Sees who is there and what they have done. `false`: something changed meanwhile, look again. */
  async #look(): Promise<boolean> {
    const { mail, clock } = this.#options
    const hands = await mail.hands()
    let isWhole = true
    for (const hand of hands) {
      const { until } = hand.value
      const mate = this.#mates.get(hand.value.hand) ?? (until > clock.now() ? await this.#meet(hand) : null)
      if (mate) await this.#read(mate, hand.value.reports)
      if (until > clock.now()) continue
      if (!(await mail.dismiss(hand))) isWhole = false
      else if (mate) this.#lose(mate)
    }
    const present = new Set(hands.map(({ value }) => value.hand))
    for (const mate of this.#mates.values()) if (mate.hand !== null && !present.has(mate.hand)) this.#lose(mate)
    return isWhole
  }

  async #meet({ value: { hand } }: Stored<HandRecord>): Promise<Mate> {
    const { reported, errands } = await this.#options.mail.found(hand)
    const mate: Mate = { hand, ahead: AHEAD, out: 0, hosts: 0, lanes: 0, given: (errands.at(-1)?.number ?? -1) + 1, read: 0 }
    this.#mates.set(hand, mate)
    this.#arrange()
    for (const { number, entry, lane } of errands) {
      const report = reported.get(entry.seq) ?? null
      this.#errands.set(entry.seq, { mate, number, url: entry.url, lane, report })
      // Host and lane of one that was reported may be another's already.
      if (report) this.#queues.rests(entry.url, report)
      else {
        this.#queues.has(mate, entry.url)
        this.#capacity.has(mate, lane)
      }
    }
    this.#wake()
    return mate
  }

  #arrange(): void {
    this.#places = [this.#here, ...this.#mates.values()]
    this.#capacity.spread(this.#places.length)
  }

  async #read(mate: Mate, end: number): Promise<void> {
    while (mate.hand !== null && mate.read < end) {
      const reports = await this.#options.mail.reports(mate.hand, mate.read)
      for (const report of reports) this.#hear(mate, report)
      // What is not there any more was settled under an earlier holder.
      mate.read = reports.length === 0 ? end : (reports.at(-1)?.number ?? end) + 1
    }
  }

  #hear(mate: Mate, report: ReportRecord): void {
    const errand = this.#errands.get(report.seq)
    if (errand?.mate !== mate || (errand.report !== null && errand.report.number !== report.number)) {
      this.#surplus.push(report)
      return
    }
    if (errand.report === null) {
      errand.report = report
      this.#queues.done(errand.url, report)
      this.#capacity.free(errand.lane)
    }
    this.#arrive(errand, report)
  }

  #arrive({ mate, number }: Errand, report: ReportRecord): void {
    const page = this.#pages.get(report.seq)
    if (!page || mate.hand === null) return
    this.#errands.delete(report.seq)
    this.#pages.delete(report.seq)
    page.resolve({ ...report.page, entry: page.entry, media: NO_MEDIA, errand: { hand: mate.hand, number, report: report.number } })
  }

  /** Gives what a helper had to others. */
  #lose(mate: Mate): void {
    if (mate.hand !== null) this.#mates.delete(mate.hand)
    this.#arrange()
    this.#unsent = this.#unsent.filter(({ hand }) => hand !== mate.hand)
    for (const [seq, errand] of this.#errands) {
      if (errand.mate !== mate) continue
      this.#errands.delete(seq)
      if (errand.report === null) {
        this.#queues.lost(errand.url, this.#options.clock.now())
        this.#capacity.free(errand.lane)
      }
      const page = this.#pages.get(seq)
      if (page) this.#queues.add(page.entry)
    }
  }
}
