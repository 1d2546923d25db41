import type { Lane } from '../ports/queue.ts'
import { SYSTEM } from '../records/collection.ts'
import type { IndexedRecord, Stored } from '../records/collection.ts'
import { SUSPECTS } from '../records/core.ts'
import type { CoreRecords, JobRecord } from '../records/core.ts'

/**
 * Looks into the lines of shares that one search makes at most, so that its cost does not grow with
 * their number.
 */
const MOST_LOOKS = 12
/** After every time. */
const END = Number.MAX_SAFE_INTEGER

/**
 * Jobs that were found, and the places in the index of those that were moved while they were read,
 * so that others may be due.
 */
export interface Found {
  readonly jobs: Stored<JobRecord>[]
  readonly moved: readonly string[]
}

/**
 * Where jobs wait: by time those that are not due yet or have a consumer, and in a line for each
 * share those that are due.
 */
export class QueueLines {
  readonly #jobs: CoreRecords['jobs']

  constructor({ jobs }: Pick<CoreRecords, 'jobs'>) {
    this.#jobs = jobs
  }

  /** The first `limit` jobs of a lane by time, due or not; one whose lease has ended is due. */
  async byTime(lane: Lane, limit: number): Promise<Found> {
    return this.#found(await this.#jobs.listBy('due', SYSTEM, { within: [lane], limit }))
  }

  /**
   * Jobs that are due, from as many shares as there are places: the first `places` of each line
   * that was looked at. It begins with the share after `last` and goes round. Each look reads one
   * line, however long the others are.
   */
  async ready(lane: Lane, places: number, last: string | null): Promise<Found> {
    const found: IndexedRecord<JobRecord>[] = []
    const shares = new Set<string>()
    let after = last === null ? undefined : [lane, last, END]
    let isRound = last === null
    for (let looks = 0; looks < MOST_LOOKS && shares.size < places; looks++) {
      // Once round, it ends with the line that it began after.
      const until = isRound && last !== null ? { before: [lane, last, END] } : {}
      const page = await this.#jobs.listBy('ready', SYSTEM, {
        within: [lane],
        limit: places,
        ...until,
        ...(after && { after }),
      })
      found.push(...page)
      for (const { record } of page) shares.add(record.value.share ?? '')
      const end = page.at(-1)?.position[1]
      if (page.length === places && end !== undefined && end !== last) after = [lane, end, END]
      else if (isRound) break
      else {
        isRound = true
        after = undefined
      }
    }
    return this.#found(found)
  }

  /** The suspect that has lost the fewest workers, of these the first to come. */
  async suspect(): Promise<Found> {
    return this.#found(await this.#jobs.listBy('ready', SYSTEM, { within: [SUSPECTS], limit: 1 }))
  }

  /** What has moved since the index was read is for another to take, or for a further look. */
  #found(found: readonly IndexedRecord<JobRecord>[]): Found {
    const jobs: Stored<JobRecord>[] = []
    const moved: string[] = []
    for (const { record, position } of found) {
      if (this.#placesOf(record.value).some((place) => isSame(place, position, record.id.length)))
        jobs.push(record)
      else moved.push(position.join('/'))
    }
    return { jobs, moved }
  }

  #placesOf(value: JobRecord): readonly (readonly (string | number)[])[] {
    return Object.values(this.#jobs.spec.indexes ?? {}).flatMap((placesOf) => placesOf(value))
  }
}

function isSame(
  place: readonly (string | number)[],
  position: readonly (string | number)[],
  idParts: number,
): boolean {
  return (
    place.length === position.length - idParts && place.every((part, i) => part === position[i])
  )
}
