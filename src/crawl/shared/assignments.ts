import { Change } from '../../records/change.ts'
import { SYSTEM } from '../../records/collection.ts'
import type { Collection, Stored } from '../../records/collection.ts'
import { eachPage } from '../../records/paginate.ts'
import type {
  AssignmentRecord,
  LargePage,
  MembershipRecord,
  ReportRecord,
  ReportedPage,
} from '../../features/executions/crawl-records.ts'
import type { Records } from '../../features/records.ts'
import type { Fence } from '../commit/fence.ts'
import { Overtaken } from '../commit/fence.ts'
import { markInterrupted } from '../../features/executions/lifecycle.ts'
import { REPORTS } from '../../features/executions/sweep.ts'
import { ofAssignment, readPage, removePageBlobs } from './large-pages.ts'
import type { LargePageOptions } from './large-pages.ts'

const PAGE = 500

/** Key of an assignment or a report: the helper's membership and a number. */
export interface StoredAssignment {
  readonly membership: string
  readonly number: number
}

/** An assignment whose page is not settled yet, and the blob that its report was in. */
export interface EndedAssignment extends StoredAssignment {
  readonly blob?: string
}

interface AssignmentStoreOptions extends LargePageOptions {
  readonly records: Records
  readonly account: string
  readonly execution: string
  readonly fence: Fence
}

/**
 * Stores the assignments that the holder of a fence gives its helpers, and reads their reports.
 * Each commit has the fence as a precondition.
 */
export class AssignmentStore {
  readonly #options: AssignmentStoreOptions

  constructor(options: AssignmentStoreOptions) {
    this.#options = options
  }

  get holder(): string {
    return this.#options.fence.holder
  }

  /** True as long as no other process can hold the fence. */
  isSafe(now: number): boolean {
    return now < this.#options.fence.safeUntil
  }

  /**
   * Lets helpers join, and writes the record that calls for them.
   *
   * @throws {Overtaken}
   */
  async open(): Promise<void> {
    const { records, account, execution, fence } = this.#options
    const earlier = await records.sharedRuns.get(account, execution)
    const change = new Change()
    fence.require(change)
    const readers = earlier?.value.readers ?? fence.holder
    records.sharedRuns.put(change, account, { execution, closed: false, readers })
    records.calls.put(change, SYSTEM, { execution, account })
    if (!(await records.commit(change))) throw new Overtaken()
  }

  async memberships(): Promise<Stored<MembershipRecord>[]> {
    const { records, account, execution } = this.#options
    return records.memberships.list(account, { within: [execution], limit: PAGE })
  }

  /**
   * Returns a helper's open assignments, and its reports by assignment id. Assignments for pages
   * that are already committed are left out.
   */
  async openWork(membership: string): Promise<{
    readonly assignments: readonly AssignmentRecord[]
    readonly reported: ReadonlyMap<string, ReportRecord>
  }> {
    const { records, account, execution } = this.#options
    // Reports are read first. An assignment that is reported between the two reads counts as open,
    // and its report is read later.
    const reports = await all(records.reports, account, execution, membership, REPORTS)
    const assignments = await all(records.assignments, account, execution, membership)
    const pages = assignments.flatMap(({ task }) => ('entry' in task ? [task.entry.seq] : []))
    const stored = await records.frontier.getMany(
      account,
      pages.map((seq) => [execution, seq]),
    )
    const waiting = new Set(pages.filter((_, index) => stored[index]))
    return {
      assignments: assignments.filter(
        ({ task }) => !('entry' in task) || waiting.has(task.entry.seq),
      ),
      reported: new Map(reports.map(ofAssignment).map((report) => [report.id, report])),
    }
  }

  /** Returns a batch of a helper's reports, starting with number `from`. */
  async reports(membership: string, from: number): Promise<ReportRecord[]> {
    const { records, account, execution } = this.#options
    const stored = await records.reports.list(account, {
      within: [execution, membership],
      after: [execution, membership, from - 1],
      limit: REPORTS,
    })
    return stored.map(({ value }) => ofAssignment(value))
  }

  /** Reads a page that is in a blob. `null`: the blob is not there, or damaged. */
  largePage(page: LargePage): Promise<ReportedPage | null> {
    return readPage(this.#options, page)
  }

  /**
   * Writes assignments, and deletes ended assignments and reports that are read. It is safe to
   * repeat.
   *
   * @throws {Overtaken}
   */
  async send(
    assignments: readonly AssignmentRecord[],
    ended: readonly StoredAssignment[],
    read: readonly EndedAssignment[],
  ): Promise<void> {
    const { records, account, execution, fence } = this.#options
    const change = new Change()
    fence.require(change)
    for (const assignment of assignments) records.assignments.put(change, account, assignment)
    for (const { membership, number } of ended)
      records.assignments.drop(change, account, execution, membership, number)
    for (const { membership, number } of read)
      records.reports.drop(change, account, execution, membership, number)
    if (!(await records.commit(change))) throw new Overtaken()
    void removePageBlobs(this.#options.blobs, read)
  }

  /**
   * Ends a helper's membership if it has not changed since it was read. Its assignments may then be
   * given to other peers. A helper that has not left may have died while it wrote a blob.
   *
   * @param needed Blobs of its reports that are still read. The commit of their pages removes them.
   * @throws {Overtaken}
   */
  async dismiss(
    membership: Stored<MembershipRecord>,
    needed: ReadonlySet<string> = new Set(),
  ): Promise<boolean> {
    const { records, account, execution, fence } = this.#options
    const name = membership.value.hand
    const [stored, assignments, reports] = await Promise.all([
      records.executions.get(account, execution),
      all(records.assignments, account, execution, name),
      all(records.reports, account, execution, name, REPORTS),
    ])
    const change = new Change()
    fence.require(change)
    records.memberships.remove(change, account, membership)
    const hasLeft = membership.value.until === 0
    if (stored && !hasLeft) markInterrupted(records, change, account, stored)
    for (const { number } of assignments)
      records.assignments.drop(change, account, execution, name, number)
    for (const { number } of reports) records.reports.drop(change, account, execution, name, number)
    if (await records.commit(change)) {
      void removePageBlobs(
        this.#options.blobs,
        reports
          .map(({ done }) => done)
          .filter((done) => !('blob' in done && needed.has(done.blob))),
      )
      return true
    }
    if (!(await fence.holds())) throw new Overtaken()
    return false
  }
}

async function all<T extends AssignmentRecord | ReportRecord>(
  assignments: Collection<T>,
  account: string,
  execution: string,
  membership: string,
  size?: number,
): Promise<T[]> {
  const stored: T[] = []
  for await (const page of eachPage(assignments, account, [execution, membership], size))
    for (const { value } of page) stored.push(value)
  return stored
}

/** Collects the assignments to write, and the records to delete, for one commit of the holder. */
export class Assignments {
  #outgoing: AssignmentRecord[] = []
  #ended: StoredAssignment[] = []
  #read: EndedAssignment[] = []

  give(assignment: AssignmentRecord): void {
    this.#outgoing.push(assignment)
  }

  /** Marks an assignment for deletion. */
  end(assignment: StoredAssignment): void {
    this.#ended.push(assignment)
  }

  /** Marks a report for deletion. */
  drop({ hand, number, done }: ReportRecord): void {
    this.#read.push({ membership: hand, number, ...('blob' in done && { blob: done.blob }) })
  }

  /** Discards everything collected for a helper: its records are already deleted. */
  forget(membership: string): void {
    const isOthers = (stored: StoredAssignment): boolean => stored.membership !== membership
    this.#outgoing = this.#outgoing.filter(({ hand }) => hand !== membership)
    this.#ended = this.#ended.filter(isOthers)
    this.#read = this.#read.filter(isOthers)
  }

  /**
   * Writes everything collected. Do not call `send` or `forget` while another `send` runs. If it
   * fails, the next call writes the same records again.
   *
   * @throws {Overtaken}
   */
  async send(assignmentStore: AssignmentStore): Promise<void> {
    const [assignments, ended, read] = [[...this.#outgoing], [...this.#ended], [...this.#read]]
    if (assignments.length + ended.length + read.length === 0) return
    await assignmentStore.send(assignments, ended, read)
    this.#outgoing = this.#outgoing.slice(assignments.length)
    this.#ended = this.#ended.slice(ended.length)
    this.#read = this.#read.slice(read.length)
  }
}
