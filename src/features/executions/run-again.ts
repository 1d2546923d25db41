import type { CrawlPlan } from '../../engine/plan/plan.ts'
import { conflict, notFound } from '../../kernel/errors.ts'
import type { Change } from '../../records/change.ts'
import type { Stored } from '../../records/collection.ts'
import type { Recipes } from '../recipes/service.ts'
import { takeRecipe } from '../recipes/service.ts'
import type { Core } from '../core.ts'
import type { Records } from '../records.ts'
import { keptRecipe, requireKept } from './kept-pages.ts'
import type { ExtractInput } from './kept-pages.ts'
import { isFinal } from './lifecycle.ts'
import type { NewExecution } from './lifecycle.ts'
import { recipeOf } from './records.ts'
import type { ExecutionRecord } from './records.ts'

/** Which pages a retry visits. */
export interface RetryInput {
  /**
   * `failed`: starts only from the pages that failed or were blocked, each with the facts of how it
   * was found. It follows their links, also to pages of the first execution. Absent: the whole
   * execution runs again.
   */
  readonly only?: 'failed'
}

/** A new execution that depends on an earlier one. */
export interface Prepared {
  readonly facts: Omit<NewExecution, 'id' | 'startedBy'>
  readonly plan: CrawlPlan
  /** Adds preconditions to the commit that creates it. */
  readonly require: (change: Change) => Promise<void>
}

/**
 * Prepares the retry of an execution.
 *
 * @throws {PlatformError} 409 for an unfinished one. For a retry of failed pages: 409 if none has
 *   failed, or if it has read kept pages; `require` gives 404 if it is deleted meanwhile
 */
export async function prepareRetry(
  { records }: Pick<Core, 'records'>,
  recipes: Recipes,
  account: string,
  { value }: Stored<ExecutionRecord>,
  { only }: RetryInput,
): Promise<Prepared> {
  const { id, taskId, templateId, params, status, extractOf, datasetId = null, partial } = value
  if (!isFinal(status))
    throw conflict(`The execution is ${status}; only a finished one can be retried`)
  const isPart = only === 'failed'
  if (isPart) await demandFailed(records, account, value)
  const failedOf = isPart ? id : value.failedOf
  // On another first page, detection might give a different result.
  const recipe = failedOf === undefined ? value.recipe : recipeOf(value)
  return {
    facts: {
      taskId,
      ...(templateId !== undefined && { templateId }),
      recipe,
      ...(params && { params }),
      retryOf: id,
      ...(extractOf !== undefined && { extractOf }),
      ...(failedOf !== undefined && { failedOf }),
      datasetId,
      partial: isPart || partial === true,
    },
    plan: await recipes.admit(await recipes.takeStored(recipe)),
    async require(change) {
      if (extractOf !== undefined) await requireKept(records, change, account, extractOf)
      if (!isPart) return
      // It is read again for each attempt, because a write other than its deletion may come in
      // between.
      const present = await records.executions.get(account, id)
      if (!present) throw notFound('Execution')
      records.executions.require(change, account, present)
    },
  }
}

async function demandFailed(
  records: Records,
  account: string,
  { id, extractOf }: ExecutionRecord,
): Promise<void> {
  if (extractOf !== undefined)
    throw conflict('The execution has read kept pages and fetched none; retry all of it')
  const { failed = 0, blocked = 0 } =
    (await records.progress.get(account, id))?.value.outcomes ?? {}
  if (failed + blocked === 0) throw conflict('No page of the execution has failed or was blocked')
}

/**
 * Prepares an execution over the pages that another has kept.
 *
 * @throws {PlatformError} 400 for a part of a recipe that does not apply to kept pages; 409 for an
 *   unfinished execution
 */
export async function prepareExtract(
  { records }: Pick<Core, 'records'>,
  recipes: Recipes,
  account: string,
  { value }: Stored<ExecutionRecord>,
  input: ExtractInput,
): Promise<Prepared> {
  const { taskId, recipe, params, status, extractOf = value.id } = value
  if (!isFinal(status))
    throw conflict(`The execution is ${status}; only the pages of a finished one can be read again`)
  const changed = takeRecipe(keptRecipe(recipe, input))
  return {
    facts: {
      taskId,
      recipe: changed.written,
      ...(params && { params }),
      retryOf: null,
      extractOf,
    },
    plan: await recipes.admit(changed),
    require: (change) => requireKept(records, change, account, extractOf),
  }
}
