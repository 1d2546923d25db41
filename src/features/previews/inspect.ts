import { blameParameters } from '../../engine/recipe/fill-blanks.ts'
import type { ParamValues } from '../../engine/recipe/fill-blanks.ts'
import type { CrawlPlan } from '../../engine/plan/plan.ts'
import { createPoliteness } from '../../engine/site/politeness.ts'
import type { PageReason } from '../../engine/visit/fetch-page.ts'
import { TOO_COSTLY } from '../../engine/visit/page-too-costly.ts'
import { withoutPicture } from '../../engine/visit/load-page.ts'
import { modelOf, visitPage } from '../../engine/visit/visit-page.ts'
import { refusalOf } from '../../engine/egress/guard.ts'
import { PlatformError, badRequest } from '../../kernel/errors.ts'
import { normaliseUrl } from '../../kernel/url.ts'
import type { NormalUrl } from '../../kernel/url.ts'
import type { Json } from '../../kernel/json.ts'
import type { PageDetection } from '../../ports/page-processor.ts'
import { withPaths } from '../common/issue-paths.ts'
import { takeRecipe } from '../recipes/service.ts'
import type { Recipes } from '../recipes/service.ts'
import type { ParsedRecipe } from '../../engine/recipe/parse-recipe.ts'
import { writtenOf } from './preview.ts'
import type { DetectOptions, Preview, PreviewPage } from './preview.ts'
import { PreviewRun, pageOf } from './preview-run.ts'
import type { PreviewRunOptions } from './preview-run.ts'
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

/** Parts of a recipe that detection does not change. */
const UNCHANGED = ['params', 'start', 'crawl', 'page', 'budget'] as const

/**
 * Opens a dry run. A recipe with parameters is proposed with its parameters.
 *
 * @throws {PlatformError} 400
 */
export async function openDryRun(
  recipe: Json | ParsedRecipe,
  {
    params,
    urls,
  }: {
    readonly params: ParamValues | undefined
    readonly urls: readonly string[] | undefined
  },
  recipes: Recipes,
  open: OpenForDryRun,
  most: number,
): Promise<DryRun> {
  if (params === undefined && writtenOf(recipe)['params'] === undefined)
    return openFilled(recipe, urls, recipes, open, most)
  const template = takeRecipe(recipe)
  const { fillRecipe, paramAtPath } = await import('../../engine/recipe/fill-params.ts')
  const filled = fillRecipe(template, params).recipe
  const dryRun = await blameParameters(paramAtPath(template), () =>
    openFilled(filled, urls, recipes, open, most),
  )
  dryRun.kept = Object.fromEntries(
    UNCHANGED.flatMap((part) =>
      template.written[part] === undefined ? [] : [[part, template.written[part]]],
    ),
  )
  return dryRun
}

/**
 * Opens a dry run of a recipe without parameters. All URLs that the caller names are visited, or
 * the preview is refused. Of the recipe's own URLs, only the first are visited.
 *
 * @throws {PlatformError} 400
 */
async function openFilled(
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

/** The visit settings for the pages of a dry run. */
interface InspectOptions extends Pick<PreviewRunOptions, 'maxUrls' | 'keep' | 'kept' | 'from'> {
  readonly signal: AbortSignal | undefined
}

/** Visits the first pages of a dry run and reports the results. */
export async function inspect(
  { findStarts, egress, robots, renderer, documentsOf, model, clock }: WebAccess,
  account: string,
  dryRun: DryRun,
  { maxUrls, kept, from, keep, signal }: InspectOptions,
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
    readDocument: documentsOf(account),
    model: modelOf(model, { account, execution: null }),
    clock,
    maxUrls,
    keep,
    kept,
    from,
    deadline: started + limitMs,
    signal: signal ? AbortSignal.any([signal, stop.signal]) : stop.signal,
  })
  try {
    await run.crawl()
  } finally {
    stop.abort()
    dryRun.close()
  }
  const { proposal, proposals, refused } = dryRun
  const { columns } = dryRun.plan
  const rows = await firstRows(run.rows, MOST_ROWS)
  const fields = reportFields(columns, run)
  const links = await reportRules(run.visited)
  return {
    columns,
    rows,
    totals: {
      pages: run.visited.length,
      rows: run.rows.length,
      durationMs: clock.now() - started,
      credits: 0,
    },
    fields,
    pages: run.visited.map(pageOf),
    links,
    warnings: warningsOf({ dryRun, run, fields, links, maxUrls, shown: rows.length }),
    proposal,
    proposals,
    refused,
  }
}

/** The request for a page that no recipe names. */
const PLAIN: CrawlPlan['request'] = {
  headers: {},
  headersTo: [],
  timeoutMs: 30_000,
  render: null,
}

/** @throws {PlatformError} 400 at a wrong header; 404 if a browser is needed and there is none */
async function requestOf(
  url: NormalUrl,
  page: DetectOptions['page'],
  recipes: Recipes,
): Promise<CrawlPlan['request']> {
  if (page === undefined) return PLAIN
  const plan = await recipes.admit(takeRecipe({ start: { urls: [url] }, page }))
  return withoutPicture(plan.request)
}

/**
 * Detects what can be extracted from a page. Nothing is tried twice, because the caller waits for
 * the answer. `visitedPage` is called with the page, whatever its outcome.
 *
 * @throws {PlatformError} 400 or 404 for a `page` that cannot be used; 422 with the reason if the page
 *   cannot be fetched, or is too expensive to inspect
 */
export async function detectAt(
  { egress, robots, renderer, documentsOf, pagesOf, clock }: WebAccess,
  recipes: Recipes,
  account: string,
  url: string,
  { signal = NEVER, robots: obeysRobots = true, page: settings }: DetectOptions,
  visitedPage: (page: Pick<PreviewPage, 'outcome' | 'reason' | 'bytes'>) => Promise<void>,
): Promise<PageDetection & { readonly url: string }> {
  const target = normaliseUrl(url)
  if (target === null) {
    const message = refusalOf(url) ?? 'The URL is longer than 2,048 characters.'
    const reason = { code: 'invalid_url', message }
    await visitedPage({ outcome: 'failed', reason, bytes: 0 })
    throw new PlatformError('UNPROCESSABLE_CONTENT', undetected(reason))
  }
  const request = await requestOf(target, settings, recipes)
  const pages = (await pagesOf(account)).openPages()
  try {
    const visited = await visitPage(target, {
      egress,
      robots: obeysRobots ? robots : null,
      renderer,
      readDocument: documentsOf(account),
      clock,
      politeness: createPoliteness({ clock, delayMs: 0 }),
      request,
      tries: 1,
      signal,
      isShell: (page) => pages.read(page, signal),
      read: (page) => pages.detect(page, signal),
    })
    const isFetched = visited.outcome === 'fetched'
    await visitedPage({
      outcome: visited.outcome,
      reason: isFetched ? null : visited.reason,
      bytes: isFetched ? visited.bytes : (visited.response?.body.length ?? 0),
    })
    if (isFetched) return { ...visited.answer, url: visited.response.url }
    throw new PlatformError('UNPROCESSABLE_CONTENT', undetected(visited.reason))
  } finally {
    pages.close()
  }
}

function undetected({ code, message }: PageReason): string {
  if (code === TOO_COSTLY)
    return `${message} (${code}). Name the fields yourself, or look at a shorter page`
  return /^(?:pdf|docx|xlsx)_/.test(code) ? message : `The page could not be fetched: ${message}`
}
