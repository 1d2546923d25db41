import type { Execution } from '../../../client.ts'
import { figure, Listing, State, timeOf, To } from './show.tsx'
import type { ListColumn } from './show.tsx'
import type { LongList } from './ask.ts'
import { words } from '../words.ts'

const START: ListColumn<Execution> = {
  name: words.runs.started,
  cell: ({ id, startedAt, createdAt }) => (
    <To screen="run" query={{ id }}>
      {timeOf(startedAt ?? createdAt)}
    </To>
  ),
}
const TASK: ListColumn<Execution> = {
  name: words.runs.task,
  cell: ({ taskId, templateId }) =>
    taskId === null ? (
      (templateId ?? words.runs.withoutTask)
    ) : (
      <To screen="task" query={{ id: taskId }}>
        {taskId.slice(0, 16)}…
      </To>
    ),
}
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
  withTask = true,
}: {
  readonly list: LongList<Execution>
  readonly empty: string
  /** False: all are of the task that the reader looks at. */
  readonly withTask?: boolean
}) {
  return (
    <Listing
      caption={words.runs.title}
      items={list.items}
      hasMore={list.hasMore}
      isBusy={list.isBusy}
      onMore={list.more}
      empty={<p>{empty}</p>}
      columns={[START, ...(withTask ? [TASK] : []), ...OTHERS]}
    />
  )
}
