import { expandUrls } from '../../engine/recipe/expand-urls.ts'
import { checkStored } from '../../engine/recipe/parse-recipe.ts'
import { notFound, switchedOff } from '../../kernel/errors.ts'
import type { Principal } from '../../kernel/http/route.ts'
import { recipeOf, emptyProgress } from '../executions/records.ts'
import type { ExecutionRecord } from '../executions/records.ts'
import type { MergeState, PlanStep, StepFacts } from './plan-steps.ts'
import type { Core } from '../core.ts'

/** The steps of an execution's plan. */
export interface PlanSteps {
  /**
   * The steps are derived from counters alone, so the cost does not depend on the number of pages.
   *
   * @throws {PlatformError} 404 if the application has switched plans off
   */
  list(
    principal: Principal,
    executionId: string,
  ): Promise<{ readonly executionId: string; readonly steps: readonly PlanStep[] }>
}

/** The service of plan steps. */
export function createPlanSteps({ records }: Core, enabled: boolean): PlanSteps {
  const mergeOf = async (
    account: string,
    { id, datasetId, finishedAt }: ExecutionRecord,
  ): Promise<MergeState> => {
    if (!datasetId) return 'none'
    if (finishedAt === null) return 'pending'
    const [state, pending] = await Promise.all([
      records.datasetStates.get(account, datasetId),
      records.pendingMerges.get(account, datasetId, finishedAt, id),
    ])
    if (state?.value.active?.execution === id) return 'running'
    return pending ? 'pending' : 'done'
  }
  return {
    async list({ account }, executionId) {
      if (!enabled) throw switchedOff([], 'Execution plans are not available here')
      const execution = await records.executions.get(account, executionId)
      if (!execution) throw notFound('Execution')
      const { value } = execution
      const [progress, starts, merge] = await Promise.all([
        records.progress.get(account, executionId),
        records.foundStarts.get(account, executionId),
        mergeOf(account, value),
      ])
      const { planSteps } = await import('./plan-steps.ts')
      const recipe = recipeFacts(value)
      const searched = starts && { source: starts.value.source, urls: starts.value.urls.length }
      const facts = {
        found: searched,
        status: value.status,
        extractOf: value.extractOf ?? null,
        reason: value.reason?.code ?? null,
        progress: progress?.value ?? emptyProgress(executionId),
        merge,
      }
      return { executionId, steps: recipe ? planSteps({ ...recipe, ...facts }) : [] }
    },
  }
}

/**
 * Facts of the recipe that the steps need. `null` for a recipe that was valid when it was saved and
 * is not any more. Its execution fails and has no steps.
 */
function recipeFacts(execution: ExecutionRecord): Pick<StepFacts, 'recipe' | 'startUrls'> | null {
  const read = checkStored(recipeOf(execution))
  if (read.issues !== null || execution.reason?.code === 'invalid_recipe') return null
  const { recipe } = read.output
  return { recipe, startUrls: expandUrls(recipe.start.urls ?? [], 'start.urls', []) }
}
