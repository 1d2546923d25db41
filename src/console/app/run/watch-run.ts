import type { Execution } from '../../../client.ts'
import { systemClock } from '../../../defaults/system-clock.ts'
import { AGAIN_MS } from '../parts/ask.ts'
import { isOffline, problemOf } from '../parts/problem.ts'
import { client } from '../session.ts'

/** How long a run that works is left without a question, in ms. */
const ASK_MS = 10_000

/** Who watches a run, until `signal` aborts. */
export interface RunWatch {
  readonly signal: AbortSignal
  readonly onState: (state: Execution) => void
  /** No answer, or no events. The next state says that this is over. */
  readonly onLost: (message: string) => void
}

/** Follows a run by its events, and asks for it now and then, whatever goes wrong. */
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

/** Events are waited for in silence, also from a server that is away: a question fails then. */
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
 * The later of two states of a run, else the first one. The time of a state is that of its status:
 * within one, the pages tell.
 */
export function newest(state: Execution, other: Execution | null): Execution {
  if (other === null || state.updatedAt > other.updatedAt) return state
  const isOlder =
    state.updatedAt < other.updatedAt || state.counters.visited < other.counters.visited
  return isOlder ? other : state
}
