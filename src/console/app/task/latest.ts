import { useRef } from 'preact/hooks'
import type { Task } from '../../../client.ts'
import { systemClock } from '../../../defaults/system-clock.ts'
import { useAnswer } from '../parts/ask.ts'
import { can, client } from '../session.ts'
import { KnownFacts } from './facts.ts'
import type { FactSource, TaskFacts } from './facts.ts'

/** Runs that one request asks for: most tasks of a screen have run among them. */
const LATEST = 100

/** Reads what the tasks of a list did last, and when they run next. */
export function useLatest(tasks: readonly Task[]): (task: Task) => TaskFacts {
  const facts = useRef(new KnownFacts())
  // Its answer draws the list again.
  useAnswer(
    async (left) => {
      if (tasks.length > 0) await facts.current.read(tasks, sourceUntil(left))
      return { tasks }
    },
    [tasks],
  )
  return (task) => facts.current.of(task)
}

function sourceUntil(signal: AbortSignal): FactSource {
  const { executions, tasks } = client.value
  return {
    async latest() {
      if (!can('executions:read')) return null
      const { items, nextCursor } = await executions.list({ limit: LATEST }, { signal })
      return { runs: items, isAll: nextCursor === null }
    },
    async lastOf(task) {
      const { items } = await executions.listOfTask(task, { limit: 1 }, { signal })
      return items[0] ?? null
    },
    async nextOf(task) {
      const { nextRuns } = await tasks.schedule(task, { signal })
      return nextRuns[0] ?? null
    },
    now: () => systemClock.now(),
  }
}
