import type { CrawlPlan } from '../../engine/plan/plan.ts'
import { createPoliteness } from '../../engine/site/politeness.ts'
import type { PageReason } from '../../engine/visit/fetch-page.ts'
import { TOO_COSTLY } from '../../engine/visit/page-too-costly.ts'
import { visitPage } from '../../engine/visit/visit-page.ts'
import { PlatformError, badRequest } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import type { PageDetection } from '../../ports/page-processor.ts'
import { withPaths } from '../common/issue-paths.ts'
import { takeRecipe } from '../recipes/service.ts'
import type { Recipes } from '../recipes/service.ts'
import type { ParsedRecipe } from '../../engine/recipe/parse-recipe.ts'
import { writtenOf } from './preview.ts'
import type { DetectOptions, Preview } from './preview.ts'
import { PreviewRun, pageOf } from './preview-run.ts'
import { reportFields, reportRules, firstRows } from './report.ts'
import { DryRun } from './dry-run.ts'
import type { OpenForDryRun } from './dry-run.ts'
import { warningsOf } from './warnings.ts'
import type { WebAccess } from '../common/web-access.ts'

/** Time limit of a preview, in ms. */
const LIMIT_MS = 20_000
/** Time limit if a model reads the pages, in ms. */
const MODEL_LIMIT_MS = 60_000
const MOST_ROWS = 100
const NEVER = new AbortController().signal
const START_URLS = 'recipe.start.urls'

/**
 * Opens a dry run. URLs that the caller names are all visited, or the preview is refused. Of the
 * recipe's own URLs only the first are visited.
 *
 * @throws {PlatformError} 400
 */
export async function openDryRun(
  recipe: Json | ParsedRecipe,
  urls: readonly string[] | undefined,
  recipes: Recipes,
  open: OpenForDryRun,
  most: number,
): Promise<DryRun> {
  if (urls === undefined) return DryRun.open(takeRecipe(recipe), recipes, open)
  const tooMany = badRequest([{ path: 'urls', message: `a preview visits ${most} URLs at most` }])
  if (urls.length > most) throw tooMany
  try {
    const dryRun = await DryRun.open(
      takeRecipe({ ...writtenOf(recipe), start: { urls } }),
      recipes,
      open,
    )
    if (dryRun.plan.startUrls.length > most) throw tooMany
    return dryRun
  } catch (error) {
    throw withPaths(error, (path) =>
      path.startsWith(START_URLS) ? `urls${path.slice(START_URLS.length)}` : path,
    )
  }
}

/** Visits the first pages of a dry run and reports the results. */
export async function inspect(
  { findStarts, egress, robots, renderer, readPdf, model, clock }: WebAccess,
  account: string,
  dryRun: DryRun,
  maxUrls: number,
  signal: AbortSignal | undefined,
): Promise<Preview> {
  const started = clock.now()
  const stop = new AbortController()
  const limitMs = dryRun.plan.model === null ? LIMIT_MS : MODEL_LIMIT_MS
  clock.sleep(limitMs, stop.signal).then(
    () => stop.abort(),
    () => {},
  )
  const run = new PreviewRun({
    dryRun,
    egress,
    findStarts: (search, until) => findStarts(account, search, until),
    robots,
    renderer,
    readPdf,
    model,
    clock,
    maxUrls,
    deadline: started + limitMs,
    signal: signal ? AbortSignal.any([signal, stop.signal]) : stop.signal,
  })
  try {
    await run.crawl()
  } finally {
    stop.abort()
    dryRun.close()
  }
  const { proposal } = dryRun
  const { columns } = dryRun.plan
  const rows = await firstRows(run.rows, MOST_ROWS)
  const fields = reportFields(columns, run)
  const links = await reportRules(run.visited)
  return {
    columns,
    rows,
    totals: { pages: run.visited.length, rows: run.rows.length, durationMs: clock.now() - started },
    fields,
    pages: run.visited.map(pageOf),
    links,
    warnings: warningsOf({ dryRun, run, fields, links, maxUrls, shown: rows.length }),
    proposal,
  }
}

/** How a page is asked for that no recipe names. */
const PLAIN: CrawlPlan['request'] = {
  headers: {},
  headersTo: [],
  timeoutMs: 30_000,
  render: null,
}

/**
 * Detects what can be extracted from a page. The caller names one page and waits for the answer, so
 * nothing is tried twice.
 *
 * @throws {PlatformError} 422 with the reason if the page cannot be fetched, or is too expensive to
 *   inspect
 */
export async function detectAt(
  { egress, robots, readPdf, pagesOf, clock }: WebAccess,
  account: string,
  url: string,
  { signal = NEVER, robots: obeysRobots = true }: DetectOptions,
): Promise<PageDetection & { readonly url: string }> {
  const pages = (await pagesOf(account)).openPages()
  try {
    const visited = await visitPage(url, {
      egress,
      robots: obeysRobots ? robots : null,
      renderer: null,
      readPdf,
      clock,
      politeness: createPoliteness({ clock, delayMs: 0 }),
      request: PLAIN,
      tries: 1,
      signal,
      isShell: (page) => pages.read(page, signal),
      read: (page) => pages.detect(page, signal),
    })
    if (visited.outcome === 'fetched') return { ...visited.answer, url: visited.response.url }
    throw new PlatformError('UNPROCESSABLE_CONTENT', undetected(visited.reason))
  } finally {
    pages.close()
  }
}

function undetected({ code, message }: PageReason): string {
  if (code === TOO_COSTLY)
    return `${message} (${code}). Name the fields yourself, or look at a shorter page`
  return code.startsWith('pdf_') ? message : `The page could not be fetched: ${message}`
}
