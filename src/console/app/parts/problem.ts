import { signal } from '@preact/signals'
import { SeineError } from '../../../client.ts'
import { words } from '../words.ts'

/** An error to show. */
export interface Problem {
  readonly message: string
  readonly issues: readonly { readonly path: string; readonly message: string }[]
}

/** True once the server has refused the key or the session of this tab. */
export const isSignedOut = signal(false)

/** An error of the API, or that the server does not answer. */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof SeineError) || error.status === 0)
    return { message: words.errors.offline, issues: [] }
  if (error.status === 401) isSignedOut.value = true
  // A suspended account is 403, too, and no other key would help.
  const needed = error.scope === null ? '' : ` ${words.errors.scope}`
  return { message: error.message + needed, issues: error.issues }
}

/**
 * The message for somebody who is not let in. `null`: the server does not know the key, or nobody
 * has signed in yet. Any other error says nothing about the key.
 */
export function entryProblemOf(error: unknown): string | null {
  return error instanceof SeineError && error.status === 401 ? null : problemOf(error).message
}

/**
 * Statuses for: no answer, a proxy whose server cannot be reached or does not answer, and a server
 * that cannot work now.
 */
const OFFLINE = [0, 502, 503, 504]

/** True if the same call may be answered later. */
export function isOffline(error: unknown): boolean {
  return !(error instanceof SeineError) || OFFLINE.includes(error.status)
}
