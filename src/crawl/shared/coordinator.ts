import type { StillLeases } from '../../kernel/leases.ts'
import { Outage } from '../../kernel/outage.ts'
import type { Politeness } from '../../engine/site/politeness.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Logger } from '../../ports/logger.ts'
import type { Stored } from '../../records/collection.ts'
import type {
  LargePage,
  MembershipRecord,
  ReportRecord,
} from '../../features/executions/crawl-records.ts'
import type { TakenMedia, WantedMedia } from '../../features/media/records.ts'
import type { FrontierRecord } from '../../features/executions/records.ts'
import { ConcurrencyTokens, EachItsOwn } from './capacity.ts'
import type { Capacity } from './capacity.ts'
import type { AssignmentStore, StoredAssignment } from './assignments.ts'
import { Semaphore } from '../../kernel/concurrency.ts'
import { mediaAssignment, pageAssignment, pageAssignmentId } from './assigned-work.ts'
import type { AssignedResult, AssignedWork, LocalWork } from './assigned-work.ts'
import type { Frontier } from '../commit/frontier.ts'
import { HostQueues } from './host-queues.ts'
import { BYTES_WAITING } from '../visit/page-queue.ts'
import type { PageQueue } from '../visit/page-queue.ts'
import { Overtaken } from '../commit/fence.ts'
import { Assignments } from './assignments.ts'
import { HostPeers } from './host-peers.ts'
import { AHEAD, createPeer } from './peers.ts'
import type { Peer } from './peers.ts'
import type { VisitOutcome } from '../visit/outcome.ts'

/** Interval, in ms, at which memberships and reports of helpers are read. */
export const POLL_MS = 100
/**
 * Number of pages that are queued in addition to those assigned to peers, so that there is a choice
 * of hosts.
 */
const BACKLOG = 1_000
const TRIES = 5

export interface CoordinatorOptions extends LocalWork {
  readonly frontier: Pick<Frontier, 'next'>
  readonly assignmentStore: AssignmentStore
  /** The times at which this process may request its hosts. */
  readonly politeness: Politeness
  readonly clock: Clock
  readonly logger: Logger
  readonly stillLeases: StillLeases
  readonly execution: string
  /** Assignments at the same time. */
  readonly concurrency: number
  /** True if `concurrency` holds for all processes together; otherwise it holds for each. */
  readonly together: boolean
  /** No host is asked before this time, in Unix milliseconds. */
  readonly firstRequestAt: number
}

interface AssignedState {
  readonly peer: Peer
  readonly number: number
  readonly url: string
  readonly token: number | null
  /**
   * True for a page: the assignment ends when the run commits the page. Other assignments end with
   * their report.
   */
  readonly isPage: boolean
  /** The helper's report, if it arrived before the run asked for this page. */
  report: ReportRecord | null
}

/**
 * Distributes the work of a run over this process and its helpers: visits of pages, and fetches of
 * media. Each host is asked by one process at a time. The coordinator writes no outcomes: it
 * returns them to the run, which commits them as if all work were local.
 */
export class Coordinator implements PageQueue {
  readonly isShared = true
  /** Pages wait in the queues of their hosts, after the run has taken them. */
  readonly waiting = 0
  readonly wait = 0
  readonly isLow = false
  readonly #options: CoordinatorOptions
  readonly #capacity: Capacity
  readonly #hosts: HostPeers
  readonly #queues: HostQueues<AssignedWork>
  readonly #here = createPeer(null)
  readonly #helpers = new Map<string, Peer>()
  /** Work that the run has asked for and that is not done, by id. */
  readonly #pending = new Map<string, AssignedWork>()
  readonly #assigned = new Map<string, AssignedState>()
  readonly #assignments = new Assignments()
  readonly #large = new Semaphore(1)
  /** Blobs of large pages that are being read, or wait to be read. */
  readonly #reading = new Set<string>()
  /** Bytes of the large pages that the run has and has not committed, by assignment id. */
  readonly #unsettled = new Map<string, number>()
  #fetches = 0
  #signal: AbortSignal = AbortSignal.abort()
  #wake: () => void = () => {}

  constructor(options: CoordinatorOptions) {
    this.#options = options
    this.#capacity = options.together
      ? new ConcurrencyTokens(options.concurrency)
      : new EachItsOwn(options.concurrency)
    this.#hosts = new HostPeers({ ...options, capacity: this.#capacity, here: this.#here })
    this.#queues = new HostQueues({ waitOf: (work) => this.#hosts.waitOf(work) })
  }

  /** In all processes together. */
  get concurrency(): number {
    return this.#capacity.concurrency
  }

  /** At work or queued. */
  get room(): number {
    return AHEAD * this.concurrency + BACKLOG
  }

  next(): FrontierRecord | null {
    return this.#options.frontier.next()
  }

  /** Does nothing, because the run has taken all pages that wait here. */
  async fill(): Promise<void> {}

  /**
   * Takes over the assignments that helpers have from an earlier holder of the fence. Call it
   * before the first page is asked for.
   *
   * @throws {Overtaken}
   */
  async takeOver(): Promise<void> {
    while (!(await this.#poll()));
  }

  work(signal: AbortSignal, wake: () => void): Promise<void> {
    this.#signal = signal
    this.#wake = wake
    signal.addEventListener('abort', () => this.#drop(), { once: true })
    return this.#tend()
  }

  /** Returns the outcome of a page, visited here or by a helper. Rejects when the signal aborts. */
  visit(entry: FrontierRecord): Promise<VisitOutcome> {
    return this.#ask(pageAssignment(entry, this.#options), false)
  }

  /**
   * Fetches and stores media, here or on a helper. Media come before queued pages, because a page
   * in progress waits for them. Rejects when the signal aborts.
   */
  fetch(media: WantedMedia): Promise<TakenMedia> {
    return this.#ask(
      mediaAssignment(
        `${this.#options.assignmentStore.holder}-${this.#fetches++}`,
        media,
        this.#options,
      ),
      true,
    )
  }

  #ask<T>({ work, answer }: AssignedResult<T>, isFirst: boolean): Promise<T> {
    if (this.#signal.aborted) work.fail(this.#signal.reason)
    else {
      this.#pending.set(work.id, work)
      const assignment = this.#assigned.get(work.id)
      if (assignment?.report) this.#arrive(assignment, assignment.report)
      if (!assignment) {
        this.#queues.add(work, isFirst)
        this.#distribute()
      }
    }
    return answer
  }

  #drop(): void {
    for (const { fail } of this.#pending.values()) fail(this.#signal.reason)
    this.#pending.clear()
  }

  async #tend(): Promise<void> {
    const { clock, logger, execution, assignmentStore } = this.#options
    const outage = new Outage(clock, logger, {
      failing: `Helpers of ${execution} could not be reached`,
      over: `Helpers of ${execution} are reached again`,
    })
    try {
      for (
        let failures = 0;
        !this.#signal.aborted;
        await clock.sleep(POLL_MS, this.#signal).catch(() => {})
      ) {
        try {
          await this.#poll()
          this.#distribute()
          await this.#assignments.send(assignmentStore)
          failures = 0
          outage.worked()
        } catch (error) {
          if (error instanceof Overtaken || ++failures === TRIES) throw error
          outage.failed(error)
        }
      }
    } finally {
      outage.ended()
    }
  }

  #distribute(): void {
    const { clock, assignmentStore, execution, firstRequestAt } = this.#options
    const now = clock.now()
    if (now < firstRequestAt) return
    // A holder that cannot renew its lease stops here: another worker may have taken the fence and
    // assigned the same hosts.
    while (!this.#signal.aborted && assignmentStore.isSafe(now) && this.#hosts.hasRoom) {
      const next = this.#queues.next()
      if (!next) return
      const { peer, token } = this.#hosts.give(next)
      if (peer.membership === null) void this.#doHere(next, token)
      else {
        const { id, url, assignment } = next
        const number = peer.nextNumber++
        this.#assigned.set(id, {
          peer,
          number,
          url,
          token,
          isPage: 'entry' in assignment,
          report: null,
        })
        this.#assignments.give({
          execution,
          hand: peer.membership,
          number,
          id,
          task: assignment,
          lane: token,
        })
      }
    }
  }

  async #doHere(work: AssignedWork, token: number | null): Promise<void> {
    try {
      await work.here(this.#signal)
      this.#hosts.done(work.url, token, this.#options.politeness.timingOf(work.url))
    } catch (error) {
      this.#hosts.lost(work.url, token)
      work.fail(error)
    }
    this.#pending.delete(work.id)
    this.#distribute()
  }

  /**
   * Reads the memberships and reports of all helpers. Returns `false` if a membership changed
   * meanwhile and must be read again.
   */
  async #poll(): Promise<boolean> {
    const { assignmentStore, clock, stillLeases } = this.#options
    const memberships = await assignmentStore.memberships()
    let isWhole = true
    for (const membership of memberships) {
      const { until, hand } = membership.value
      const isOver = stillLeases.isOver(hand, membership.version, until, clock.now())
      const peer = this.#helpers.get(hand) ?? (isOver ? null : await this.#meet(membership))
      if (peer) await this.#read(peer, membership.value.reports)
      if (!isOver) continue
      if (!(await assignmentStore.dismiss(membership, this.#reading))) isWhole = false
      else if (peer) this.#lose(peer)
    }
    const present = new Set(memberships.map(({ value }) => value.hand))
    for (const peer of this.#helpers.values())
      if (peer.membership !== null && !present.has(peer.membership)) this.#lose(peer)
    return isWhole
  }

  async #meet({ value: { hand: membership } }: Stored<MembershipRecord>): Promise<Peer> {
    const { reported, assignments } = await this.#options.assignmentStore.openWork(membership)
    const peer = createPeer(membership, (assignments.at(-1)?.number ?? -1) + 1)
    this.#helpers.set(membership, peer)
    this.#hosts.arrange(this.#helpers.values())
    for (const { number, id, task: assignment, lane: token } of assignments) {
      const report = reported.get(id) ?? null
      const isPage = 'entry' in assignment
      const { url } = isPage ? assignment.entry : assignment.media
      // After a report, the host and the concurrency token may already belong to another peer.
      if (report) this.#hosts.rests(url, report)
      else this.#hosts.has(peer, url, token)
      if (report && !isPage) this.#assignments.end({ membership, number })
      else this.#assigned.set(id, { peer, number, url, token, isPage, report })
    }
    this.#wake()
    return peer
  }

  async #read(peer: Peer, end: number): Promise<void> {
    while (peer.membership !== null && peer.nextReport < end) {
      const reports = await this.#options.assignmentStore.reports(peer.membership, peer.nextReport)
      for (const report of reports) this.#receive(peer, report)
      // Reports that are missing here were deleted by a commit of an earlier holder.
      peer.nextReport = reports.length === 0 ? end : (reports.at(-1)?.number ?? end) + 1
    }
  }

  #receive(peer: Peer, report: ReportRecord): void {
    const assignment = this.#assigned.get(report.id)
    if (
      assignment?.peer !== peer ||
      (assignment.report !== null && assignment.report.number !== report.number)
    )
      return this.#assignments.drop(report)
    if (assignment.report === null) {
      assignment.report = report
      this.#hosts.done(assignment.url, assignment.token, report)
    }
    this.#arrive(assignment, report)
  }

  #arrive({ peer, number, isPage }: AssignedState, report: ReportRecord): void {
    const work = this.#pending.get(report.id)
    if (peer.membership === null || (isPage && !work)) return
    const assignment = { membership: peer.membership, number }
    if (!isPage) {
      this.#assignments.end(assignment)
      this.#assignments.drop(report)
    }
    this.#assigned.delete(report.id)
    const { done } = report
    if (work && 'blob' in done) void this.#readLarge(work, done, report, assignment)
    else {
      this.#pending.delete(report.id)
      work?.there(report, assignment)
    }
  }

  settled(pages: readonly FrontierRecord[]): void {
    if (this.#unsettled.size === 0) return
    for (const { seq } of pages) this.#unsettled.delete(pageAssignmentId(seq))
  }

  get #unsettledBytes(): number {
    return [...this.#unsettled.values()].reduce((sum, bytes) => sum + bytes, 0)
  }

  /**
   * Reads one large page at a time, because a page is in memory twice during the read. It waits
   * until the run has committed enough of its large pages.
   */
  async #readLarge(
    work: AssignedWork,
    large: LargePage,
    report: ReportRecord,
    assignment: StoredAssignment,
  ): Promise<void> {
    const { assignmentStore, clock, logger, execution } = this.#options
    const signal = this.#signal
    this.#reading.add(large.blob)
    try {
      const page = await this.#large.run(async () => {
        while (this.#unsettledBytes >= BYTES_WAITING) await clock.sleep(POLL_MS, signal)
        const whole = await assignmentStore.largePage(large)
        if (whole) this.#unsettled.set(work.id, large.bytes)
        return whole
      }, signal)
      if (page === null) {
        logger.warn('The page of a helper is gone, and is visited again', {
          url: work.url,
          execution,
        })
        this.#assignments.end(assignment)
        this.#assignments.drop(report)
        this.#queues.add({ ...work, only: this.#here }, false)
        return this.#distribute()
      }
      work.there({ ...report, done: { page } }, { ...assignment, blob: large.blob })
    } catch (error) {
      work.fail(error)
    } finally {
      this.#reading.delete(large.blob)
    }
    this.#pending.delete(work.id)
  }

  /**
   * Removes a lost helper and queues its work for this process alone. That work may have killed the
   * helper. Nobody counts deaths of helpers, but deaths of this process count for the execution.
   */
  #lose(peer: Peer): void {
    if (peer.membership === null) return
    this.#helpers.delete(peer.membership)
    this.#hosts.arrange(this.#helpers.values())
    this.#assignments.forget(peer.membership)
    for (const [id, assignment] of this.#assigned) {
      if (assignment.peer !== peer) continue
      this.#assigned.delete(id)
      if (assignment.report === null) this.#hosts.lost(assignment.url, assignment.token)
      const work = this.#pending.get(id)
      if (work) this.#queues.add({ ...work, only: this.#here }, !assignment.isPage)
    }
  }
}
