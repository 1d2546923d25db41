import { useRef } from 'preact/hooks'
import type { Execution, Task } from '../../../client.ts'
import { useAnswer } from '../parts/ask.ts'
import { can, client } from '../session.ts'
import { LastRuns } from './last-runs.ts'
import type { RunSource } from './last-runs.ts'

/** Runs that one request asks for: most tasks of a screen have run among them. */
const LATEST = 100

/** Reads the last runs of the tasks of a list. */
export function useLatest(tasks: readonly Task[]): (task: Task) => Execution | null | undefined {
  const runs = useRef(new LastRuns())
  // Its answer draws the list again.
  useAnswer(
    async (left) => {
      if (tasks.length > 0) await runs.current.read(tasks, sourceUntil(left))
      return { tasks }
    },
    [tasks],
  )
  return (task) => runs.current.of(task)
}

function sourceUntil(signal: AbortSignal): RunSource {
  const { executions } = client.value
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
  }
}
