import type { RecipeInput } from '../../engine/recipe/recipe-input.ts'
import type { CrawlPlan } from '../../engine/plan/plan.ts'
import { conflict, notFound } from '../../kernel/errors.ts'
import type { KeyPart } from '../../kernel/key.ts'
import type { Principal } from '../../kernel/http/route.ts'
import type { Preconditions } from '../../kernel/preconditions.ts'
import { Change } from '../../records/change.ts'
import { FIRST_LARGE, paginate } from '../../records/paginate.ts'
import type { Placed } from '../../records/paginate.ts'
import { retryOrBusy } from '../../records/retry.ts'
import { emptyProgress } from './records.ts'
import type { Records } from '../records.ts'
import type { ExecutionRecord, ExecutionStatus } from './records.ts'
import { commitWithPreconditions } from '../common/commit-with-preconditions.ts'
import { readPage } from '../common/list-page.ts'
import type { ListPage, ListQuery } from '../common/list-page.ts'
import type { Recipes, StartInput } from '../recipes/service.ts'
import {
  beginExecution,
  endExecution,
  enqueueExecution,
  isFinal,
  moveExecution,
} from './lifecycle.ts'
import type { NewExecution } from './lifecycle.ts'
import { executionOf, readReceipt } from './execution.ts'
import type { Execution, PageOutcome, PageReceipt } from './execution.ts'
import { takeRecipe, takeStored } from '../recipes/service.ts'
import type { ParsedRecipe } from '../../engine/recipe/parse-recipe.ts'
import { keptRecipe, requireKept } from './kept-pages.ts'
import type { ExtractInput } from './kept-pages.ts'
import type { Core } from '../core.ts'

/** Filters of the list of executions. All conditions must hold. */
export interface ExecutionQuery extends ListQuery {
  readonly status?: ExecutionStatus
  readonly taskId?: string
}

/** Filters of the list of receipt lines. */
export interface PagesQuery extends ListQuery {
  readonly outcome?: PageOutcome
}

/** A recipe to run without a task. */
export interface RunInput {
  readonly recipe: RecipeInput | ParsedRecipe
  /** The template that the recipe comes from. Absent: none. */
  readonly templateId?: string
  /** Replace single entries of the recipe's budget. */
  readonly budget?: NonNullable<StartInput['budget']>
}

/**
 * Runs of an account's recipes. An execution of another account is not found. A move that the state
 * does not allow is 409. Writes accept {@link Preconditions}.
 */
export interface Executions {
  /**
   * Queues an execution of a task.
   *
   * @throws {PlatformError} 409 for an archived task
   */
  start(
    principal: Principal,
    taskId: string,
    input?: StartInput,
    preconditions?: Preconditions,
  ): Promise<Execution>
  /**
   * Queues an execution of a recipe that belongs to no task.
   *
   * @throws {PlatformError} 400 for a recipe that cannot be run, with paths below `recipe`, and for
   *   a wrong `budget`
   */
  run(principal: Principal, input: RunInput, preconditions?: Preconditions): Promise<Execution>
  /** Newest first. */
  list(principal: Principal, query?: ExecutionQuery): Promise<ListPage<Execution>>
  /** Newest first; 404 for an unknown task. */
  listOfTask(
    principal: Principal,
    taskId: string,
    query?: Omit<ExecutionQuery, 'taskId'>,
  ): Promise<ListPage<Execution>>
  get(principal: Principal, id: string): Promise<Execution>
  /** Final at once. Work that the worker has not committed by then is dropped. */
  cancel(principal: Principal, id: string, preconditions?: Preconditions): Promise<Execution>
  pause(principal: Principal, id: string, preconditions?: Preconditions): Promise<Execution>
  resume(principal: Principal, id: string, preconditions?: Preconditions): Promise<Execution>
  /** Queues a new execution with the recipe of a finished one. */
  retry(principal: Principal, id: string, preconditions?: Preconditions): Promise<Execution>
  /**
   * Queues an execution that runs a changed recipe over the pages that a finished one has kept. No
   * page is fetched: its pages are `unchanged`, and only reading by a model is charged. Media are
   * not fetched, and no dataset gets its rows.
   *
   * @throws {PlatformError} 400 for a part of a recipe that does not apply to kept pages, with its
   *   path below `recipe`; 409 for an unfinished execution, and for one that has kept no pages
   */
  extract(
    principal: Principal,
    id: string,
    input: ExtractInput,
    preconditions?: Preconditions,
  ): Promise<Execution>
  /** The receipt: every URL in order of discovery, with its outcome, reason and price. */
  pages(principal: Principal, id: string, query?: PagesQuery): Promise<ListPage<PageReceipt>>
}

/** Options of {@link createExecutions}. */
export interface ExecutionsOptions {
  readonly recipes: Recipes
  /** Called after a commit that adds jobs: moves the outbox to the queue. */
  readonly wake: () => void | Promise<void>
  /** Called after a cancel or a pause: notifies a worker of this process at once. */
  readonly interrupt: (executionId: string) => void
  /** Called after each move: notifies the live events of this process at once. */
  readonly changed: (executionId: string) => void
}

/** The service of executions. */
export function createExecutions(core: Core, options: ExecutionsOptions): Executions {
  const { records, ledger, cursors, ids, clock, logger } = core
  const { recipes } = options

  const find = async (account: string, id: string) => {
    const stored = await records.executions.get(account, id)
    if (!stored) throw notFound('Execution')
    return stored
  }
  const withProgress = async (account: string, execution: ExecutionRecord) => {
    const progress = await records.progress.get(account, execution.id)
    return executionOf(execution, progress?.value ?? emptyProgress(execution.id))
  }
  /**
   * Makes a commit depend on the task of an execution, if it is not deleted yet.
   *
   * @throws {PlatformError} 409 for an archived task
   */
  const requireTask = async (change: Change, account: string, taskId: string | null) => {
    const task = taskId === null ? null : await records.tasks.get(account, taskId)
    if (!task) return null
    if (task.value.status === 'archived') throw conflict('The task is archived')
    records.tasks.require(change, account, task)
    return task
  }
  const wake = async () => {
    try {
      await options.wake()
    } catch (error) {
      // The job is safe in the outbox; only its start is delayed.
      logger.warn('The queue could not be woken', { error })
    }
  }
  /**
   * Inserts the execution that `prepare` describes. `prepare` is called again if a record has
   * changed in the meantime. The plan is the one that was compiled from its recipe.
   */
  const insert = async (
    account: string,
    preconditions: Preconditions | undefined,
    prepare: (
      change: Change,
    ) => Promise<{ readonly facts: Omit<NewExecution, 'id'>; readonly plan: CrawlPlan }>,
  ) => {
    const data = await ledger.alone(account, () =>
      retryOrBusy('The account', async () => {
        const change = new Change()
        const { facts, plan } = await prepare(change)
        const { execution, progress } = await beginExecution(
          core,
          change,
          account,
          { id: ids('exec'), ...facts },
          plan,
          clock.now(),
        )
        const begun = executionOf(execution, progress)
        return (await commitWithPreconditions(records, change, preconditions, begun)) && begun
      }),
    )
    await wake()
    return data
  }
  /** Moves an execution. `null`: a record changed in the meantime, and nothing was written. */
  const attempt = async (
    account: string,
    id: string,
    to: ExecutionStatus,
    already: readonly ExecutionStatus[],
    preconditions: Preconditions | undefined,
  ) => {
    const stored = await find(account, id)
    const now = clock.now()
    const present = await withProgress(account, stored.value)
    preconditions?.expect(present)
    if (already.includes(stored.value.status)) return { data: present, isMove: false }
    const change = new Change()
    const moved =
      to === 'cancelled'
        ? await endExecution(core, change, account, stored, to, { now })
        : moveExecution(records, change, account, stored, to, { now })
    if (to === 'queued') enqueueExecution(records, change, account, moved, now)
    const data = await withProgress(account, moved)
    return (await commitWithPreconditions(records, change, preconditions, data))
      ? { data, isMove: true }
      : null
  }
  const move = async (
    account: string,
    id: string,
    to: ExecutionStatus,
    already: readonly ExecutionStatus[],
    preconditions: Preconditions | undefined,
  ) => {
    const tryOnce = () => attempt(account, id, to, already, preconditions)
    const { data, isMove } = await retryOrBusy('The execution', () =>
      to === 'cancelled' ? ledger.alone(account, tryOnce) : tryOnce(),
    )
    if (!isMove) return data
    if (to === 'queued') await wake()
    else options.interrupt(id)
    options.changed(id)
    return data
  }
  const list = (account: string, operation: string, query: ExecutionQuery) => {
    const { status, taskId } = query
    const context = { account, operation, filter: [status ?? null, taskId ?? null] }
    const keep =
      taskId !== undefined && status !== undefined
        ? (execution: ExecutionRecord) => execution.status === status
        : null
    return readPage(cursors, context, query, async (after, limit) => {
      const page = await paginate({
        read: readExecutions(records, account, query),
        after,
        limit,
        firstRead: FIRST_LARGE,
        ...(keep && { keep }),
      })
      const progress = await records.progress.getMany(
        account,
        page.items.map(({ id }) => [id]),
      )
      return {
        items: page.items.map((execution, i) =>
          executionOf(execution, progress[i]?.value ?? emptyProgress(execution.id)),
        ),
        next: page.next,
      }
    })
  }

  return {
    async start({ account }, taskId, input = {}, preconditions) {
      let known: (Awaited<ReturnType<Recipes['override']>> & { readonly version: string }) | null =
        null
      return insert(account, preconditions, async (change) => {
        const task = await requireTask(change, account, taskId)
        if (!task) throw notFound('Task')
        const { version, value } = task
        // A retry does not compile a recipe again that has not changed.
        if (known?.version !== version)
          known = {
            ...(await recipes.override(takeStored(value.recipe), input)),
            version,
          }
        const { recipe, plan } = known
        return {
          facts: {
            taskId,
            recipe: recipe.written,
            retryOf: null,
            datasetId: value.datasetId ?? null,
            ...(input.urls && { partial: true }),
          },
          plan,
        }
      })
    },

    async run({ account }, { recipe, templateId, budget }, preconditions) {
      const admitted = await recipes.override(takeRecipe(recipe), {
        ...(budget && { budget }),
      })
      const facts = {
        taskId: null,
        ...(templateId !== undefined && { templateId }),
        recipe: admitted.recipe.written,
        retryOf: null,
      }
      return insert(account, preconditions, async () => ({ facts, plan: admitted.plan }))
    },

    list: ({ account }, query = {}) => list(account, 'executions.list', query),

    async listOfTask({ account }, taskId, query = {}) {
      if (!(await records.tasks.get(account, taskId))) throw notFound('Task')
      return list(account, 'tasks.executions.list', { ...query, taskId })
    },

    get: async ({ account }, id) => withProgress(account, (await find(account, id)).value),
    cancel: ({ account }, id, preconditions) =>
      move(account, id, 'cancelled', ['cancelled'], preconditions),
    pause: ({ account }, id, preconditions) =>
      move(account, id, 'paused', ['paused'], preconditions),
    resume: ({ account }, id, preconditions) =>
      move(account, id, 'queued', ['queued', 'running'], preconditions),

    async retry({ account }, id, preconditions) {
      const {
        taskId,
        templateId,
        recipe,
        status,
        extractOf,
        datasetId = null,
        partial = false,
      } = (await find(account, id)).value
      if (!isFinal(status))
        throw conflict(`The execution is ${status}; only a finished one can be retried`)
      const plan = await recipes.admit(takeStored(recipe))
      return insert(account, preconditions, async (change) => {
        await requireTask(change, account, taskId)
        if (extractOf !== undefined) await requireKept(records, change, account, extractOf)
        return {
          facts: {
            taskId,
            ...(templateId !== undefined && { templateId }),
            recipe,
            retryOf: id,
            ...(extractOf !== undefined && { extractOf }),
            datasetId,
            partial,
          },
          plan,
        }
      })
    },

    async extract({ account }, id, input, preconditions) {
      const { taskId, recipe, status, extractOf = id } = (await find(account, id)).value
      if (!isFinal(status))
        throw conflict(
          `The execution is ${status}; only the pages of a finished one can be read again`,
        )
      const changed = takeRecipe(keptRecipe(recipe, input))
      const plan = await recipes.admit(changed)
      return insert(account, preconditions, async (change) => {
        await requireTask(change, account, taskId)
        await requireKept(records, change, account, extractOf)
        return { facts: { taskId, recipe: changed.written, retryOf: null, extractOf }, plan }
      })
    },

    async pages({ account }, id, query = {}) {
      await find(account, id)
      const context = {
        account,
        operation: 'executions.pages',
        filter: [id, query.outcome ?? null],
      }
      return readPage(cursors, context, query, (after, limit) =>
        readReceipt(records, account, id, query.outcome, after, limit),
      )
    },
  }
}

/** Lists by the narrowest index for a query, newest first. */
function readExecutions(records: Records, account: string, { status, taskId }: ExecutionQuery) {
  const index = taskId !== undefined ? 'task' : status !== undefined ? 'status' : null
  const within = taskId ?? status
  return async (
    after: readonly KeyPart[] | null,
    count: number,
  ): Promise<Placed<ExecutionRecord>[]> => {
    const slice = {
      limit: count,
      reverse: true,
      ...(after && { before: after }),
      ...(within !== undefined && { within: [within] }),
    }
    if (index === null)
      return (await records.executions.list(account, slice)).map(({ value, id }) => ({
        item: value,
        position: id,
      }))
    return (await records.executions.listBy(index, account, slice)).map(({ record, position }) => ({
      item: record.value,
      position,
    }))
  }
}
