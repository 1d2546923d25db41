import { FIRST_LARGE } from '../../records/paginate.ts'
import type { ListPage } from '../common/list-page.ts'
import { listRecords } from '../common/list-records.ts'
import { isoTime } from '../common/time.ts'
import { byId } from '../common/timed-records.ts'
import type { IndexRange } from '../common/timed-records.ts'
import type { Core } from '../core.ts'
import type { ScheduleRecord } from '../schedules/records.ts'
import { timetableOf } from '../schedules/service.ts'
import type { TaskRecord, TaskStatus } from './records.ts'
import { taskOf } from './task.ts'
import type { ListedTask, TaskQuery } from './task.ts'

const STATUSES: readonly TaskStatus[] = ['active', 'paused', 'archived']

/** The indexes by which the tasks of a list are counted. */
function countIn({ status, label, q }: TaskQuery): readonly IndexRange[] | undefined {
  if (q !== undefined || (status !== undefined && label !== undefined)) return undefined
  if (label !== undefined) return [{ index: 'label', within: [label] }]
  return (status === undefined ? STATUSES : [status]).map((state) => ({
    index: 'status',
    within: [state],
  }))
}

/** Lists the tasks of an account, each with its next run. */
export function listTasks(
  core: Core,
  account: string,
  query: TaskQuery,
): Promise<ListPage<ListedTask>> {
  const { status, label, q } = query
  const words = q?.toLowerCase()
  const isFiltered = status !== undefined || label !== undefined || words !== undefined
  return listRecords(core, {
    account,
    operation: 'tasks.list',
    query,
    filter: [status ?? null, label ?? null, words ?? null],
    source: {
      collection: core.records.tasks,
      keys: byId('task'),
      timeOf: ({ createdAt }) => createdAt,
      ...(label !== undefined
        ? { index: 'label', within: [label] }
        : status !== undefined && { index: 'status', within: [status] }),
      countIn: countIn(query),
    },
    firstRead: FIRST_LARGE,
    ...(isFiltered && {
      keep: (task: TaskRecord) =>
        (status === undefined || task.status === status) &&
        (label === undefined || task.labels.includes(label)) &&
        (words === undefined || task.name.toLowerCase().includes(words)),
    }),
    show: (tasks) => withNextRuns(core, account, tasks),
  })
}

/** Reads the schedules of all tasks at once. */
async function withNextRuns(
  { records, clock }: Core,
  account: string,
  tasks: readonly TaskRecord[],
): Promise<ListedTask[]> {
  const planned = tasks.filter(({ schedule, status }) => schedule && status === 'active')
  const schedules = await records.schedules.getMany(
    account,
    planned.map(({ id }) => [id]),
  )
  const byTask = new Map(planned.map(({ id }, index) => [id, schedules[index]?.value]))
  const now = clock.now()
  return Promise.all(
    tasks.map(async (task) => ({
      ...taskOf(task),
      nextRunAt: await nextRunOf(task, byTask.get(task.id), now),
    })),
  )
}

async function nextRunOf(
  { schedule }: TaskRecord,
  state: ScheduleRecord | undefined,
  now: number,
): Promise<string | null> {
  if (!schedule || !state) return null
  // If the time has passed, it waits for a worker, and the next time comes after it.
  const [next = null] =
    state.nextAt > now ? [state.nextAt] : (await timetableOf(schedule)).following(now, 1)
  return next === null ? null : isoTime(next)
}
