import { Outage } from '../../kernel/outage.ts'
import { StoreFailure } from '../../kernel/failures.ts'
import { createPoliteness } from '../../engine/site/politeness.ts'
import { modelOf } from '../../engine/visit/visit-page.ts'
import type { Politeness } from '../../engine/site/politeness.ts'
import type {
  Done,
  AssignmentRecord,
  ReportedPage,
} from '../../features/executions/crawl-records.ts'
import { recipeOf } from '../../features/executions/records.ts'
import type { FenceRecord } from '../../features/executions/records.ts'
import type { Stored } from '../../records/collection.ts'
import type { AdvanceOptions } from '../advance-options.ts'
import { compileExecution } from '../compile-execution.ts'
import type { LocalWork } from './assigned-work.ts'
import { POLL_MS } from './coordinator.ts'
import { doneOf, removePageBlobs, reportId, weightOfPage } from './large-pages.ts'
import { Membership } from './membership.ts'
import type { Report } from './membership.ts'
import { fetcherOf, openMedia } from './open-media.ts'
import { emptyOutcome, writablePage } from '../visit/outcome.ts'
import type { VisitOutcome } from '../visit/outcome.ts'
import { Semaphore } from '../../kernel/concurrency.ts'
import { visit } from '../visit/visit.ts'

/**
 * Maximum number of reports in one commit, and the approximate maximum of their characters. Each
 * report is written in one step.
 */
const GROUP = 50
const GROUP_WEIGHT = 1_000_000

/**
 * Visits pages of an execution for the worker that holds its fence, until the execution ends or
 * this process stops. A report becomes an outcome only when the holder commits it. `over`: the
 * execution is not running.
 */
export async function help(
  options: AdvanceOptions,
  account: string,
  executionId: string,
  signal: AbortSignal,
): Promise<'over' | 'stays'> {
  const { records, clock, renderer, documentsOf, model, localRuns, newHolder, leaseMs, share } =
    options
  const [execution, coordinator, memberships] = await Promise.all([
    records.executions.get(account, executionId),
    records.sharedRuns.get(account, executionId),
    records.memberships.list(account, { within: [executionId], limit: share }),
  ])
  if (execution?.value.status !== 'running' || !coordinator || coordinator.value.closed)
    return 'over'
  const part = memberships.length < share - 1 ? localRuns.help(executionId) : null
  if (!part) return 'stays'
  try {
    const recipe = recipeOf(execution.value)
    const compiled = await compileExecution(recipe, options)
    if ('code' in compiled) return 'stays'
    const { plan } = compiled
    const ownPages = await options.pagesOf(account)
    const membership = await Membership.join(
      { records, clock, account, execution: executionId, membership: newHolder(), leaseMs },
      coordinator,
    )
    if (!membership) return 'stays'
    const politeness = createPoliteness({ clock, delayMs: plan.crawl.delayMs })
    const pages = ownPages.open(recipe)
    const { egress } = options
    const robots = plan.crawl.robots ? options.robots : null
    const keeper = await openMedia(plan, {
      ...options,
      account,
      execution: executionId,
      robots,
      politeness,
    })
    const context = {
      plan,
      pages,
      egress,
      robots,
      renderer,
      readDocument: documentsOf(account),
      model: modelOf(model, { account, execution: executionId }),
      clock,
      politeness,
      keeper,
      telemetry: options.telemetry,
    }
    const own: OwnWork = {
      politeness,
      concurrency: plan.crawl.concurrency,
      visit: async (entry, aborted) =>
        (await writablePage(await visit(entry, { ...context, signal: aborted }))).page,
      fetch: fetcherOf(keeper),
    }
    const helper = new Helper(options, account, executionId, membership, own)
    return (await helper.work(AbortSignal.any([signal, part.signal])).finally(() => pages.close()))
      ? 'over'
      : 'stays'
  } finally {
    part.leave()
  }
}

/** Dependencies of a helper. */
interface OwnWork extends LocalWork {
  readonly politeness: Politeness
  /** Assignments at the same time, of those that have no concurrency token. */
  readonly concurrency: number
}

class Helper {
  readonly #options: AdvanceOptions
  readonly #account: string
  readonly #execution: string
  readonly #membership: Membership
  readonly #own: OwnWork
  readonly #abort = new AbortController()
  readonly #running = new Set<Promise<void>>()
  /** Ids of the assignments given to this helper. */
  readonly #known = new Set<string>()
  /** By concurrency token. */
  readonly #semaphores = new Map<number | null, Semaphore>()
  #reports: Report[] = []
  #fence: Stored<FenceRecord> | null = null
  #last = -1
  #blobs = 0
  /**
   * The `readers` of the shared run when this helper reported its first blob. `null`: it has
   * reported no blob.
   */
  #readers: string | null = null

  constructor(
    options: AdvanceOptions,
    account: string,
    execution: string,
    membership: Membership,
    own: OwnWork,
  ) {
    this.#options = options
    this.#account = account
    this.#execution = execution
    this.#membership = membership
    this.#own = own
  }

  /**
   * Returns `true` if the execution is no longer running.
   *
   * @throws the store's error, if the store failed until the membership expired
   */
  async work(signal: AbortSignal): Promise<boolean> {
    const onAbort = (): void => this.#abort.abort(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    const watch = this.#watch()
    try {
      return await this.#loop()
    } finally {
      signal.removeEventListener('abort', onAbort)
      this.#abort.abort()
      await Promise.all([watch, ...this.#running])
      await this.#leave()
    }
  }

  async #loop(): Promise<boolean> {
    const { clock, logger } = this.#options
    const outage = new Outage(clock, logger, {
      failing: `A helper of ${this.#execution} could not reach the store`,
      over: `A helper of ${this.#execution} reaches the store again`,
    })
    try {
      for (
        ;
        !this.#abort.signal.aborted;
        await clock.sleep(POLL_MS, this.#abort.signal).catch(() => {})
      ) {
        try {
          if (!(await this.#fetchAssignments())) return true
          outage.worked()
          if (
            (this.#reports.length > 0 || this.#membership.isDue(clock.now())) &&
            !(await this.#report())
          )
            return false
        } catch (error) {
          if (clock.now() >= this.#membership.until) throw error
          outage.failed(error)
        }
      }
      return false
    } finally {
      outage.ended()
    }
  }

  /** Starts new assignments. Returns `false` if the execution is no longer running. */
  async #fetchAssignments(): Promise<boolean> {
    const { records } = this.#options
    const fence = await records.fences.get(this.#account, this.#execution)
    if (!fence) return false
    if (!(await this.#isRead())) {
      this.#abort.abort(
        new Error('The coordinator has an earlier version, which cannot read large pages'),
      )
      return true
    }
    // A new holder numbers its assignments after the existing ones, so they are read from the
    // start.
    if (fence.version !== this.#fence?.version) this.#last = -1
    this.#fence = fence
    const assignments = await records.assignments.list(this.#account, {
      within: [this.#execution, this.#membership.name],
      after: [this.#execution, this.#membership.name, this.#last],
      limit: 1_000,
    })
    for (const { value } of assignments) {
      this.#last = value.number
      if (this.#known.has(value.id)) continue
      this.#known.add(value.id)
      const running = this.#do(value).finally(() => this.#running.delete(running))
      this.#running.add(running)
    }
    return true
  }

  /**
   * False after a holder of an earlier version, which drops reports with a blob. It gives their
   * pages to other peers only when this helper has left.
   */
  async #isRead(): Promise<boolean> {
    if (this.#readers === null) return true
    const run = await this.#options.records.sharedRuns.get(this.#account, this.#execution)
    return run === null || run.value.closed || run.value.readers === this.#readers
  }

  async #do({ id, task: assignment, lane: token }: AssignmentRecord): Promise<void> {
    const { clock, logger } = this.#options
    const own = this.#own
    const { signal } = this.#abort
    const { url } = 'entry' in assignment ? assignment.entry : assignment.media
    const work = async (): Promise<Done> =>
      'entry' in assignment
        ? await this.#pageDone(reported(await own.visit(assignment.entry, signal)))
        : { media: await own.fetch(assignment.media, signal) }
    try {
      const done = await this.#politely(url, token, work)
      this.#reports.push({ id: reportId(id, done), done, ...own.politeness.timingOf(url) })
    } catch (error) {
      if (signal.aborted) return
      // The page is not to blame: it is given to another process.
      if (error instanceof StoreFailure) return this.#abort.abort(error)
      logger.error('A page, or an item of media, could not be processed', {
        url,
        execution: this.#execution,
        error,
      })
      const done: Done =
        'entry' in assignment
          ? {
              page: reported(
                emptyOutcome(assignment.entry, 'failed', {
                  code: 'internal_error',
                  message: 'The page could not be processed',
                }),
              ),
            }
          : { media: null }
      this.#reports.push({ id, done, next: clock.now(), spacing: 0 })
    }
  }

  /**
   * Starts the work when the host may be requested and the token is free. The request is reserved
   * only then, so the pause before the next request is kept even after a long wait for the token.
   */
  async #politely(url: string, token: number | null, work: () => Promise<Done>): Promise<Done> {
    const { politeness } = this.#own
    const { signal } = this.#abort
    for (;;) {
      signal.throwIfAborted()
      const wait = politeness.nextDelay(url)
      if (wait > 0) await this.#options.clock.sleep(wait, signal)
      const done = await this.#semaphoreOf(token).run(async () => {
        signal.throwIfAborted()
        // Other work was faster, or the host needs a pause.
        if (politeness.nextDelay(url) > 0) return null
        politeness.reserve(url)
        return work()
      })
      if (done) return done
    }
  }

  #semaphoreOf(token: number | null): Semaphore {
    const semaphore =
      this.#semaphores.get(token) ?? new Semaphore(token === null ? this.#own.concurrency : 1)
    this.#semaphores.set(token, semaphore)
    return semaphore
  }

  /** A page as its report has it: a large one is in a blob, if the holder reads blobs. */
  async #pageDone(page: ReportedPage): Promise<Done> {
    try {
      const { done, readers } = await doneOf(this.#options, {
        account: this.#account,
        execution: this.#execution,
        name: `${this.#membership.name}-${this.#blobs++}`,
        page,
      })
      this.#readers ??= readers ?? null
      return done
    } catch (error) {
      // The page is not to blame: it is given to another process.
      this.#abort.abort(error)
      throw error
    }
  }

  async #report(): Promise<boolean> {
    const reports = firstOf(this.#reports)
    const isKept = await this.#membership.report(reports)
    if (isKept) this.#reports = this.#reports.slice(reports.length)
    return isKept
  }

  /** Ends the membership, best effort: if it fails, the membership expires. */
  async #leave(): Promise<void> {
    try {
      let isMember = true
      do {
        const reports = firstOf(this.#reports)
        const rest = this.#reports.slice(reports.length)
        if (rest.length > 0) isMember = await this.#membership.report(reports)
        else await this.#membership.leave(reports)
        if (isMember) this.#reports = rest
      } while (isMember && this.#reports.length > 0)
      // The membership had ended before these reports were written. If they were written
      // nevertheless, they are ignored, and their pages are visited again.
      await removePageBlobs(
        this.#options.blobs,
        this.#reports.map(({ done }) => done),
      )
    } catch (error) {
      this.#options.logger.warn('A helper could not return its hosts; its lease will expire', {
        execution: this.#execution,
        error: String(error),
      })
    }
  }

  /**
   * Stops work when the membership expires, even if the store does not answer: after that its hosts
   * may belong to another process.
   */
  async #watch(): Promise<void> {
    const { clock } = this.#options
    const { signal } = this.#abort
    while (!signal.aborted) {
      await clock.sleep(Math.max(0, this.#membership.until - clock.now()), signal).catch(() => {})
      if (clock.now() >= this.#membership.until)
        this.#abort.abort(new Error("The helper's lease has ended"))
    }
  }
}

/** The reports of the next commit. */
function firstOf(reports: readonly Report[]): readonly Report[] {
  let weight = 0
  const end = reports.findIndex(({ done }, index) => {
    weight += 'page' in done ? weightOfPage(done.page) : 0
    return index === GROUP || (index > 0 && weight > GROUP_WEIGHT)
  })
  // A copy: more are added while these are written.
  return end === -1 ? [...reports] : reports.slice(0, end)
}

function reported(page: VisitOutcome): ReportedPage {
  const {
    outcome,
    reason,
    httpStatus,
    finalUrl,
    bytes,
    durationMs,
    rows,
    links,
    filled,
    extracted,
    fetchedAt,
    digest,
    sources,
    rendered,
    modelled,
    tokens,
    picture,
    trail,
  } = page
  return {
    outcome,
    reason,
    httpStatus,
    finalUrl,
    bytes,
    durationMs,
    rows,
    links,
    filled,
    extracted,
    rendered,
    ...(fetchedAt !== undefined && { fetchedAt }),
    ...(digest !== undefined && { digest }),
    ...(sources && { sources }),
    ...(modelled && { modelled }),
    ...(tokens && { tokens }),
    ...(trail && { trail }),
    ...(picture && { picture }),
  }
}
