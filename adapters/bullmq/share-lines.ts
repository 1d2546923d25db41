import type { IQueueBackend } from 'bullmq'
import { fnv1a } from '../../src/kernel/short-key.ts'
import { MOST_AHEAD_MS, MOST_SKEW_MS } from '../../src/kernel/time.ts'

/** The part of BullMQ that finds waiting jobs and chooses among them. */
type Waiting = Pick<
  IQueueBackend,
  'changePriority' | 'getCounts' | 'getCountsPerPriority' | 'getJobData' | 'getRanges' | 'promote'
>

/** A due job that waits, by BullMQ's id. */
export interface WaitingJob {
  readonly id: string
  /** The line of its share, as text that sorts as lines do. */
  readonly share: string
}

/** The waiting jobs of a lane. */
export interface Lines {
  /** The first jobs of some lines. */
  readonly jobs: readonly WaitingJob[]
  /** True if no job waits in another line. */
  readonly areAll: boolean
}

/** The priority of jobs outside the lines. They are taken before all others. */
export const NO_LINE = 0
/**
 * Number of lines. Redis sorts by doubles, so with more lines the order within a line would be
 * rounded.
 */
const LINES = 2 ** 20 - 1
/**
 * Maximum number of lines that one poll reads, so that its cost does not grow with the number of
 * shares.
 */
const MOST_LINES = 12
/** Number of index positions that one round of a search reads at once. */
const PROBES = 8
/** Maximum number of delayed jobs that one poll makes due. */
const MOST_PROMOTED = 100

/**
 * The line of a share. It is the priority of its jobs in BullMQ, which sorts waiting jobs by
 * priority and, within one, by arrival. It is a hash, so in one of a million cases two shares have
 * the same line. Then they take turns as one share.
 */
export function lineOf(share: string): number {
  return (fnv1a(share) % LINES) + 1
}

/** The line as text. */
export function lineName(line: number): string {
  return String(line).padStart(7, '0')
}

/** The jobs of one lane that are due, in a line for each share. */
export class ShareLines {
  readonly #jobs: Waiting

  constructor(jobs: Waiting) {
    this.#jobs = jobs
  }

  /**
   * Returns waiting jobs of as many shares as there are places: the first `places` jobs of each
   * line that was read. It starts with the line after `last` and wraps around. Jobs outside the
   * lines are not among them.
   */
  async first(places: number, last: string | null, now: number): Promise<Lines> {
    const total = await this.#due(now)
    if (total === 0) return { jobs: [], areAll: true }
    const [head, tail] = await Promise.all([this.#lineAt(0), this.#lineAt(total - 1)])
    if (head === tail) return { jobs: await this.#page(0, places), areAll: true }
    const after = last === null ? 0 : await this.#after(last, total)
    const begin = after < total ? after : 0
    const jobs = new Map<string, WaitingJob>()
    const shares = new Set<string>()
    let [start, end] = [begin, total]
    for (let reads = 0; reads < MOST_LINES && shares.size < places; reads++) {
      const page = await this.#page(start, Math.min(places, end - start))
      for (const job of page) {
        jobs.set(job.id, job)
        shares.add(job.share)
      }
      start = await this.#nextLine(page, start, end)
      if (start < end) continue
      if (begin === 0 || end === begin) break
      // The search has wrapped around, and reads the lines before the one with which it started.
      start = 0
      end = begin
    }
    return { jobs: [...jobs.values()], areAll: false }
  }

  /** Makes a job the next one to be taken; `false`: it no longer waits. */
  async choose(id: string): Promise<boolean> {
    try {
      await this.#jobs.changePriority(id, NO_LINE, true)
      return true
    } catch (error) {
      if (isRefusal(error)) return false
      throw error
    }
  }

  /**
   * Makes a job due if its time is so far ahead that only a process with a wrong clock can have set
   * it.
   */
  async promoteOverlong(now: number): Promise<void> {
    const [[total = 0], [near = 0]] = await Promise.all([
      this.#jobs.getCounts(['delayed']),
      this.#jobs.getCounts(['delayed'], now + MOST_AHEAD_MS + MOST_SKEW_MS),
    ])
    const far = Math.min(total - near, MOST_PROMOTED)
    if (far <= 0) return
    const [ids = []] = await this.#jobs.getRanges(['delayed'], 0, far - 1, false)
    await Promise.all(ids.map((id) => this.#jobs.promote(id).catch(ignoreRefusal)))
  }

  /** Makes delayed jobs due if their time has come, and counts the jobs in lines. */
  async #due(now: number): Promise<number> {
    const count = async (): Promise<readonly number[]> =>
      this.#jobs.getCounts(['prioritized', 'delayed'], now + 1)
    const [total = 0, due = 0] = await count()
    if (due === 0) return total
    const [ids = []] = await this.#jobs.getRanges(
      ['delayed'],
      0,
      Math.min(due, MOST_PROMOTED) - 1,
      true,
    )
    await Promise.all(ids.map((id) => this.#jobs.promote(id).catch(ignoreRefusal)))
    const [after = 0] = await count()
    return after
  }

  /** The index of the first job whose line comes after `last`. */
  async #after(last: string, total: number): Promise<number> {
    let [low, high] = [0, total]
    while (low < high) {
      const step = Math.ceil((high - low) / PROBES)
      const indexes: number[] = []
      for (let index = low; index < high; index += step) indexes.push(index)
      const lines = await Promise.all(indexes.map((index) => this.#lineAt(index)))
      const first = lines.findIndex((line) => line > last)
      const [after, before] =
        first === -1 ? [high, indexes.at(-1)] : [indexes[first] ?? high, indexes[first - 1]]
      low = before === undefined ? low : before + 1
      high = first === 0 ? low : after
    }
    return low
  }

  async #lineAt(index: number): Promise<string> {
    const [job] = await this.#page(index, 1)
    return job?.share ?? ''
  }

  async #page(start: number, limit: number): Promise<readonly WaitingJob[]> {
    const [ids = []] = await this.#jobs.getRanges(['prioritized'], start, start + limit - 1, true)
    const jobs = await Promise.all(ids.map((id) => this.#jobs.getJobData(id)))
    // A job without a priority was taken since.
    return ids.flatMap((id, i) =>
      jobs[i] ? [{ id, share: lineName(jobs[i].priority ?? NO_LINE) }] : [],
    )
  }

  /** Returns the end of the line that contains the last job of a page. */
  async #nextLine(page: readonly WaitingJob[], start: number, end: number): Promise<number> {
    const last = page.at(-1)
    if (!last) return end
    const begins = start + page.findIndex(({ share }) => share === last.share)
    const [length = 0] = await this.#jobs.getCountsPerPriority([Number(last.share)])
    return Math.max(begins + length, start + page.length)
  }
}

/**
 * True if BullMQ refused because a job is no longer in its earlier state. Only its own refusals
 * have numbers.
 */
export function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'number'
}

/** Ignores a refusal and rethrows any other error. */
export function ignoreRefusal(error: unknown): void {
  if (!isRefusal(error)) throw error
}
