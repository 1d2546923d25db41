import type { Execution } from '../../../client.ts'
import { Listing } from './listing.tsx'
import type { ListColumn } from './listing.tsx'
import { figure, State, timeOf, To } from './show.tsx'
import { useAnswer } from './ask.ts'
import type { LongList } from './ask.ts'
import { can, client } from '../session.ts'
import { words } from '../words.ts'

const START: ListColumn<Execution> = {
  name: words.runs.started,
  cell: ({ id, startedAt, createdAt }) => (
    <To screen="run" query={{ id }}>
      {timeOf(startedAt ?? createdAt)}
    </To>
  ),
}
/** Maximum number of tasks whose names are read. Runs of other tasks are shown with ids. */
const MOST_NAMES = 100

/** Names of tasks by id. */
export type TaskNames = ReadonlyMap<string, string>

const NO_NAMES: TaskNames = new Map()

/** Reads the names of the tasks, once for all lists of a screen. */
export function useTaskNames(isWanted = true): TaskNames {
  const names = useAnswer(async () => {
    if (!isWanted || !can('tasks:read')) return NO_NAMES
    const { items } = await client.value.tasks.list({ limit: MOST_NAMES })
    return new Map(items.map(({ id, name }) => [id, name]))
  }, [isWanted])
  return names.value ?? NO_NAMES
}

const taskColumn = (names: TaskNames): ListColumn<Execution> => ({
  name: words.runs.task,
  cell: ({ taskId, templateId }) =>
    taskId === null ? (
      (templateId ?? words.runs.withoutTask)
    ) : (
      <To screen="task" query={{ id: taskId }}>
        {names.get(taskId) ?? `${taskId.slice(0, 16)}…`}
      </To>
    ),
})
const OTHERS: readonly ListColumn<Execution>[] = [
  { name: words.runs.status, cell: ({ status }) => <State state={status} /> },
  { name: words.runs.pages, isNumber: true, cell: ({ counters }) => figure(counters.visited) },
  { name: words.runs.rows, isNumber: true, cell: ({ counters }) => figure(counters.rows) },
  {
    name: words.runs.failed,
    isNumber: true,
    cell: ({ counters }) => figure(counters.failed + counters.blocked),
  },
  { name: words.runs.credits, isNumber: true, cell: ({ cost }) => figure(cost.credits) },
]

/** Runs in a table. */
export function RunList({
  list,
  empty,
  names,
  caption = words.runs.title,
}: {
  readonly list: LongList<Execution>
  readonly empty: string
  /** Absent: all runs are of the task on the screen. */
  readonly names?: TaskNames
  /** The name of the list, for readers who do not see the heading above. */
  readonly caption?: string
}) {
  return (
    <Listing
      caption={caption}
      list={list}
      empty={<p>{empty}</p>}
      columns={[START, ...(names ? [taskColumn(names)] : []), ...OTHERS]}
    />
  )
}
