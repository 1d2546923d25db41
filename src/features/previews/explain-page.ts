import { detectsRows } from '../../engine/plan/auto-extract.ts'
import { badRequest, conflict, notFound } from '../../kernel/errors.ts'
import { PageFailure } from '../../kernel/failures.ts'
import { normaliseUrl } from '../../kernel/url.ts'
import { retryFailures } from '../../records/retry.ts'
import type { OpenPages, Page } from '../../ports/page-processor.ts'
import type { WebAccess } from '../common/web-access.ts'
import type { Core } from '../core.ts'
import { findKeptPage, keptRecipe, readKeptPage } from '../executions/kept-pages.ts'
import type { Recipes } from '../recipes/service.ts'
import type { CostlyPreviews } from './costly-previews.ts'
import { DryRun } from './dry-run.ts'
import { inspect } from './inspect.ts'
import { webOfKept } from './kept-web.ts'
import type { Preview } from './preview.ts'

/** A page of an execution. */
export interface PageOfExecution {
  readonly account: string
  /** Id of the execution. */
  readonly execution: string
  /** The URL in the execution's list of pages. */
  readonly url: string
  readonly signal?: AbortSignal | undefined
}

/**
 * Runs the recipe of an execution over one page that it has kept, and reports the matches of each
 * part. The page keeps its label, its depth and its carried values. If detection has completed the
 * recipe, the completed one is explained.
 *
 * @throws {PlatformError} 400 for an address that is not a URL, 404, and 409 for an execution that has
 *   kept no pages; 422 if the same explanation has just ended the threads that worked on its page
 */
export async function explainPage(
  { records, blobs, clock, shares }: Core,
  web: WebAccess,
  recipes: Recipes,
  costly: CostlyPreviews,
  { account, execution: id, url, signal }: PageOfExecution,
): Promise<Preview> {
  const stored = await records.executions.get(account, id)
  if (!stored) throw notFound('Execution')
  const pageUrl = normaliseUrl(url)
  if (pageUrl === null)
    throw badRequest([{ path: 'url', message: 'must be the URL of a page of the execution' }])
  const { recipe, detected, extractOf = id } = stored.value
  const keptPage = await findKeptPage(records, account, extractOf, pageUrl, signal)
  const page = await readKeptPage((name) => retryFailures(clock, () => blobs.get(name)), keptPage)
  if (page === null) throw conflict(`The pages of execution ${extractOf} are no longer kept`)
  const pages = await web.pagesOf(account)
  const dryRun = await DryRun.open(
    await recipes.takeStored(keptRecipe(detected ?? recipe, { recipe: {} })),
    recipes,
    (opened) => pages.open(opened.written),
  )
  // Ended threads are counted for each page, so that the other pages of the execution can still be
  // explained.
  const key = await costly.keyOf(account, [dryRun.recipe.written, keptPage.url])
  costly.demand(key)
  const { label, depth, hop, foundOn, carried } = keptPage
  const from = {
    url: keptPage.url,
    label,
    depth,
    hop,
    ...(foundOn !== undefined && { foundOn }),
    ...(carried && { carried }),
  }
  const wasDetected =
    detected !== undefined && detectsRows((await recipes.takeStored(recipe)).recipe)
  return shares.inspections.run(
    account,
    async () => {
      const preview = await inspect(webOfKept(web, [page]), account, dryRun, {
        maxUrls: 1,
        kept: [page],
        from,
        signal,
      }).finally(() => {
        if (dryRun.threadEnd !== null) costly.note(key, dryRun.threadEnd)
      })
      if (!wasDetected) return preview
      const onEnded = (why: string): void => costly.note(key, why)
      return { ...preview, refused: await refusedOn(page, pages.openPages(), onEnded, signal) }
    },
    signal,
  )
}

/**
 * The groups on a page that detection did not take for lists. Empty if the page is too costly for
 * detection.
 */
async function refusedOn(
  page: Page,
  pages: OpenPages,
  onEnded: (why: string) => void,
  signal: AbortSignal | undefined,
): Promise<Preview['refused']> {
  try {
    return (await pages.detect(page, signal)).refused
  } catch (error) {
    if (!(error instanceof PageFailure)) throw error
    if (error.endedThread) onEnded(error.message)
    return []
  } finally {
    pages.close()
  }
}
