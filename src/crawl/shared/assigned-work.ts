import type { ReportRecord, Assignment } from '../../features/executions/crawl-records.ts'
import type { TakenMedia, WantedMedia } from '../../features/media/records.ts'
import type { FrontierRecord } from '../../features/executions/records.ts'
import type { EndedAssignment } from './assignments.ts'
import { NO_MEDIA } from '../media/media-taker.ts'
import type { Peer } from './peers.ts'
import type { VisitOutcome } from '../visit/outcome.ts'

/** Does the work in this process that helpers can do as well. */
export interface LocalWork {
  /** Visits a page, whose request is reserved. */
  readonly visit: (entry: FrontierRecord, signal: AbortSignal) => Promise<VisitOutcome>
  /** Fetches and keeps media, whose request is reserved. */
  readonly fetch: (media: WantedMedia, signal: AbortSignal) => Promise<TakenMedia>
}

/** A visit or a fetch of a run, done in any process. */
export interface AssignedWork {
  readonly id: string
  readonly url: string
  /** The assignment for a helper. */
  readonly assignment: Assignment
  /** Does the work in this process, when its request is reserved, and returns the answer to the run. */
  readonly here: (signal: AbortSignal) => Promise<void>
  /** Returns the answer from a helper's report to the run. */
  readonly there: (report: ReportRecord, assignment: EndedAssignment) => void
  readonly fail: (error: unknown) => void
  /** The only peer that may do the work. Absent: any peer may. */
  readonly only?: Peer
}

/** Work, and its answer. */
export interface AssignedResult<T> {
  readonly work: AssignedWork
  readonly answer: Promise<T>
}

interface Kind<T> extends Pick<AssignedWork, 'id' | 'url' | 'assignment'> {
  readonly here: (signal: AbortSignal) => Promise<T>
  readonly there: (report: ReportRecord, assignment: EndedAssignment) => T
}

/** The id of the assignment to visit a page. */
export function pageAssignmentId(seq: number): string {
  return String(seq)
}

/** Creates the assignment to visit a page. */
export function pageAssignment(
  entry: FrontierRecord,
  { visit }: Pick<LocalWork, 'visit'>,
): AssignedResult<VisitOutcome> {
  return ask({
    id: pageAssignmentId(entry.seq),
    url: entry.url,
    assignment: { entry },
    here: (signal) => visit(entry, signal),
    there: ({ number, done }, assignment) => {
      if (!('page' in done))
        throw new Error(
          'A helper answered the assignment of a page with something other than a page',
        )
      return { ...done.page, entry, media: NO_MEDIA, assignment: { ...assignment, report: number } }
    },
  })
}

/** Creates the assignment to fetch and store media. */
export function mediaAssignment(
  id: string,
  media: WantedMedia,
  local: Pick<LocalWork, 'fetch'>,
): AssignedResult<TakenMedia> {
  return ask({
    id,
    url: media.url,
    assignment: { media },
    here: (signal) => local.fetch(media, signal),
    there: ({ done }) => {
      if (!('media' in done) || done.media === null)
        throw new Error('A helper could not keep an item of media')
      return done.media
    },
  })
}

function ask<T>({ here, there, ...work }: Kind<T>): AssignedResult<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  return {
    answer: promise,
    work: {
      ...work,
      here: async (signal) => resolve(await here(signal)),
      there: (report, assignment) => {
        try {
          resolve(there(report, assignment))
        } catch (error) {
          reject(error)
        }
      },
      fail: reject,
    },
  }
}
