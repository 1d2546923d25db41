import { busy } from '../kernel/errors.ts'
import type { Clock } from '../ports/clock.ts'

/** Number of attempts at a commit that conflicts with others. */
const CONFLICT_TRIES = 20
/** Number of attempts at a record that all requests of one caller write, in all processes. */
export const CROWDED_TRIES = 100
/**
 * Number of attempts at work that throws, for example because the store cannot be reached for a
 * moment.
 */
const FAILURE_TRIES = 3
/** Pause after the first failure, in ms; after the second it is twice as long. */
const PAUSE_MS = 200

/**
 * Calls `attempt` until its commit succeeds. `attempt` reads the current records each time, and
 * gives `null` or `false` if another commit has changed one of them since.
 *
 * @returns `null` if every attempt conflicted
 */
export async function retryConflicts<T extends object | string | true>(
  attempt: () => Promise<T | null | false>,
  tries = CONFLICT_TRIES,
): Promise<T | null> {
  for (let tried = 0; tried < tries; tried++) {
    const done = await attempt()
    if (done) return done
  }
  return null
}

/**
 * The same for a request of a caller, who gets an error after the last attempt. `subject` is the
 * subject of its message, such as `The task`.
 *
 * @throws {PlatformError} 409 if every attempt conflicted; a retry soon may succeed
 */
export async function retryOrBusy<T extends object | string | true>(
  subject: string,
  attempt: () => Promise<T | null | false>,
): Promise<T> {
  const done = await retryConflicts(attempt)
  if (done === null) throw busy(`${subject} is being changed by others; try again`)
  return done
}

/**
 * Calls `work` again if it throws, after a pause that grows. Use it only for work that may run
 * twice, because a commit may succeed although its result is lost.
 *
 * @throws the error of the last attempt
 */
export async function retryFailures<T>(
  clock: Pick<Clock, 'sleep'>,
  work: () => Promise<T>,
  tries = FAILURE_TRIES,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === tries) throw error
    }
    await clock.sleep(PAUSE_MS * attempt)
  }
}
