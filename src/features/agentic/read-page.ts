import type { Robots } from '../../engine/site/robots.ts'
import { createPoliteness } from '../../engine/site/politeness.ts'
import { parseRetryAfter } from '../../engine/egress/retry-after.ts'
import type { Egress } from '../../engine/egress/types.ts'
import { contentKind } from '../../engine/extract/page/content-type.ts'
import type { CrawlPlan } from '../../engine/plan/plan.ts'
import { loadPage } from '../../engine/visit/load-page.ts'
import type { LoadedPage } from '../../engine/visit/load-page.ts'
import type { Renderer } from '../../engine/render/renderer.ts'
import { sha256Hex } from '../../kernel/crypto.ts'
import { PlatformError, badRequest } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { PageFailure, PdfFailure } from '../../kernel/failures.ts'
import { normaliseUrl } from '../../kernel/url.ts'
import type { Clock } from '../../ports/clock.ts'
import type { OpenPages, Page, PageShell, PageText } from '../../ports/page-processor.ts'
import type { PdfReader } from '../../ports/pdf-reader.ts'
import type { PagesOf } from '../ledger/account-plan.ts'
import { givenUp, ranOver } from '../common/page-too-costly.ts'
import { isoTime } from '../common/time.ts'
import { withPaths } from '../common/issue-paths.ts'
import { takeRecipe } from '../recipes/service.ts'
import type { Recipes } from '../recipes/service.ts'

/** A page in the form that an agent reads. */
export interface ReadPage {
  readonly url: string
  readonly title: string
  /** Markdown of the main content. For a page that is not HTML, its text. */
  readonly text: string
  readonly metadata: { readonly [name: string]: Json }
}

/**
 * Reads a page.
 *
 * @throws {PlatformError} 400 for a text that is not a URL, 422 with the reason if nothing can be
 *   read
 */
export type PageReader = (url: string, account: string, signal: AbortSignal) => Promise<ReadPage>

/** Options of {@link createPageReader}. */
export interface PageReaderOptions {
  readonly egress: Egress
  readonly robots: Robots
  /** `null`: there is no browser. */
  readonly renderer: Renderer | null
  readonly recipes: Recipes
  readonly readPdf: PdfReader
  /** Opens pages within the limits of an account. */
  readonly pagesOf: PagesOf
  readonly clock: Clock
}

const LIMIT_MS = 45_000
const NOTHING = new Uint8Array()
const OVERRUN_HINT =
  'The page was too costly to read whole: look for a shorter page, or a part of it with an address of its own'

/** Reads single pages as robots.txt and the hosts' limits allow. Stores nothing. */
export function createPageReader({
  egress,
  robots,
  renderer,
  recipes,
  readPdf,
  pagesOf,
  clock,
}: PageReaderOptions): PageReader {
  const load = async (
    url: string,
    { request }: CrawlPlan,
    isShell: (page: Page) => Promise<PageShell>,
    signal: AbortSignal,
  ): Promise<LoadedPage> => {
    const politeness = createPoliteness({ clock, delayMs: 0 })
    politeness.started(url)
    return loadPage(url, { egress, robots, renderer, clock, politeness, request, signal, isShell })
  }
  const read = async (
    url: string,
    plan: CrawlPlan,
    pages: OpenPages,
    signal: AbortSignal,
  ): Promise<ReadPage> => {
    /** The text of the page before rendering, if it was read. */
    const tried: PageText[] = []
    const isShell = async (page: Page): Promise<PageShell> => {
      const found = await pages.read(page, signal)
      tried.push(found)
      return found
    }
    const loaded = await load(url, plan, isShell, signal)
    if (loaded.outcome !== 'fetched') {
      const wait = parseRetryAfter(loaded.response?.headers['retry-after'], clock.now())
      throw unreadable({
        ...loaded.reason,
        retryAfter: wait === null ? null : Math.ceil(wait / 1_000),
      })
    }
    const { page, response, rendered } = loaded
    const found =
      (rendered === null ? tried[0] : undefined) ??
      (await pages.read(await withPdf(page, readPdf, signal), signal))
    const { title, facts } = found
    const text = textOf(found, page)
    return {
      url: page.url,
      title: title ?? page.url,
      text,
      metadata: {
        ...facts,
        site: facts['site'] ?? new URL(page.url).hostname,
        contentType: page.contentType,
        fetchedAt: isoTime(clock.now()),
        sha256: await sha256Hex(new Uint8Array(response.body)),
        ...((found.overrun ?? found.cuts) && { truncated: true, hint: OVERRUN_HINT }),
      },
    }
  }
  return async (given, account, signal) => {
    const url = normaliseUrl(given)
    if (url === null)
      throw badRequest([
        {
          path: 'arguments.id',
          message: 'must be an http or https URL, an id from search, or a nextId',
        },
      ])
    const recipe = {
      start: { urls: [`${new URL(url).origin}/`] },
      formats: ['markdown'],
      ...(renderer && { page: { render: 'auto' } }),
    }
    const plan = await admitted(recipe, recipes)
    const pages = (await pagesOf(account)).openPages()
    const stop = new AbortController()
    clock.sleep(LIMIT_MS, stop.signal).then(
      () => stop.abort(),
      () => {},
    )
    try {
      return await read(url, plan, pages, AbortSignal.any([signal, stop.signal]))
    } catch (error) {
      if (stop.signal.aborted && !signal.aborted)
        throw unreadable({
          code: 'timeout',
          message: `It took more than ${LIMIT_MS / 1_000} seconds`,
        })
      if (error instanceof PageFailure) throw unreadable(givenUp(error))
      throw error
    } finally {
      stop.abort()
      pages.close()
    }
  }
}

/**
 * Adds the text of a PDF to a page. A PDF is recognised by its first bytes (ISO 32000-2, 7.5.2),
 * whatever its content type.
 */
async function withPdf(page: Page, readPdf: PdfReader, signal: AbortSignal): Promise<Page> {
  const { contentType, body, url } = page
  if (
    contentKind(contentType, body, url) !== 'pdf' &&
    String.fromCharCode(...body.subarray(0, 5)) !== '%PDF-'
  )
    return page
  const pdf = await readPdf(body, signal).catch((error: unknown) => {
    signal.throwIfAborted()
    if (!(error instanceof PdfFailure)) throw error
    throw unreadable({ code: 'pdf', message: error.message })
  })
  if (pdf.text.trim() === '')
    throw unreadable({ code: 'no_text', message: 'It is a PDF without text' })
  return { ...page, body: NOTHING, pdf }
}

/** @throws {PlatformError} 422 if there is no text */
function textOf({ text, isReadable, ...losses }: PageText, { contentType }: Page): string {
  if (!isReadable)
    throw unreadable({
      code: 'content_type',
      message: `It is ${contentType === '' ? 'of no known type' : contentType.slice(0, 100)}`,
    })
  if (text !== null) return text
  throw unreadable(ranOver(losses) ?? { code: 'no_text', message: 'It has no text' })
}

/** Admits the recipe of a single page. Its errors are reported as errors of the address. */
async function admitted(written: Json, recipes: Recipes): Promise<CrawlPlan> {
  try {
    return await recipes.admit(takeRecipe(written))
  } catch (error) {
    throw withPaths(error, () => 'arguments.id')
  }
}

const ADVICE: Readonly<Record<string, string>> = {
  robots_disallowed: 'The site asks robots to stay away from it: use another page or source',
  challenge: 'The site lets no programs in: use another source',
  http_401: 'It takes a login: use another source',
  http_403: 'The site does not let this service in: use another source',
  http_404: 'Check the address, or search for the page',
  http_410: 'It is gone for good: search for another page',
  http_429: 'The site wants fewer requests: try again in some minutes, or use another source',
  site_unreachable: 'Check the address, or try again later',
  refused: 'Only addresses on the public internet can be read',
  invalid_url: 'Check the address',
  dns: 'Check the name in the address',
  too_large: 'Look for a shorter page, or a part of it with an address of its own',
  too_many_redirects: 'Look for the address that it leads to',
  content_type:
    'Fetch a page of text instead: HTML, PDF, JSON, XML, feeds, CSV and plain text can be read',
  no_text:
    'Look for a page that has the text itself: scripts may write it here, or it may be pictures alone',
  page_too_costly: 'Look for a shorter page, or a part of it with an address of its own',
  pdf: 'Look for the same text as a web page',
}
const LATER = 'Try again later, or use another source'

/** Why a page gave no text. `code`: of the page's outcome, or a key of {@link ADVICE}. */
interface Unreadable {
  readonly code: string
  /** Text for people, without a final full stop. */
  readonly message: string
  /** Seconds after which the site allows the next request. */
  readonly retryAfter?: number | null
}

/** The 422 error for a page that cannot be read, with advice. */
function unreadable({ code, message, retryAfter = null }: Unreadable): PlatformError {
  const why = message.replace(/\.$/, '')
  return new PlatformError(
    'UNPROCESSABLE_CONTENT',
    `The page could not be read: ${why} (${code}). ${ADVICE[code] ?? LATER}`,
    retryAfter === null ? {} : { headers: { 'Retry-After': String(retryAfter) } },
  )
}
