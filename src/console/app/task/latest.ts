import type { Execution, Task } from '../../../client.ts'
import { useAnswer } from '../parts/ask.ts'
import { can, client } from '../session.ts'

/** Runs that one request asks for: most tasks of a screen have run among them. */
const LATEST = 100
/** Tasks that are asked about one by one: the rate of an account allows no more. */
const MOST_ASKED = 20

/** What a task did last, and when it runs next. */
export interface TaskFacts {
  /** `null`: it has not run; `undefined`: not known. */
  readonly last: Execution | null | undefined
  /** `null`: it does not run by itself; `undefined`: not known. */
  readonly next: string | null | undefined
}

/** Reads what the tasks of a list did last, and when they run next. */
export function useLatest(tasks: readonly Task[]): (task: Task) => TaskFacts {
  const facts = useAnswer((left) => factsOf(tasks, left), [tasks])
  return ({ id }) => facts.value?.get(id) ?? { last: undefined, next: undefined }
}

async function factsOf(
  tasks: readonly Task[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, TaskFacts>> {
  if (tasks.length === 0) return new Map()
  const { executions, tasks: api } = client.value
  const runs = can('executions:read')
    ? await executions.list({ limit: LATEST }, { signal })
    : { items: [], nextCursor: '' }
  const lastOf = (id: string): Execution | null | undefined =>
    runs.items.find(({ taskId }) => taskId === id) ?? (runs.nextCursor === null ? null : undefined)
  const unknown = can('executions:read')
    ? tasks.filter(({ id }) => lastOf(id) === undefined).slice(0, MOST_ASKED)
    : []
  const planned = tasks
    .filter(({ status, schedule }) => status === 'active' && schedule !== null)
    .slice(0, MOST_ASKED)
  const [older, times] = await Promise.all([
    Promise.all(
      unknown.map(async ({ id }) => {
        const { items } = await executions.listOfTask(id, { limit: 1 }, { signal })
        return [id, items[0] ?? null] as const
      }),
    ),
    Promise.all(
      planned.map(async ({ id }) => {
        const { nextRuns } = await api.schedule(id, { signal })
        return [id, nextRuns[0] ?? null] as const
      }),
    ),
  ])
  const [olderOf, nextOf] = [new Map(older), new Map(times)]
  return new Map(
    tasks.map(({ id, status, schedule }) => [
      id,
      {
        last: olderOf.has(id) ? olderOf.get(id) : lastOf(id),
        next: status !== 'active' || schedule === null ? null : nextOf.get(id),
      },
    ]),
  )
}
