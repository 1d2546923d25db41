import type { Execution } from '../../../client.ts'
import { systemClock } from '../../../defaults/system-clock.ts'
import { AGAIN_MS } from '../parts/ask.ts'
import { isOffline, problemOf } from '../parts/problem.ts'
import { client } from '../session.ts'

/** Interval, in ms, at which a working run is read. */
const ASK_MS = 10_000

/** The watcher of a run, until `signal` aborts. */
export interface RunWatch {
  readonly signal: AbortSignal
  readonly onState: (state: Execution) => void
  /** No answer, or no events. The next state says that this is over. */
  readonly onLost: (message: string) => void
}

/** Follows a run by its events, and also reads it now and then, in case events fail. */
export async function watchRun(id: string, watch: RunWatch): Promise<void> {
  await Promise.all([followRun(id, watch), askForRun(id, watch)]).catch(() => undefined)
}

/** Rejects when the watch ends. */
async function followRun(id: string, { signal, onState, onLost }: RunWatch): Promise<void> {
  for (;;)
    try {
      for await (const state of client.value.executions.follow(id, { signal })) onState(state)
      return
    } catch (error) {
      signal.throwIfAborted()
      onLost(problemOf(error).message)
      if (!isOffline(error)) return
      // A proxy may end each stream at once.
      await systemClock.sleep(AGAIN_MS, signal)
    }
}

/** Waiting for events raises no error, even if the server cannot be reached. Reading the run does. */
async function askForRun(id: string, { signal, onState, onLost }: RunWatch): Promise<void> {
  for (;;) {
    await systemClock.sleep(ASK_MS, signal)
    try {
      const state = await client.value.executions.get(id)
      if (!signal.aborted) onState(state)
    } catch (error) {
      if (!signal.aborted) onLost(problemOf(error).message)
    }
  }
}

/**
 * The later of two states of a run, else the first one. The time of a state is that of its status.
 * Within one status, the number of pages decides.
 */
export function newest(state: Execution, other: Execution | null): Execution {
  if (other === null || state.updatedAt > other.updatedAt) return state
  const isOlder =
    state.updatedAt < other.updatedAt || state.counters.visited < other.counters.visited
  return isOlder ? other : state
}
