import type { Clock } from '../../ports/clock.ts'
import type { Logger } from '../../ports/logger.ts'
import type { Stored } from '../../records/collection.ts'
import type { HandRecord, ReportRecord } from '../../features/executions/crawl-records.ts'
import type { TakenMedia, WantedMedia } from '../../features/media/records.ts'
import type { FrontierRecord } from '../../features/executions/records.ts'
import { EachItsOwn } from '../visit/capacity.ts'
import type { Capacity } from '../visit/capacity.ts'
import type { CrewMail } from './assignments.ts'
import { mediaTask, pageTask } from './assigned-work.ts'
import type { Asked, CrewTask, OwnHands } from './assigned-work.ts'
import { HostQueues } from '../visit/host-queues.ts'
import { Overtaken } from '../commit/fence.ts'
import { Lanes } from './concurrency-tokens.ts'
import { Letters } from './assignments.ts'
import { AHEAD, createMate } from './peers.ts'
import type { Mate } from './peers.ts'
import type { PageOutcome } from '../visit/outcome.ts'

/** How often helpers and their reports are looked for. */
export const POLL_MS = 100
/** Pages beyond those that places have, so that there is a choice of hosts. */
const BACKLOG = 1_000
const TRIES = 5

/** What a {@link Crew} works with. */
export interface CrewOptions extends OwnHands {
  readonly mail: CrewMail
  readonly clock: Clock
  readonly logger: Logger
  readonly execution: string
  /** Tasks at the same time. */
  readonly concurrency: number
  /** Whether in all processes together; else in each. */
  readonly together: boolean
  /** Before this, Unix milliseconds, no host is asked. */
  readonly firstTurn: number
}

interface Errand {
  readonly mate: Mate
  readonly number: number
  readonly url: string
  readonly lane: number | null
  /**
   * Whether the run comes for what is reported, and ends it with the page; else it ends with its
   * report.
   */
  readonly isPage: boolean
  /** Here before the run came to this page. */
  report: ReportRecord | null
}

/**
 * Does the tasks of a run in this process and in those that help, each host in one of them at a
 * time: visits pages, and fetches what they refer to. It writes no outcomes: what it gives back is
 * for the run to commit, as if all were done here.
 */
export class Crew {
  readonly #options: CrewOptions
  readonly #capacity: Capacity<Mate>
  readonly #queues: HostQueues<Mate, CrewTask>
  readonly #here = createMate(null)
  readonly #mates = new Map<string, Mate>()
  #places: readonly Mate[] = [this.#here]
  /** What the run has asked for. */
  readonly #tasks = new Map<string, CrewTask>()
  readonly #errands = new Map<string, Errand>()
  readonly #letters = new Letters()
  #fetches = 0
  #signal: AbortSignal = AbortSignal.abort()
  #wake: () => void = () => {}
  #tending: Promise<void> | null = null
  #broken: { readonly cause: unknown } | null = null

  constructor(options: CrewOptions) {
    this.#options = options
    this.#capacity = options.together
      ? new Lanes(options.concurrency)
      : new EachItsOwn(options.concurrency)
    this.#queues = new HostQueues(this.#capacity, options.firstTurn)
  }

  /** Pages that can be visited at the same time. */
  get slots(): number {
    return this.#capacity.slots
  }

  /** Pages that the run may take up. */
  get room(): number {
    return AHEAD * this.slots + BACKLOG
  }

  /**
   * Takes over what helpers have from an earlier holder. To be done before the first page is asked
   * for.
   *
   * @throws {Overtaken}
   */
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
    return this.#ask(pageTask(entry, this.#options), false)
  }

  /**
   * Fetches and keeps media, wherever that is done; before any page that waits, as another page
   * waits for it. Rejects when the signal aborts.
   */
  fetch(media: WantedMedia): Promise<TakenMedia> {
    return this.#ask(
      mediaTask(`${this.#options.mail.holder}-${this.#fetches++}`, media, this.#options),
      true,
    )
  }

  #ask<T>({ task, answer }: Asked<T>, isFirst: boolean): Promise<T> {
    if (this.#signal.aborted) task.fail(this.#signal.reason)
    else {
      this.#tasks.set(task.id, task)
      const errand = this.#errands.get(task.id)
      if (errand?.report) this.#arrive(errand, errand.report)
      if (!errand) {
        this.#queues.add(task, isFirst)
        this.#distribute()
      }
    }
    return answer
  }

  #drop(): void {
    for (const { fail } of this.#tasks.values()) fail(this.#signal.reason)
    this.#tasks.clear()
  }

  async #tend(): Promise<void> {
    const { clock, logger, execution, mail } = this.#options
    for (
      let failures = 0;
      !this.#signal.aborted;
      await clock.sleep(POLL_MS, this.#signal).catch(() => {})
    ) {
      try {
        await this.#look()
        this.#distribute()
        await this.#letters.send(mail)
        failures = 0
      } catch (error) {
        if (error instanceof Overtaken || ++failures === TRIES) {
          this.#broken = { cause: error }
          return this.#wake()
        }
        logger.warn('Helpers could not be reached; trying again', {
          execution,
          error: String(error),
        })
      }
    }
  }

  #distribute(): void {
    const { clock, mail, execution } = this.#options
    const now = clock.now()
    // A holder that cannot renew its time asks no more hosts: another may have taken over, and
    // given them out.
    while (!this.#signal.aborted && mail.isSafe(now)) {
      const given = this.#queues.next(this.#places, now)
      if (!given) return
      const {
        task: { id, url, task },
        place,
      } = given
      const lane = this.#capacity.take(place)
      if (place.hand === null) void this.#doHere(given.task, lane)
      else {
        const number = place.given++
        this.#errands.set(id, {
          mate: place,
          number,
          url,
          lane,
          isPage: 'entry' in task,
          report: null,
        })
        this.#letters.give({ execution, hand: place.hand, number, id, task, lane })
      }
    }
  }

  async #doHere(task: CrewTask, lane: number | null): Promise<void> {
    try {
      const { turn, tell } = await task.here(this.#signal)
      this.#queues.done(task.url, turn)
      tell()
    } catch (error) {
      this.#queues.lost(task.url, this.#options.clock.now())
      task.fail(error)
    }
    this.#capacity.free(lane)
    this.#tasks.delete(task.id)
    this.#distribute()
  }

  /** Sees who is there and what they have done. `false`: something changed meanwhile, look again. */
  async #look(): Promise<boolean> {
    const { mail, clock } = this.#options
    const hands = await mail.hands()
    let isWhole = true
    for (const hand of hands) {
      const { until } = hand.value
      const mate =
        this.#mates.get(hand.value.hand) ?? (until > clock.now() ? await this.#meet(hand) : null)
      if (mate) await this.#read(mate, hand.value.reports)
      if (until > clock.now()) continue
      if (!(await mail.dismiss(hand))) isWhole = false
      else if (mate) this.#lose(mate)
    }
    const present = new Set(hands.map(({ value }) => value.hand))
    for (const mate of this.#mates.values())
      if (mate.hand !== null && !present.has(mate.hand)) this.#lose(mate)
    return isWhole
  }

  async #meet({ value: { hand } }: Stored<HandRecord>): Promise<Mate> {
    const { reported, errands } = await this.#options.mail.found(hand)
    const mate = createMate(hand, (errands.at(-1)?.number ?? -1) + 1)
    this.#mates.set(hand, mate)
    this.#arrange()
    for (const { number, id, task, lane } of errands) {
      const report = reported.get(id) ?? null
      const isPage = 'entry' in task
      const { url } = isPage ? task.entry : task.media
      // Host and lane of one that was reported may be another's already.
      if (report) this.#queues.rests(url, report)
      else {
        this.#queues.has(mate, url)
        this.#capacity.has(mate, lane)
      }
      if (report && !isPage) this.#letters.end({ hand, number })
      else this.#errands.set(id, { mate, number, url, lane, isPage, report })
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
    const errand = this.#errands.get(report.id)
    if (errand?.mate !== mate || (errand.report !== null && errand.report.number !== report.number))
      return this.#letters.drop(report)
    if (errand.report === null) {
      errand.report = report
      this.#queues.done(errand.url, report)
      this.#capacity.free(errand.lane)
    }
    this.#arrive(errand, report)
  }

  #arrive({ mate, number, isPage }: Errand, report: ReportRecord): void {
    const task = this.#tasks.get(report.id)
    if (mate.hand === null || (isPage && !task)) return
    const errand = { hand: mate.hand, number }
    if (!isPage) {
      this.#letters.end(errand)
      this.#letters.drop(report)
    }
    this.#errands.delete(report.id)
    this.#tasks.delete(report.id)
    task?.there(report, errand)
  }

  /**
   * Does here what a helper had when it was lost: it may be what has killed it. Deaths of helpers
   * are nobody's to count, and those of this process count for the execution.
   */
  #lose(mate: Mate): void {
    if (mate.hand === null) return
    this.#mates.delete(mate.hand)
    this.#arrange()
    this.#letters.forget(mate.hand)
    for (const [id, errand] of this.#errands) {
      if (errand.mate !== mate) continue
      this.#errands.delete(id)
      if (errand.report === null) {
        this.#queues.lost(errand.url, this.#options.clock.now())
        this.#capacity.free(errand.lane)
      }
      const task = this.#tasks.get(id)
      if (task) this.#queues.add({ ...task, only: this.#here }, !errand.isPage)
    }
  }
}
