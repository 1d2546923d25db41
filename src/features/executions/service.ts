import type { ParamValues } from '../../engine/recipe/fill-blanks.ts'
import type { RecipeInput } from '../../engine/recipe/recipe-input.ts'
import type { CrawlPlan } from '../../engine/plan/plan.ts'
import { conflict, notFound } from '../../kernel/errors.ts'
import type { Principal } from '../../kernel/http/route.ts'
import { demandScope } from '../../kernel/preconditions.ts'
import type { Preconditions } from '../../kernel/preconditions.ts'
import { Change } from '../../records/change.ts'
import type { Stored } from '../../records/collection.ts'
import { retryOrBusy } from '../../records/retry.ts'
import { emptyProgress } from './records.ts'
import type { ExecutionRecord, ExecutionStatus } from './records.ts'
import { scopesToEnd } from '../common/run-scopes.ts'
import { callerOf } from '../common/usage.ts'
import { commitWithPreconditions } from '../common/commit-with-preconditions.ts'
import type { ListPage } from '../common/list-page.ts'
import type { Recipes, StartInput } from '../recipes/service.ts'
import {
  beginExecution,
  endExecution,
  enqueueExecution,
  isFinal,
  moveExecution,
} from './lifecycle.ts'
import type { NewExecution } from './lifecycle.ts'
import type { ExecutionQuery } from './list-executions.ts'
import { executionOf } from './execution.ts'
import type { Execution } from './execution.ts'
import type { PageReceipt, PagesQuery } from './receipt.ts'
import { takeRecipe } from '../recipes/service.ts'
import type { ParsedRecipe } from '../../engine/recipe/parse-recipe.ts'
import type { ExtractInput } from './kept-pages.ts'
import type { Prepared, RetryInput } from './run-again.ts'
import type { Core } from '../core.ts'

export type { ExecutionQuery } from './list-executions.ts'

/** A recipe to run without a task. */
export interface RunInput {
  readonly recipe: RecipeInput | ParsedRecipe
  /** Values of the recipe's parameters. With `templateId`: the parameters of the template. */
  readonly params?: ParamValues
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
  /** The state is final at once. Work that the worker has not committed by then is dropped. */
  cancel(principal: Principal, id: string, preconditions?: Preconditions): Promise<Execution>
  pause(principal: Principal, id: string, preconditions?: Preconditions): Promise<Execution>
  resume(principal: Principal, id: string, preconditions?: Preconditions): Promise<Execution>
  /** For operators: queues an unfinished execution again. Its worker can commit nothing more. */
  release(principal: Principal, id: string, preconditions?: Preconditions): Promise<Execution>
  /**
   * Queues a new execution with the recipe of a finished one. With `only`, it starts from its
   * failed pages alone, each with its depth and its carried values.
   *
   * @throws {PlatformError} 409 for an unfinished execution, and for a retry of failed pages if
   *   there are none
   */
  retry(
    principal: Principal,
    id: string,
    input?: RetryInput,
    preconditions?: Preconditions,
  ): Promise<Execution>
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
  /**
   * Deletes a finished execution with its rows, pages and receipt. No read finds it any more; a job
   * erases its data a few minutes later. Entries of the ledger stay, and so do items of datasets
   * and media files.
   *
   * @throws {PlatformError} 409 for an unfinished execution, while a dataset waits for its rows, and
   *   while its media are being deleted
   */
  delete(
    principal: Principal,
    id: string,
    preconditions?: Preconditions,
  ): Promise<{ readonly id: string; readonly deleted: true }>
  /**
   * Deletes the rows of a finished execution, with their provenance and with the index by which
   * agents search them. No read finds them any more; a job erases them a few minutes later. The
   * execution stays, with its counters, receipt, kept pages and payments, and so do items of
   * datasets and media files. A second deletion changes nothing.
   *
   * @throws {PlatformError} 409 for an unfinished execution, and while a dataset waits for its rows
   */
  deleteRows(principal: Principal, id: string, preconditions?: Preconditions): Promise<Execution>
  /**
   * Deletes the media that the rows of a finished execution name, also those that rows of other
   * executions name too. A job does this at once; `mediaDeletion` says when it ended. A second
   * deletion changes nothing.
   *
   * @throws {PlatformError} 409 for an unfinished execution, and for one whose rows are deleted
   */
  deleteMedia(principal: Principal, id: string, preconditions?: Preconditions): Promise<Execution>
  /** The receipt: every URL in order of discovery, with its outcome, reason and price. */
  pages(principal: Principal, id: string, query?: PagesQuery): Promise<ListPage<PageReceipt>>
}

/** Maximum number of characters of a template's parameters that are stored with the execution. */
const MOST_SHOWN = 10_000

/**
 * A template's parameters, if they are short enough to be in every answer. They may be a long list
 * of URLs.
 */
function shownParams(values: ParamValues | undefined): ParamValues | null {
  return values !== undefined && JSON.stringify(values).length <= MOST_SHOWN ? values : null
}

/** Loaded when an execution is first run again. */
const runAgain = () => import('./run-again.ts')

/** Time in ms in the queue, after which an execution is said to wait for a worker. */
const WAITS_MS = 10_000

/** Options of {@link createExecutions}. */
export interface ExecutionsOptions {
  readonly recipes: Recipes
  /** Called after a commit that adds jobs: moves the outbox to the queue. */
  readonly wake: () => void | Promise<void>
  /** Called after a cancel or a pause: notifies a worker of this process at once. */
  readonly interrupt: (executionId: string) => void
  /** Called after each move: notifies the live events of this process at once. */
  readonly changed: (executionId: string) => void
  /** Called when a caller reads an execution that has been queued for long. */
  readonly stillQueued?: ((executionId: string) => void) | undefined
}

/** The service of executions. */
export function createExecutions(core: Core, options: ExecutionsOptions): Executions {
  const { records, ledger, ids, clock, logger } = core
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
    if (task.value.status === 'archived')
      throw conflict('The task is archived for good; make a new task of its recipe')
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
   * changed in the meantime. It returns the execution's recipe with the plan that was compiled from
   * it.
   */
  const insert = async (
    principal: Principal,
    preconditions: Preconditions | undefined,
    prepare: (change: Change) => Promise<{
      readonly facts: Omit<NewExecution, 'id' | 'startedBy'>
      readonly plan: CrawlPlan
    }>,
  ) => {
    const { account } = principal
    const data = await ledger.alone(account, () =>
      retryOrBusy('The account', async () => {
        const change = new Change()
        const { facts, plan } = await prepare(change)
        const { execution, progress } = await beginExecution(
          core,
          change,
          account,
          { id: ids('exec'), ...facts, startedBy: callerOf(principal) },
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
  /** Inserts an execution that an earlier one prepares. */
  const again = async (
    principal: Principal,
    id: string,
    preconditions: Preconditions | undefined,
    prepare: (stored: Stored<ExecutionRecord>) => Promise<Prepared>,
  ) => {
    const { account } = principal
    const prepared = await prepare(await find(account, id))
    return insert(principal, preconditions, async (change) => {
      await requireTask(change, account, prepared.facts.taskId)
      await prepared.require(change)
      return prepared
    })
  }
  const deletePart = async (
    account: string,
    id: string,
    part: 'rows' | 'media',
    preconditions: Preconditions | undefined,
  ) => {
    const parts = await import('./delete-parts.ts')
    const execution = await parts.deletePart(core, account, id, part, preconditions)
    await wake()
    return execution
  }
  const list = async (account: string, operation: string, query: ExecutionQuery) =>
    (await import('./list-executions.ts')).listExecutions(core, account, operation, query)

  return {
    async start(principal, taskId, input = {}, preconditions) {
      const { account } = principal
      let compiled:
        | (Awaited<ReturnType<Recipes['override']>> & { readonly version: string })
        | null = null
      return insert(principal, preconditions, async (change) => {
        const task = await requireTask(change, account, taskId)
        if (!task) throw notFound('Task')
        const { version, value } = task
        // A second attempt does not compile the recipe again if it has not changed.
        if (compiled?.version !== version)
          compiled = {
            ...(await recipes.override(await recipes.takeStored(value.recipe), input)),
            version,
          }
        const { recipe, plan, params, partial } = compiled
        return {
          facts: {
            taskId,
            recipe: recipe.written,
            ...(params && { params }),
            retryOf: null,
            datasetId: value.datasetId ?? null,
            ...(partial && { partial }),
          },
          plan,
        }
      })
    },

    async run(principal, { recipe, params: values, templateId, budget }, preconditions) {
      const ofTemplate = templateId !== undefined
      const admitted = await recipes.override(takeRecipe(recipe), {
        ...(values && !ofTemplate && { params: values }),
        ...(budget && { budget }),
      })
      const params = ofTemplate ? shownParams(values) : admitted.params
      const facts = {
        taskId: null,
        ...(ofTemplate && { templateId }),
        recipe: admitted.recipe.written,
        ...(params && { params }),
        retryOf: null,
      }
      return insert(principal, preconditions, async () => ({ facts, plan: admitted.plan }))
    },

    list: ({ account }, query = {}) => list(account, 'executions.list', query),

    async listOfTask({ account }, taskId, query = {}) {
      if (!(await records.tasks.get(account, taskId))) throw notFound('Task')
      return list(account, 'tasks.executions.list', { ...query, taskId })
    },

    async get({ account }, id) {
      const { value } = await find(account, id)
      if (value.status === 'queued' && clock.now() - value.updatedAt > WAITS_MS)
        options.stillQueued?.(id)
      return withProgress(account, value)
    },
    async cancel(principal, id, preconditions) {
      const { account } = principal
      demandScope(principal, scopesToEnd((await find(account, id)).value), preconditions)
      return move(account, id, 'cancelled', ['cancelled'], preconditions)
    },
    pause: ({ account }, id, preconditions) =>
      move(account, id, 'paused', ['paused'], preconditions),
    resume: ({ account }, id, preconditions) =>
      move(account, id, 'queued', ['queued', 'running'], preconditions),
    release: ({ account }, id, preconditions) => move(account, id, 'queued', [], preconditions),

    retry: (principal, id, input = {}, preconditions) =>
      again(principal, id, preconditions, async (stored) =>
        (await runAgain()).prepareRetry(core, recipes, principal.account, stored, input),
      ),
    extract: (principal, id, input, preconditions) =>
      again(principal, id, preconditions, async (stored) =>
        (await runAgain()).prepareExtract(core, recipes, principal.account, stored, input),
      ),

    async delete({ account }, id, preconditions) {
      // Loaded on demand: executions are rarely deleted.
      const { deleteExecution } = await import('./retire.ts')
      return retryOrBusy('The execution', async () => {
        const stored = await find(account, id)
        preconditions?.expect(await withProgress(account, stored.value))
        if (!isFinal(stored.value.status))
          throw conflict(`The execution is ${stored.value.status}; cancel it, then delete it`)
        const change = new Change()
        await deleteExecution(core, change, account, stored, clock.now())
        const data = { id, deleted: true } as const
        return (await commitWithPreconditions(records, change, preconditions, data)) && data
      })
    },

    deleteRows: ({ account }, id, preconditions) => deletePart(account, id, 'rows', preconditions),
    deleteMedia: ({ account }, id, preconditions) =>
      deletePart(account, id, 'media', preconditions),

    async pages({ account }, id, query = {}) {
      await find(account, id)
      return (await import('./receipt.ts')).listReceipt(core, account, id, query)
    },
  }
}
