import { originOf, partsOf } from '../../kernel/url.ts'
import type { NormalUrl } from '../../kernel/url.ts'
import { DocumentFailure, PageFailure, RenderFailure } from '../../kernel/failures.ts'
import type { Page, PageShell } from '../../ports/page-processor.ts'
import type { DocumentFormat, DocumentReader } from '../../ports/document-reader.ts'
import { fetchPage } from './fetch-page.ts'
import type { FetchedPage, FetchPageOptions } from './fetch-page.ts'
import { givenUp } from './page-too-costly.ts'
import { withoutSecrets } from '../egress/headers.ts'
import type { EgressResponse } from '../egress/types.ts'
import { readablePage } from '../extract/document/prepare-page.ts'
import { contentKind } from '../extract/page/content-type.ts'
import type { CrawlPlan } from '../plan/plan.ts'
import type { Rendered, Renderer, RenderSettings } from '../render/renderer.ts'

/** Dependencies and options of {@link loadPage}. */
export interface LoadPageOptions extends Omit<FetchPageOptions, 'headers' | 'timeoutMs'> {
  readonly request: CrawlPlan['request']
  /** `null` if there is no browser: pages are then used as fetched. */
  readonly renderer: Renderer | null
  /** If absent or `null`, documents are not read: PDFs and Office files. */
  readonly readDocument?: DocumentReader | null
  /** The document formats that are read. Absent: all. */
  readonly readsDocument?: (format: DocumentFormat) => boolean
  /**
   * Returns whether a fetched page needs its scripts (`needsBrowser`). Called only if the recipe
   * has `render: "auto"`.
   */
  readonly isShell: (page: Page) => Promise<PageShell>
}

/** A page to process. `response`: as fetched; `rendered`: as a browser rendered it. */
export type LoadedPage =
  | {
      readonly outcome: 'fetched'
      readonly reason: null
      readonly response: EgressResponse
      readonly page: Page
      readonly rendered: Rendered | null
      readonly bytes: number
    }
  | Exclude<FetchedPage, { readonly outcome: 'fetched' }>

/**
 * Fetches a page and, if the recipe asks for it, renders the response. So robots.txt, delays,
 * retries and the meaning of statuses are the same for both. Whatever the site does, the result is
 * an outcome with a reason. Rejects only with the signal's reason.
 */
export async function loadPage(
  url: NormalUrl,
  {
    request,
    renderer,
    readDocument = null,
    readsDocument = () => true,
    isShell,
    ...options
  }: LoadPageOptions,
): Promise<LoadedPage> {
  const { timeoutMs, render } = request
  const { robots, signal, clock, notes } = options
  const fetched = await fetchPage(url, {
    ...options,
    headers: headersFor(originOf(url), request),
    timeoutMs,
  })
  if (fetched.outcome !== 'fetched') return fetched
  const { response } = fetched
  const page: Page = {
    url: response.url,
    contentType: response.headers['content-type'] ?? '',
    body: response.body,
    requestedUrl: url,
    status: response.status,
    visitedAt: options.clock.now(),
  }
  const read = await readAs(page, readDocument, readsDocument, signal)
  if (read instanceof DocumentFailure)
    return {
      outcome: 'failed',
      reason: {
        code: `${read.format}_${read.reason}`,
        message: `The page could not be read: ${read.message}`,
      },
      response,
    }
  if (read instanceof PageFailure) return { outcome: 'failed', reason: givenUp(read), response }
  const fetchedPage = { ...fetched, rendered: null, bytes: response.body.length }
  if (render === null || renderer === null || !isHtml(page)) return { ...fetchedPage, page: read }
  const shell = render.mode === 'auto' ? await isShell(page) : null
  // The shell check's cost belongs to the same visit, whichever of the two pages is processed.
  const basePage: Page = shell === null ? page : { ...page, spent: shell.spent }
  if (shell?.isShell === false) return { ...fetchedPage, page: basePage }
  const renderedFrom = clock.now()
  try {
    const rendered = await renderer.render(response, {
      ...render,
      headers: headersFor(partsOf(response.url)?.origin ?? '', request),
      timeoutMs,
      robots,
      signal,
    })
    return {
      ...fetchedPage,
      page: {
        ...basePage,
        url: withoutFragment(rendered.url),
        contentType: 'text/html; charset=utf-8',
        body: new TextEncoder().encode(rendered.html),
      },
      rendered,
      bytes: response.body.length + rendered.bytes,
    }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof RenderFailure)) throw error
    return {
      outcome: 'failed',
      reason: { code: `render_${error.reason}`, message: error.message },
      response,
    }
  } finally {
    notes?.rendered(clock.now() - renderedFrom)
  }
}

/**
 * The headers of a page request. A link may lead anywhere, but a recipe's keys and cookies are only
 * for the sites that it names.
 */
function headersFor(
  origin: string,
  { headers, headersTo }: CrawlPlan['request'],
): CrawlPlan['request']['headers'] {
  return headersTo.includes(origin) ? headers : withoutSecrets(headers)
}

/**
 * Adds the data to a page that is needed to read it. If a document cannot be read, returns the
 * reason.
 */
async function readAs(
  page: Page,
  readDocument: DocumentReader | null,
  readsDocument: (format: DocumentFormat) => boolean,
  signal: AbortSignal,
): Promise<Page | DocumentFailure | PageFailure> {
  try {
    return await readablePage(page, readDocument, signal, readsDocument)
  } catch (error) {
    if (error instanceof DocumentFailure || error instanceof PageFailure) return error
    throw error
  }
}

function isHtml({ contentType, body, url }: Page): boolean {
  return contentKind(contentType, body, url) === 'html'
}

/** Returns the request without a screenshot, for a page whose screenshot is not stored. */
export function withoutPicture(request: CrawlPlan['request']): CrawlPlan['request'] {
  return request.render === null
    ? request
    : { ...request, render: { ...request.render, screenshot: null } }
}

/**
 * Returns the request with a screenshot of this kind, if a browser renders the page. Images are
 * loaded as they would be without the screenshot, because loaded or failed images may change the
 * content that scripts write.
 */
export function withPicture(
  request: CrawlPlan['request'],
  screenshot: RenderSettings['screenshot'],
): CrawlPlan['request'] {
  const { render } = request
  return render === null
    ? request
    : {
        ...request,
        render: {
          ...render,
          screenshot,
          assets: render.screenshot !== null,
          isScreenshotOptional: true,
        },
      }
}

function withoutFragment(url: string): string {
  const position = url.indexOf('#')
  return position === -1 ? url : url.slice(0, position)
}
