import type { Execution } from '../../../client.ts'
import { systemClock } from '../../../defaults/system-clock.ts'
import { AGAIN_MS } from '../away.ts'
import { isOffline, readProblemOf } from '../parts/problem.ts'
import { client } from '../session.ts'

/** Interval, in ms, at which a working run is read. */
const ASK_MS = 10_000

/** The watcher of a run, until `signal` aborts. */
export interface RunWatch {
  readonly signal: AbortSignal
  readonly onState: (state: Execution) => void
  /** Called if there is no answer, or no events. The next state means that this is over. */
  readonly onLost: (message: string) => void
}

/** Follows a run by its events. It also reads the run now and then, in case events fail. */
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
      onLost(readProblemOf(error))
      if (!isOffline(error)) return
      // A proxy may end each stream at once.
      await systemClock.sleep(AGAIN_MS, signal)
    }
}

/** Waiting for events gives no error, even if the server cannot be reached. Reading the run does. */
async function askForRun(id: string, { signal, onState, onLost }: RunWatch): Promise<void> {
  for (;;) {
    await systemClock.sleep(ASK_MS, signal)
    try {
      const state = await client.value.executions.get(id)
      if (!signal.aborted) onState(state)
    } catch (error) {
      if (!signal.aborted) onLost(readProblemOf(error))
    }
  }
}

/** Time, in ms, over which the speed of a working run is measured. */
const RECENT_MS = 60_000

/** Pages that a run had visited at a time, in Unix ms. */
export interface VisitCount {
  readonly time: number
  readonly pages: number
}

/**
 * The counts of the last minute, with the next one added. Equal numbers also count, because a
 * stalled run becomes slower.
 */
export function recentCounts(counts: readonly VisitCount[], next: VisitCount): VisitCount[] {
  return [...counts.filter(({ time }) => next.time - time <= RECENT_MS), next]
}

/** Pages a second from the first to the last count. `null`: not known. */
export function speedOf(counts: readonly VisitCount[]): number | null {
  const [first, last] = [counts[0], counts.at(-1)]
  if (first === undefined || last === undefined || !(last.time > first.time)) return null
  return ((last.pages - first.pages) * 1_000) / (last.time - first.time)
}

/** The pages a second of an ended run, breaks included. `null`: it has never begun. */
export function wholeSpeed({
  startedAt,
  finishedAt,
  counters,
}: Pick<Execution, 'startedAt' | 'finishedAt' | 'counters'>): number | null {
  const time = (text: string | null) => Date.parse(text ?? '')
  const from = { time: time(startedAt), pages: 0 }
  return speedOf([from, { time: time(finishedAt), pages: counters.visited }])
}

/**
 * The later of two states of a run. If neither is later, the first one. The time of a state is that
 * of its status. Within one status, the number of pages decides.
 */
export function newest(state: Execution, other: Execution | null): Execution {
  if (other === null || state.updatedAt > other.updatedAt) return state
  const isOlder =
    state.updatedAt < other.updatedAt || state.counters.visited < other.counters.visited
  return isOlder ? other : state
}
