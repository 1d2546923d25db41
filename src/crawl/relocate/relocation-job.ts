import { isObject } from '../../kernel/json.ts'
import type { Page } from '../../ports/page-processor.ts'
import { Change } from '../../records/change.ts'
import { retryConflicts, retryFailures } from '../../records/retry.ts'
import { readRecipe } from '../../engine/recipe/parse-recipe.ts'
import { jobFields } from '../../features/common/job.ts'
import type { JobEnds, JobHandlers } from '../../features/common/job.ts'
import type { Core } from '../../features/core.ts'
import type { WebAccess } from '../../features/common/web-access.ts'
import type { ExecutionRecord, Reason } from '../../features/executions/records.ts'
import type { RelocationRecord } from '../../features/executions/relocation.ts'
import type { Recipes } from '../../features/recipes/service.ts'
import { addRelocation } from '../../features/tasks/repair.ts'
import { StoredPages } from '../../features/executions/stored-pages.ts'
import { readSample } from './earlier-rows.ts'
import type { SamplePage } from './earlier-rows.ts'
import { LEAST_PAGES } from './judge.ts'
import { propose } from './propose.ts'
import type { RelocationProposal } from './propose.ts'

/** Dependencies of the job `relocate`. */
export interface RelocationOptions extends Core, Pick<WebAccess, 'pagesOf'> {
  readonly recipes: Recipes
}

/** Number of consecutive deliveries that may throw before the search is given up. */
const MOST_FAILURES = 5

/**
 * The job `relocate`: looks for the values of drifted columns in the pages that the execution has
 * kept, and stores the proposal with the execution. It stores all of this in one commit, which
 * happens once, however often the job is delivered.
 */
export function relocationJobs(options: RelocationOptions): {
  readonly jobs: JobHandlers
  readonly ends: JobEnds
} {
  return {
    jobs: {
      async relocate(data, { signal }) {
        const target = jobFields(data, 'account', 'execution')
        if (!target) return 'done'
        const { account, execution: id } = target
        const stored = await options.records.executions.get(account, id)
        if (!stored || stored.value.relocation !== undefined) return 'done'
        await store(
          options,
          account,
          id,
          await relocationFor(options, account, stored.value, signal),
        )
        return 'done'
      },
    },
    ends: {
      relocate: {
        mostFailures: MOST_FAILURES,
        async end(data, reason) {
          const target = jobFields(data, 'account', 'execution')
          if (target) await store(options, target.account, target.execution, none(reason))
          return 'done'
        },
      },
    },
  }
}

function none(reason: Reason): RelocationProposal {
  return { status: 'none', reason, items: null, fields: [] }
}

async function relocationFor(
  options: RelocationOptions,
  account: string,
  execution: ExecutionRecord,
  signal: AbortSignal,
): Promise<RelocationProposal> {
  const { records, pagesOf } = options
  const { id, taskId, recipe, drift = [] } = execution
  const { extract } = readRecipe(recipe).written
  if (!isObject(recipe) || extract === undefined || extract === 'auto' || !extract.fields)
    return none({
      code: 'no_sources',
      message: 'The recipe names no fields: each execution detects them again',
    })
  const keptPages = (await records.progress.get(account, id))?.value.kept?.pages ?? 0
  if (keptPages < LEAST_PAGES) return none(tooFew(keptPages, 'kept pages'))
  const health = taskId === null ? null : await records.health.get(account, taskId)
  const earlier = health?.value.samples.map((sample) => sample.execution) ?? []
  const sample = await readSample(options, account, id, earlier, extract.on ?? null)
  if (sample.length < LEAST_PAGES)
    return none(tooFew(sample.length, 'kept pages that earlier executions had rows of'))
  const pages = await pagesOf(account)
  return propose({
    recipe,
    rules: extract,
    drift,
    sample,
    open: (opened) => pages.open(opened),
    load: loader(options),
    signal,
  })
}

function tooFew(count: number, what: string): Reason {
  return {
    code: 'too_few_pages',
    message:
      `The execution has ${count} ${what}, and ${LEAST_PAGES} are needed; a recipe with ` +
      '"page": { "keep": true } keeps the pages that it fetches',
  }
}

/** Reads kept pages. A page whose bytes are gone is left out. */
function loader({ blobs, clock }: Core): (page: SamplePage) => Promise<Page | null> {
  const stored = new StoredPages((name) => retryFailures(clock, () => blobs.get(name)))
  return async ({ kept }) => {
    const response = await stored.read(kept)
    return (
      response && {
        url: response.url,
        contentType: kept.contentType,
        body: response.body,
        requestedUrl: kept.url,
        status: kept.status,
      }
    )
  }
}

async function store(
  options: RelocationOptions,
  account: string,
  id: string,
  proposal: RelocationProposal,
): Promise<void> {
  const { records, clock, recipes } = options
  const relocation: RelocationRecord = { ...proposal, at: clock.now() }
  const isStored = await retryConflicts(async () => {
    const execution = await records.executions.get(account, id)
    if (!execution || execution.value.relocation !== undefined) return true
    const change = new Change()
    await addRelocation({ records, recipes }, change, account, execution, relocation)
    return records.commit(change)
  })
  if (!isStored) throw new Error('The execution or its task is being changed by others')
}
