import type { Robots } from '../../engine/site/robots.ts'
import { EgressError } from '../../engine/egress/types.ts'
import type { Egress } from '../../engine/egress/types.ts'
import { readablePage } from '../../engine/extract/document/prepare-page.ts'
import type { ReadByModel } from '../../engine/model/model-reader.ts'
import type { Renderer } from '../../engine/render/renderer.ts'
import { PlatformError, badRequest } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { PageFailure, PdfFailure } from '../../kernel/failures.ts'
import type { Clock } from '../../ports/clock.ts'
import type { PageDetection } from '../../ports/page-processor.ts'
import type { PdfReader } from '../../ports/pdf-reader.ts'
import type { PagesOf } from '../ledger/account-plan.ts'
import type { FindStarts } from '../common/find-starts.ts'
import { withPaths } from '../common/issue-paths.ts'
import { takeRecipe } from '../recipes/service.ts'
import type { Recipes } from '../recipes/service.ts'
import type { ParsedRecipe } from '../../engine/recipe/parse-recipe.ts'
import { writtenOf } from './preview.ts'
import type { Preview } from './preview.ts'
import { PreviewRun, pageOf } from './preview-run.ts'
import { reportFields, reportRules, firstRows } from './report.ts'
import { DryRun } from './dry-run.ts'
import type { OpenForDryRun } from './dry-run.ts'
import { warningsOf } from './warnings.ts'

/** Time limit of a preview, in ms. */
const LIMIT_MS = 20_000
/** Time limit if a model reads the pages, in ms. */
const MODEL_LIMIT_MS = 60_000
const MOST_ROWS = 100
const NEVER = new AbortController().signal
const START_URLS = 'recipe.start.urls'

/** Dependencies for visiting pages. */
export interface InspectOptions {
  readonly findStarts: FindStarts
  readonly egress: Egress
  readonly robots: Robots
  /** `null`: there is no browser. */
  readonly renderer: Renderer | null
  readonly readPdf: PdfReader
  /** `null`: there is no model. */
  readonly model: ReadByModel | null
  /** Opens pages within the limits of an account. */
  readonly pagesOf: PagesOf
  readonly clock: Clock
}

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
  { findStarts, egress, robots, renderer, readPdf, model, clock }: InspectOptions,
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
    trial: dryRun,
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
    warnings: warningsOf({ trial: dryRun, run, fields, links, maxUrls, shown: rows.length }),
    proposal,
  }
}

/**
 * Detects what can be extracted from a page.
 *
 * @throws {PlatformError} 422 with the reason if the page cannot be fetched, or is too expensive to
 *   inspect
 */
export async function detectAt(
  { egress, readPdf, pagesOf }: InspectOptions,
  account: string,
  url: string,
  signal: AbortSignal = NEVER,
): Promise<PageDetection & { readonly url: string }> {
  const response = await egress({ url, purpose: 'page', signal }).catch((error: unknown) => {
    if (error instanceof EgressError)
      throw unprocessable(`The page could not be fetched: ${error.message}`, error)
    throw error
  })
  if (response.status >= 400)
    throw unprocessable(`The page could not be fetched: the site answered ${response.status}`)
  const pages = (await pagesOf(account)).openPages()
  try {
    const fetched = {
      url: response.url,
      contentType: response.headers['content-type'] ?? '',
      body: response.body,
    }
    return {
      ...(await pages.detect(await readablePage(fetched, readPdf, signal), signal)),
      url: response.url,
    }
  } catch (error) {
    if (error instanceof PdfFailure)
      throw unprocessable(`The page could not be read: ${error.message}`, error)
    if (error instanceof PageFailure)
      throw unprocessable(
        `${error.message} (page_too_costly). Name the fields yourself, or look at a shorter page`,
        error,
      )
    throw error
  } finally {
    pages.close()
  }
}

function unprocessable(message: string, cause?: unknown): PlatformError {
  return new PlatformError('UNPROCESSABLE_CONTENT', message, { cause })
}
