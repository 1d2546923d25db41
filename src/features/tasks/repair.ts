import type { ParsedRecipe } from '../../engine/recipe/parse-recipe.ts'
import { badRequest, conflict, notFound, PlatformError } from '../../kernel/errors.ts'
import type { Principal } from '../../kernel/http/route.ts'
import type { Json } from '../../kernel/json.ts'
import type { Change } from '../../records/change.ts'
import type { Stored } from '../../records/collection.ts'
import { emitEvent } from '../common/events.ts'
import { isoTime } from '../common/time.ts'
import type { ExecutionRecord, RelocationRecord } from '../executions/records.ts'
import type { Recipes } from '../recipes/service.ts'
import { takeRecipe } from '../recipes/service.ts'
import type { Records } from '../records.ts'
import type { TaskRecord } from './records.ts'
import { isRepaired, repairedRecipe } from './repaired-recipe.ts'

/** Confidence from which a proposal is put into the recipe of a task with `drift: "repair"`. */
const SURE = 0.9

/** The proposal that a caller applies. */
export interface RepairInput {
  /** The execution that drifted. */
  readonly executionId: string
  /** Columns whose proposals are applied. Absent: all that have one. */
  readonly fields?: readonly string[]
}

/** Dependencies of {@link addRelocation}. */
interface RepairOptions {
  readonly records: Records
  readonly recipes: Recipes
}

/**
 * Adds the result of a search for drifted values to a commit, with its event. If the task has
 * `drift: "repair"` and its recipe is still the one that drifted, the same commit puts the
 * proposals with enough confidence into the recipe.
 */
export async function addRelocation(
  { records, recipes }: RepairOptions,
  change: Change,
  account: string,
  execution: Stored<ExecutionRecord>,
  relocation: RelocationRecord,
): Promise<void> {
  const { id, taskId } = execution.value
  const { at } = relocation
  const task = taskId === null ? null : await records.tasks.get(account, taskId)
  const repair =
    task?.value.drift === 'repair' && task.value.status !== 'archived'
      ? repairedRecipe(task.value.recipe, relocation, ({ confidence }) => confidence >= SURE)
      : null
  const recipe = repair && (await admitted(recipes, repair.recipe))
  emitEvent(records, change, {
    account,
    type: 'task.relocation',
    id: `evt_${id}_relocation`,
    at,
    data: { taskId, executionId: id, ...eventOf(relocation) },
    taskId,
  })
  if (!task || !repair || !recipe) {
    records.executions.update(change, account, execution, { ...execution.value, relocation })
    return
  }
  records.tasks.update(change, account, task, {
    ...task.value,
    recipe: recipe.written,
    updatedAt: at,
  })
  addRepaired(records, change, account, execution, relocation, repair.fields, 'drift', at)
}

/** The repaired recipe, or `null` if this platform would not run it. */
async function admitted(recipes: Recipes, recipe: Json): Promise<ParsedRecipe | null> {
  try {
    const parsed = takeRecipe(recipe)
    await recipes.admitSaved(parsed)
    return parsed
  } catch (error) {
    if (error instanceof PlatformError) return null
    throw error
  }
}

/**
 * Adds a repair that a caller asks for to a commit, except the task itself.
 *
 * @returns `null` if the task's recipe already has all of the proposal
 * @throws {PlatformError} 404 for an execution of another task; 409 without a proposal, and if the
 *   recipe has changed since
 */
export async function addRepair(
  { records, recipes }: RepairOptions,
  change: Change,
  { account }: Pick<Principal, 'account'>,
  task: TaskRecord,
  { executionId, fields }: RepairInput,
  now: number,
): Promise<TaskRecord | null> {
  const execution = await records.executions.get(account, executionId)
  if (execution?.value.taskId !== task.id) throw notFound('Execution')
  const { relocation } = execution.value
  if (!relocation || relocation.status === 'none')
    throw conflict(
      `The execution proposes no repair${relocation?.reason ? `: ${relocation.reason.message}` : ''}`,
    )
  const unknown = fields?.findIndex(
    (field) =>
      !relocation.fields.some(
        (relocated) => relocated.field === field && relocated.proposal !== null,
      ),
  )
  if (unknown !== undefined && unknown >= 0)
    throw badRequest([{ path: `fields.${unknown}`, message: 'has no proposal' }])
  const chosen = { ...relocation, fields: relocation.fields.filter(isIn(fields)) }
  if (isRepaired(task.recipe, chosen)) return null
  if (task.status === 'archived')
    throw conflict('The task is archived for good; make a new task of its recipe')
  const repair = repairedRecipe(task.recipe, chosen, () => true)
  if (repair === null)
    throw conflict(
      "The task's recipe has changed since the execution: it no longer has the sources that drifted",
    )
  const recipe = takeRecipe(repair.recipe)
  await recipes.admitSaved(recipe)
  addRepaired(records, change, account, execution, relocation, repair.fields, 'request', now)
  return { ...task, recipe: recipe.written, updatedAt: now }
}

function isIn(fields: readonly string[] | undefined) {
  return ({ field }: { readonly field: string }): boolean =>
    fields === undefined || fields.includes(field)
}

/** Marks a proposal as applied, and emits the event. */
function addRepaired(
  records: Records,
  change: Change,
  account: string,
  execution: Stored<ExecutionRecord>,
  relocation: RelocationRecord,
  fields: readonly string[],
  by: 'drift' | 'request',
  time: number,
): void {
  const { id, taskId } = execution.value
  records.executions.update(change, account, execution, {
    ...execution.value,
    relocation: { ...relocation, status: 'repaired', repairedAt: time },
  })
  emitEvent(records, change, {
    account,
    type: 'task.repaired',
    id: `evt_${id}_repaired_${time}`,
    at: time,
    data: { taskId, executionId: id, by, fields },
    taskId,
  })
}

/** The part of a proposal that is in the event. Samples are left out, because they may be large. */
function eventOf({ status, reason, items, fields, at }: RelocationRecord): {
  [name: string]: Json
} {
  return {
    status,
    reason: reason && { code: reason.code, message: reason.message },
    items: items && { source: items.source, proposal: items.proposal },
    fields: fields.map(({ field, source, proposal, pages, hits, confidence }) => ({
      field,
      source,
      proposal,
      pages,
      hits,
      confidence,
    })),
    at: isoTime(at),
  }
}
