import { MOST_ISSUES, PlatformError, badRequest } from '../../kernel/errors.ts'
import type { Issue } from '../../kernel/errors.ts'
import { Pace } from '../../kernel/pace.ts'
import type { Principal } from '../../kernel/http/route.ts'
import { demandScope } from '../../kernel/preconditions.ts'
import type { EffectWrite, Preconditions } from '../../kernel/preconditions.ts'
import { Change } from '../../records/change.ts'
import type { Core } from '../core.ts'
import type { ParsedRecipe } from '../../engine/recipe/parse-recipe.ts'
import type { Schedule } from '../schedules/records.ts'
import type { TaskRecord } from '../tasks/records.ts'
import type { TaskPatch, Tasks } from '../tasks/service.ts'
import { planImport } from './plan-import.ts'
import type { Planned } from './plan-import.ts'
import type { TaskInFile } from './schema.ts'
import type { TaskFile, TaskImport, TaskImportItem, TaskImportOptions } from './task-file.ts'

/** Maximum number of a webhook's `taskIds`. */
const MOST_OF_WEBHOOK = 100

/** Thrown to end an attempt of a dry run at the point where it would be committed. */
class NotWritten extends Error {
  override readonly name = 'NotWritten'
}

/** Imports a file of tasks; see `TaskFiles.import`. */
export async function importTasks(
  core: Core,
  tasks: Tasks,
  principal: Principal,
  file: TaskFile,
  options: TaskImportOptions,
  preconditions: Preconditions | undefined,
): Promise<TaskImport> {
  const { account } = principal
  const { dryRun = false } = options
  const pace = new Pace()
  const planned = await planImport(core, account, file, options, pace)
  const created = planned.filter(({ old, refused }) => old === null && refused === null).length
  // The count is read before any commit, so that nothing is written from a file with too many
  // tasks.
  if (created > 0) await (await core.holdings.open(account, 'tasks')).add(new Change(), created)

  const items: TaskImportItem[] = []
  const pending = planned.filter(({ refused }) => refused === null)
  for (const task of planned) {
    const isLast = task === pending.at(-1)
    const rest = isLast ? planned.slice(items.length + 1).map((other) => refusedItem(other)) : []
    items.push(
      await importOne(core, tasks, principal, task, dryRun, {
        expect: () => {},
        demanded: (scopes) => preconditions?.demanded(scopes),
        // The commit of the last task contains the answer, so that a retry of the request gets it.
        settle: async (write, item) => {
          if (isLast)
            await preconditions?.settle(write, importOf(dryRun, [...items, item, ...rest]))
        },
        settled: () => (isLast ? preconditions?.settled() : undefined),
      }),
    )
    const rested = pace.step()
    if (rested) await rested
  }
  return importOf(dryRun, items)
}

/** Hooks of the commit of one task. */
interface ItemHooks extends Omit<Preconditions, 'settle'> {
  settle(write: EffectWrite, item: TaskImportItem): Promise<void>
}

async function importOne(
  core: Core,
  tasks: Tasks,
  principal: Principal,
  planned: Planned,
  dryRun: boolean,
  hooks: ItemHooks,
): Promise<TaskImportItem> {
  const { task, old, recipe, name, refused } = planned
  if (task === null || recipe === null || refused !== null) return refusedItem(planned)
  const outcome = old === null ? 'created' : 'updated'
  const item = (taskId: string | null, what: TaskImportItem['outcome'] = outcome) =>
    ({ name, taskId, outcome: what, code: null, issues: [] }) satisfies TaskImportItem
  const commit: Preconditions = {
    expect: () => {},
    demanded: hooks.demanded,
    settled: hooks.settled,
    async settle(write, data) {
      if (!('id' in data) || typeof data.id !== 'string') throw new Error('A task has no id')
      if (dryRun) throw new NotWritten()
      for (const webhook of await lackingWebhooks(core, principal.account, old, task)) {
        const taskIds = [...webhook.value.taskIds, data.id]
        write.check(webhook.key, webhook.version)
        write.set(webhook.key, { ...webhook.value, taskIds, updatedAt: core.clock.now() })
      }
      await hooks.settle(write, item(data.id))
    },
  }
  try {
    const lacking = await lackingWebhooks(core, principal.account, old, task)
    if (lacking.length > 0) demandScope(principal, ['webhooks:write'], hooks)
    const { id: _id, webhookIds: _webhookIds, ...fields } = task
    if (old === null) return item((await tasks.create(principal, { ...fields, recipe }, commit)).id)
    const patch = changesOf(old, fields, recipe)
    if (Object.keys(patch).length === 0 && lacking.length === 0) return item(old.id, 'unchanged')
    return item((await tasks.update(principal, old.id, { name: old.name, ...patch }, commit)).id)
  } catch (error) {
    if (error instanceof NotWritten) return item(old?.id ?? null)
    if (error instanceof PlatformError && error.status < 500)
      return refusedItem({ ...planned, refused: error })
    throw error
  }
}

/** The webhooks that the file names for a task, without those that already name the task. */
async function lackingWebhooks(
  { records }: Core,
  account: string,
  old: TaskRecord | null,
  { webhookIds = [] }: TaskInFile,
) {
  const webhooks = await records.webhooks.getMany(
    account,
    [...new Set(webhookIds)].map((id) => [id]),
  )
  const issues: Issue[] = []
  const lacking = webhooks.flatMap((webhook, index) => {
    const path = `webhookIds.${index}`
    if (webhook === null) {
      const message = 'is not a webhook of this account; create it, or leave it out of the file'
      issues.push({ path, message })
      return []
    }
    const { taskIds } = webhook.value
    if (old !== null && taskIds.includes(old.id)) return []
    if (taskIds.length >= MOST_OF_WEBHOOK)
      issues.push({ path, message: `already names ${MOST_OF_WEBHOOK} tasks, which is the limit` })
    const { version, value } = webhook
    return [{ key: records.webhooks.key(account, webhook.id), version, value }]
  })
  if (issues.length > 0) throw badRequest(issues)
  return lacking
}

/** The fields of a file that differ from the task. */
function changesOf(
  old: TaskRecord,
  fields: Omit<TaskInFile, 'id' | 'webhookIds'>,
  recipe: ParsedRecipe,
): TaskPatch {
  const { name, description, labels, status, schedule, datasetId } = fields
  const isNew = (value: unknown, before: unknown): boolean =>
    value !== undefined && JSON.stringify(value) !== JSON.stringify(before)
  return {
    ...(isNew(name, old.name) && { name }),
    ...(description !== undefined && isNew(description, old.description) && { description }),
    ...(labels !== undefined && isNew([...new Set(labels)], old.labels) && { labels }),
    ...(status !== undefined && isNew(status, old.status) && { status }),
    ...(schedule !== undefined &&
      isNew(partsOf(schedule), partsOf(old.schedule ?? null)) && { schedule }),
    ...(datasetId !== undefined && isNew(datasetId, old.datasetId ?? null) && { datasetId }),
    ...(isNew(recipe.written, old.recipe) && { recipe }),
  }
}

/** The parts of a schedule, in a fixed order for comparison. */
function partsOf(schedule: Schedule | null) {
  return (
    schedule && [
      schedule.cron,
      schedule.timeZone,
      schedule.missed,
      schedule.overlap,
      schedule.params ?? null,
    ]
  )
}

/** Changes the paths of issues to those in the file. */
function refusedItem({ at, name, refused }: Planned): TaskImportItem {
  const { code, message, issues } = refused ?? badRequest([])
  return {
    name,
    taskId: null,
    outcome: 'refused',
    code,
    issues: (issues.length > 0 ? issues : [{ path: '', message }]).map((issue) => ({
      path: issue.path === '' ? `tasks.${at}` : `tasks.${at}.${issue.path}`,
      message: issue.message,
    })),
  }
}

/**
 * The answer. It has at most {@link MOST_ISSUES} issues in all, like the answer for a single task,
 * but at least one for each refused task.
 */
function importOf(dryRun: boolean, items: readonly TaskImportItem[]): TaskImport {
  const counts = { created: 0, updated: 0, unchanged: 0, refused: 0 }
  let left = MOST_ISSUES
  const shown = items.map((item) => {
    counts[item.outcome]++
    const issues = item.issues.slice(0, Math.max(1, left))
    left -= issues.length
    return { ...item, issues }
  })
  return { dryRun, counts, items: shown }
}
