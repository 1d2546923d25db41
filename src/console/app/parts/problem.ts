import { signal } from '@preact/signals'
import { SeineError } from '../../../client.ts'
import { words } from '../words.ts'

/** An error to show. */
export interface Problem {
  readonly message: string
  readonly issues: readonly { readonly path: string; readonly message: string }[]
  /** Repeats the request that had no answer. */
  readonly again?: (() => void) | undefined
}

/** True once the server has refused the key or the session of this tab. */
export const isSignedOut = signal(false)

/** The error that the server returned. `null`: it did not answer. */
export function answeredError(error: unknown): SeineError | null {
  return error instanceof SeineError && error.status !== 0 ? error : null
}

/** An error of the API, or the lack of an answer. `work`: the request to repeat in that case. */
export function problemOf(error: unknown, work?: () => void): Problem {
  const again = isOffline(error) ? work : undefined
  const answer = answeredError(error)
  if (answer === null) return { message: words.errors.unanswered, issues: [], again }
  const { message, scope, issues, status } = answer
  if (status === 401) isSignedOut.value = true
  // A suspended account also gives 403. Its error has no scope, and no other key would help.
  return { message: scope === null ? message : words.errors.needs(scope), issues, again }
}

/** The message for somebody who waits for an answer. */
export function readProblemOf(error: unknown): string {
  return answeredError(error) === null ? words.errors.offline : problemOf(error).message
}

/** The error of a read. `work`: repeats the read if there was no answer. */
export function unreadProblem(error: unknown, work?: () => void): Problem {
  return { ...problemOf(error, work), message: readProblemOf(error) }
}

/**
 * The message for a user who is refused. `null`: the server does not know the key, or nobody has
 * signed in yet. Other errors do not concern the key.
 */
export function entryProblemOf(error: unknown): string | null {
  return answeredError(error)?.status === 401 ? null : readProblemOf(error)
}

/**
 * Statuses for: no answer, a proxy whose server cannot be reached or does not answer, and a server
 * that cannot work now.
 */
export const OFFLINE = [0, 502, 503, 504]

/** True if the same call may succeed later. */
export function isOffline(error: unknown): boolean {
  return !(error instanceof SeineError) || OFFLINE.includes(error.status)
}
