import type { KeyPart } from '../kernel/key.ts'
import type { Lane } from '../ports/queue.ts'
import { SYSTEM } from '../records/collection.ts'
import type { IndexedRecord, Stored } from '../records/collection.ts'
import { SUSPECTS } from '../records/core.ts'
import type { CoreRecords, JobRecord } from '../records/core.ts'

/**
 * Maximum number of share lines that one search reads. So its cost does not grow with the number of
 * shares.
 */
const MOST_READS = 12
/** After every time. */
const END = Number.MAX_SAFE_INTEGER

/**
 * The jobs, and the index positions of jobs that moved during the read, because others may be due
 * then.
 */
export interface ReadJobs {
  readonly jobs: Stored<JobRecord>[]
  readonly moved: readonly string[]
}

/**
 * The index of waiting jobs. Jobs that are not due yet or have a consumer are ordered by time; due
 * jobs are in one line per share.
 */
export class QueueLines {
  readonly #jobs: CoreRecords['jobs']

  constructor({ jobs }: Pick<CoreRecords, 'jobs'>) {
    this.#jobs = jobs
  }

  /** The first `limit` jobs of a lane by time, due or not. A job whose lease has ended is due. */
  async byTime(lane: Lane, limit: number): Promise<ReadJobs> {
    return this.#jobsOf(await this.#jobs.listBy('due', SYSTEM, { within: [lane], limit }))
  }

  /**
   * Up to `limit` jobs of a lane by time, after a position. `last`: the position to continue after.
   * `null`: there are no more jobs.
   */
  async byTimeAfter(
    lane: Lane,
    after: readonly KeyPart[],
    limit: number,
  ): Promise<ReadJobs & { readonly last: readonly KeyPart[] | null }> {
    const entries = await this.#jobs.listBy('due', SYSTEM, { within: [lane], after, limit })
    const last = entries.length < limit ? null : (entries.at(-1)?.position ?? null)
    return { ...this.#jobsOf(entries), last }
  }

  /**
   * Due jobs from up to `places` shares: the first `places` jobs of each line that was read. The
   * search starts with the share after `last` and wraps around. Each read covers one line, so the
   * length of other lines does not matter.
   */
  async ready(lane: Lane, places: number, last: string | null): Promise<ReadJobs> {
    const jobs: IndexedRecord<JobRecord>[] = []
    const shares = new Set<string>()
    let after = last === null ? undefined : [lane, last, END]
    let isRound = last === null
    for (let reads = 0; reads < MOST_READS && shares.size < places; reads++) {
      // After wrapping around, the search ends with the line of `last`.
      const until = isRound && last !== null ? { before: [lane, last, END] } : {}
      const page = await this.#jobs.listBy('ready', SYSTEM, {
        within: [lane],
        limit: places,
        ...until,
        ...(after && { after }),
      })
      jobs.push(...page)
      for (const { record } of page) shares.add(record.value.share ?? '')
      const end = page.at(-1)?.position[1]
      if (page.length === places && end !== undefined && end !== last) after = [lane, end, END]
      else if (isRound) break
      else {
        isRound = true
        after = undefined
      }
    }
    return this.#jobsOf(jobs)
  }

  /** The suspect with the fewest lost workers. If several have the same number, the oldest. */
  async suspect(): Promise<ReadJobs> {
    return this.#jobsOf(await this.#jobs.listBy('ready', SYSTEM, { within: [SUSPECTS], limit: 1 }))
  }

  /** A job that moved since the index was read is left to another consumer or to the next poll. */
  #jobsOf(records: readonly IndexedRecord<JobRecord>[]): ReadJobs {
    const jobs: Stored<JobRecord>[] = []
    const moved: string[] = []
    for (const { record, position } of records) {
      if (
        this.#positionsOf(record.value).some((expected) =>
          isSame(expected, position, record.id.length),
        )
      )
        jobs.push(record)
      else moved.push(position.join('/'))
    }
    return { jobs, moved }
  }

  #positionsOf(value: JobRecord): readonly (readonly (string | number)[])[] {
    return Object.values(this.#jobs.spec.indexes ?? {}).flatMap((positionsOf) => positionsOf(value))
  }
}

function isSame(
  expected: readonly (string | number)[],
  position: readonly (string | number)[],
  idParts: number,
): boolean {
  return (
    expected.length === position.length - idParts &&
    expected.every((part, i) => part === position[i])
  )
}
