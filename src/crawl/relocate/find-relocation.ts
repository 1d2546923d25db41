import { isObject } from '../../kernel/json.ts'
import type { Page } from '../../ports/page-processor.ts'
import { retryFailures } from '../../records/retry.ts'
import { readRecipe } from '../../engine/recipe/parse-recipe.ts'
import type { Core } from '../../features/core.ts'
import type { WebAccess } from '../../features/common/web-access.ts'
import type { ExecutionRecord, Reason } from '../../features/executions/records.ts'
import { StoredPages } from '../../features/executions/stored-pages.ts'
import { readSample } from './earlier-rows.ts'
import type { SamplePage } from './earlier-rows.ts'
import { LEAST_PAGES } from './judge.ts'
import { propose } from './propose.ts'
import type { RelocationProposal } from './propose.ts'

function none(reason: Reason): RelocationProposal {
  return { status: 'none', reason, items: null, fields: [] }
}

/**
 * Looks for the values of an execution's drifted columns in the pages that it has kept. The
 * proposal says why if there is nothing to propose.
 */
export async function findRelocation(
  options: Core & Pick<WebAccess, 'pagesOf'>,
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
    return none(tooFew(sample.length, 'kept pages with rows of earlier executions'))
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
