import type { RecipeInput } from '../../engine/recipe/recipe-input.ts'
import { authorityOf } from '../../kernel/url.ts'
import { conflict, notFound, badRequest } from '../../kernel/errors.ts'
import { demandScope } from '../../kernel/preconditions.ts'
import type { Principal } from '../../kernel/http/route.ts'
import type { Scope } from '../../kernel/scope.ts'
import type { Preconditions } from '../../kernel/preconditions.ts'
import { Change } from '../../records/change.ts'
import { retryOrBusy } from '../../records/retry.ts'
import type { Records } from '../records.ts'
import type { Schedule } from '../schedules/records.ts'
import type { RepairInput } from './repair.ts'
import { taskOf } from './task.ts'
import type { ListedTask, Task, TaskQuery } from './task.ts'
import type { DriftPolicy, TaskRecord, TaskStatus } from './records.ts'
import { commitWithPreconditions } from '../common/commit-with-preconditions.ts'
import { withPaths } from '../common/issue-paths.ts'
import { putSchedule, setterOf, timetableOf } from '../schedules/service.ts'
import type { ListPage } from '../common/list-page.ts'
import { takeRecipe } from '../recipes/service.ts'
import type { Recipes } from '../recipes/service.ts'
import type { ParsedRecipe } from '../../engine/recipe/parse-recipe.ts'
import { requireIdle } from '../executions/lifecycle.ts'
import type { Core } from '../core.ts'

/** A new task. Without a name it is named after the host of the first start URL. */
export interface TaskInput {
  readonly name?: string
  readonly recipe: RecipeInput | ParsedRecipe
  readonly description?: string
  readonly labels?: readonly string[]
  /** Default `active`. */
  readonly status?: TaskStatus
  /** `null`: none. */
  readonly schedule?: Schedule | null
  /**
   * The dataset that executions' rows are merged into. Its key fields are columns of the recipe.
   * `null`: none.
   */
  readonly datasetId?: string | null
  /** Handling of drift. Default `report`. */
  readonly drift?: DriftPolicy
}

/** A change of a task. Absent members stay unchanged. */
export type TaskPatch = Partial<TaskInput>

/**
 * Saved recipes of an account. A task of another account is not found. Writes accept
 * {@link Preconditions}.
 */
export interface Tasks {
  /**
   * @throws {PlatformError} 400 for a recipe that cannot be run, and for a schedule that cannot be
   *   read; 403 for a schedule without `executions:write`; 409 if the account has its maximum
   *   number of tasks
   */
  create(principal: Principal, input: TaskInput, preconditions?: Preconditions): Promise<Task>
  /** Newest first, unless `sort` says otherwise. */
  list(principal: Principal, query?: TaskQuery): Promise<ListPage<ListedTask>>
  get(principal: Principal, id: string): Promise<Task>
  /**
   * @throws {PlatformError} 409 for a move that the state does not allow; 403 without
   *   `executions:write` if the change decides what a schedule runs
   */
  update(
    principal: Principal,
    id: string,
    patch: TaskPatch,
    preconditions?: Preconditions,
  ): Promise<Task>
  /**
   * Applies the proposals of an execution for columns that have drifted. A repetition changes
   * nothing.
   *
   * @throws {PlatformError} 404 for an execution of another task; 409 without a proposal, and if the
   *   recipe has changed since; 403 without `executions:write` if the task has a schedule
   */
  repair(
    principal: Principal,
    id: string,
    input: RepairInput,
    preconditions?: Preconditions,
  ): Promise<Task>
  /**
   * Deletes a task. Its executions and results stay.
   *
   * @throws {PlatformError} 409 while an execution is unfinished
   */
  delete(
    principal: Principal,
    id: string,
    preconditions?: Preconditions,
  ): Promise<{ readonly id: string; readonly deleted: true }>
}

const TO_SCHEDULE: readonly Scope[] = ['executions:write']
/** Parts of a task that decide what its schedule runs, and when. */
const RUNS_OTHERWISE = ['schedule', 'recipe'] as const
const LONGEST_NAME = 200
const MOVES: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  active: ['paused', 'archived'],
  paused: ['active', 'archived'],
  archived: [],
}

/** The service of tasks. */
export function createTasks(core: Core, recipes: Recipes): Tasks {
  const { records, holdings, ids, clock } = core
  const find = async (account: string, id: string) => {
    const stored = await records.tasks.get(account, id)
    if (!stored) throw notFound('Task')
    return stored
  }
  return {
    async create(principal, input, preconditions) {
      const { account } = principal
      if (input.schedule) demandScope(principal, TO_SCHEDULE, preconditions)
      const setBy = input.schedule ? await setterOf(records, principal) : null
      const timetable = input.schedule ? await timetableOf(input.schedule) : null
      const recipe = takeRecipe(input.recipe)
      const plan = await recipes.admitSaved(recipe)
      if (input.schedule) await demandParams(recipes, recipe, input.schedule)
      const now = clock.now()
      const task: TaskRecord = {
        id: ids('task'),
        name:
          input.name ??
          hostOf(plan.startUrls[0] ?? plan.sitemap ?? plan.feed, recipe) ??
          plan.search?.query.slice(0, LONGEST_NAME).toWellFormed() ??
          'Untitled',
        description: input.description ?? '',
        labels: [...new Set(input.labels)],
        status: input.status ?? 'active',
        ...(input.schedule && { schedule: input.schedule }),
        ...(input.datasetId && { datasetId: input.datasetId }),
        ...(input.drift && { drift: input.drift }),
        recipe: recipe.written,
        createdAt: now,
        updatedAt: now,
      }
      return holdings.retry(account, 'tasks', 'The account', async () => {
        const change = new Change()
        await (await holdings.open(account, 'tasks')).add(change, 1)
        records.tasks.insert(change, account, task)
        if (task.datasetId) await attachDataset(records, change, account, task.datasetId, recipe)
        if (timetable)
          putSchedule(records, change, account, { task: task.id, timetable, old: null, setBy, now })
        const view = taskOf(task)
        return (await commitWithPreconditions(records, change, preconditions, view)) && view
      })
    },

    list: async ({ account }, query = {}) =>
      (await import('./list-tasks.ts')).listTasks(core, account, query),

    // This does not use `find`, because a further promise would cost more than making the answer.
    async get({ account }, id) {
      const stored = await records.tasks.get(account, id)
      if (!stored) throw notFound('Task')
      return taskOf(stored.value)
    },

    async update(principal, id, patch, preconditions) {
      const { account } = principal
      const timetable = patch.schedule ? await timetableOf(patch.schedule) : null
      const recipe = patch.recipe === undefined ? null : takeRecipe(patch.recipe)
      if (recipe !== null) await recipes.admitSaved(recipe)
      return retryOrBusy('The task', async () => {
        const old = await find(account, id)
        preconditions?.expect(taskOf(old.value))
        const status = patch.status ?? old.value.status
        if (status !== old.value.status && !MOVES[old.value.status].includes(status))
          throw conflict('The task is archived for good; make a new task of its recipe')
        const now = clock.now()
        const task: TaskRecord = {
          ...old.value,
          ...patch,
          recipe: recipe?.written ?? old.value.recipe,
          labels: [...new Set(patch.labels ?? old.value.labels)],
          status,
          updatedAt: now,
        }
        const change = new Change()
        // A caller that changes what a schedule runs must be allowed to run it. From then on the
        // schedule runs with this caller's rights.
        const decides = task.schedule
          ? RUNS_OTHERWISE.some((field) => patch[field] !== undefined) ||
            (status === 'active' && old.value.status !== 'active')
          : false
        if (decides) demandScope(principal, TO_SCHEDULE, preconditions)
        if (task.schedule && (patch.schedule || recipe !== null))
          await demandParams(
            recipes,
            recipe ?? (await recipes.takeStored(task.recipe)),
            task.schedule,
          )
        records.tasks.update(change, account, old, task)
        if (task.datasetId && (patch.datasetId || patch.recipe))
          await attachDataset(
            records,
            change,
            account,
            task.datasetId,
            recipe ?? (await recipes.takeStored(task.recipe)),
          )
        if (decides || patch.schedule !== undefined) {
          const state = await records.schedules.get(account, id)
          const setBy = decides ? await setterOf(records, principal) : null
          if (patch.schedule !== undefined)
            putSchedule(records, change, account, { task: id, timetable, old: state, setBy, now })
          else if (state)
            records.schedules.update(change, account, state, { ...state.value, setBy })
        }
        const data = taskOf(task)
        return (await commitWithPreconditions(records, change, preconditions, data)) && data
      })
    },

    async repair(principal, id, input, preconditions) {
      const { account } = principal
      const { addRepair } = await import('./repair.ts')
      return retryOrBusy('The task', async () => {
        const old = await find(account, id)
        preconditions?.expect(taskOf(old.value))
        const now = clock.now()
        const change = new Change()
        const repaired = await addRepair(
          { records, recipes },
          change,
          principal,
          old.value,
          input,
          now,
        )
        if (old.value.schedule) demandScope(principal, TO_SCHEDULE, preconditions)
        if (repaired === null) records.tasks.require(change, account, old)
        else {
          records.tasks.update(change, account, old, repaired)
          if (old.value.schedule) {
            const state = await records.schedules.get(account, id)
            const setBy = await setterOf(records, principal)
            if (state) records.schedules.update(change, account, state, { ...state.value, setBy })
          }
        }
        const data = taskOf(repaired ?? old.value)
        return (await commitWithPreconditions(records, change, preconditions, data)) && data
      })
    },

    async delete({ account }, id, preconditions) {
      return holdings.retry(account, 'tasks', 'The task', async () => {
        const old = await find(account, id)
        preconditions?.expect(taskOf(old.value))
        const change = new Change()
        if (!(await requireIdle(records, change, account, id)))
          throw conflict('The task has an unfinished execution; cancel it first')
        records.tasks.remove(change, account, old)
        await (await holdings.open(account, 'tasks')).add(change, -1)
        const health = await records.health.get(account, id)
        if (health) records.health.remove(change, account, health)
        if (old.value.schedule)
          putSchedule(records, change, account, {
            task: id,
            timetable: null,
            old: await records.schedules.get(account, id),
            setBy: null,
            now: clock.now(),
          })
        const data = { id, deleted: true } as const
        return (await commitWithPreconditions(records, change, preconditions, data)) && data
      })
    },
  }
}

/** The host of the first start URL, unless the host comes from a placeholder for a parameter. */
function hostOf(url: string | null, { written: { start } }: ParsedRecipe): string | null {
  const address = start.urls?.[0] ?? start.sitemap ?? start.feed ?? ''
  return url === null || address.trim().startsWith('{{') ? null : authorityOf(url)
}

/**
 * Checks the values that a schedule gives to a recipe's parameters, as a start would.
 *
 * @throws {PlatformError} 400 with paths below `schedule.params`
 */
async function demandParams(
  recipes: Recipes,
  recipe: ParsedRecipe,
  { params }: Schedule,
): Promise<void> {
  if (params === undefined && recipe.recipe.params === undefined) return
  try {
    await recipes.override(recipe, params ? { params } : {})
  } catch (error) {
    throw withPaths(error, (path) => (/^params\b/.test(path) ? `schedule.${path}` : path))
  }
}

/**
 * Adds a task's link to its dataset to the commit that makes it. The dataset is written unchanged.
 * So a deletion of the dataset and the link conflict, and only one of them is committed.
 *
 * @throws {PlatformError} 400 at `datasetId` for an unknown dataset, and for a dataset with key
 *   fields that are not columns of the recipe
 */
async function attachDataset(
  records: Records,
  change: Change,
  account: string,
  datasetId: string,
  { facts: { columns } }: ParsedRecipe,
): Promise<void> {
  const dataset = await records.datasets.get(account, datasetId)
  if (!dataset) throw badRequest([{ path: 'datasetId', message: 'the dataset was not found' }])
  // The columns of a recipe that is completed on its first page are not known yet. Rows without a
  // key are then skipped and counted.
  const missing =
    columns.length === 0 ? [] : dataset.value.keyFields.filter((field) => !columns.includes(field))
  if (missing.length > 0)
    throw badRequest([
      { path: 'datasetId', message: `the recipe has no column for its key: ${missing.join(', ')}` },
    ])
  records.datasets.update(change, account, dataset, dataset.value)
}
