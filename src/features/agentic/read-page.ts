import type { Robots } from '../../engine/crawl/robots.ts'
import { createPoliteness } from '../../engine/crawl/politeness.ts'
import { parseRetryAfter } from '../../engine/crawl/retry-after.ts'
import type { Egress } from '../../engine/egress/types.ts'
import { PageContent } from '../../engine/extract/page/page-content.ts'
import type { Plan } from '../../engine/recipe/plan.ts'
import { loadPage } from '../../engine/render/load-page.ts'
import type { Renderer } from '../../engine/render/renderer.ts'
import { sha256Hex } from '../../kernel/digest.ts'
import { PlatformError, badRequest } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { normaliseUrl } from '../../kernel/url.ts'
import type { Clock } from '../../ports/clock.ts'
import type { PdfReader } from '../../ports/pdf-reader.ts'
import { isoTime } from '../iso-time.ts'
import type { Admit, Recipes } from '../recipes/service.ts'
import { documentText, mainText } from './document-text.ts'
import { unreadable } from './unreadable.ts'

/** A page as an agent reads it. */
export interface ReadPage {
  readonly url: string
  readonly title: string
  /** Markdown of the main content; of what is no page of HTML, its text. */
  readonly text: string
  readonly metadata: { readonly [name: string]: Json }
}

/** Reads a page. @throws {PlatformError} 400 for what is no URL, 422 with the reason where nothing can be read */
export type PageReader = (url: string, signal: AbortSignal) => Promise<ReadPage>

/** What {@link createPageReader} works with. */
export interface PageReaderOptions {
  readonly egress: Egress
  readonly robots: Robots
  /** `null`: there is no browser. */
  readonly renderer: Renderer | null
  readonly recipes: Recipes
  readonly readPdf: PdfReader
  readonly clock: Clock
}

const LIMIT_MS = 45_000

/** Reads single pages as robots.txt and their hosts allow; nothing is stored. */
export function createPageReader({ egress, robots, renderer, recipes, readPdf, clock }: PageReaderOptions): PageReader {
  const load = async (url: string, { request }: Plan, signal: AbortSignal) => {
    const politeness = createPoliteness({ clock, delayMs: 0 })
    politeness.started(url)
    return loadPage(url, { egress, robots, renderer, clock, politeness, request, signal, isEmpty: (page) => mainText(new PageContent(page)) === null })
  }
  const read = async (url: string, plan: Plan, signal: AbortSignal): Promise<ReadPage> => {
    const loaded = await load(url, plan, signal)
    if (loaded.outcome !== 'fetched') {
      const wait = parseRetryAfter(loaded.response?.headers['retry-after'], clock.now())
      throw unreadable({ ...loaded.reason, retryAfter: wait === null ? null : Math.ceil(wait / 1_000) })
    }
    const { page, response } = loaded
    const { title, text, facts } = await documentText(new PageContent(page), page, readPdf, signal)
    return {
      url: page.url,
      title: title ?? page.url,
      text,
      metadata: { ...facts, site: facts['site'] ?? new URL(page.url).hostname, contentType: page.contentType, fetchedAt: isoTime(clock.now()), sha256: await sha256Hex(new Uint8Array(response.body)) },
    }
  }
  return async (given, signal) => {
    const url = normaliseUrl(given)
    if (url === null) throw badRequest([{ path: 'arguments.id', message: 'must be an http or https URL, an id from search, or a nextId' }])
    const recipe = { start: { urls: [`${new URL(url).origin}/`] }, formats: ['markdown'], ...(renderer && { page: { render: 'auto' } }) }
    const plan = admitted(recipe, await recipes.prepare(recipe))
    const stop = new AbortController()
    clock.sleep(LIMIT_MS, stop.signal).then(() => stop.abort(), () => {})
    try {
      return await read(url, plan, AbortSignal.any([signal, stop.signal]))
    } catch (error) {
      if (stop.signal.aborted && !signal.aborted) throw unreadable({ code: 'timeout', message: `It took more than ${LIMIT_MS / 1_000} seconds` })
      throw error
    } finally {
      stop.abort()
    }
  }
}

/** What is wrong with the recipe of a single page is wrong with its address. */
function admitted(recipe: Json, admit: Admit): Plan {
  try {
    return admit(recipe)
  } catch (error) {
    if (!(error instanceof PlatformError && error.code === 'BAD_REQUEST')) throw error
    throw badRequest(error.issues.map(({ message }) => ({ path: 'arguments.id', message })))
  }
}
