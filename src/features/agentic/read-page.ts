import type { Robots } from '../../engine/crawl/robots.ts'
import { createPoliteness } from '../../engine/crawl/politeness.ts'
import type { Egress } from '../../engine/egress/types.ts'
import { formatPage } from '../../engine/extract/format/format-page.ts'
import { PageContent } from '../../engine/extract/page/page-content.ts'
import { loadPage } from '../../engine/render/load-page.ts'
import type { Renderer } from '../../engine/render/renderer.ts'
import { sha256Hex } from '../../kernel/digest.ts'
import { PlatformError, badRequest } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { normaliseUrl } from '../../kernel/url.ts'
import type { Clock } from '../../ports/clock.ts'
import { isoTime } from '../iso-time.ts'
import type { Recipes } from '../recipes/service.ts'

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
  readonly clock: Clock
}

const LIMIT_MS = 45_000
const FACTS = ['author', 'date', 'site', 'language', 'description'] as const

/** Reads single pages as robots.txt and their hosts allow; nothing is stored. */
export function createPageReader({ egress, robots, renderer, recipes, clock }: PageReaderOptions): PageReader {
  const load = async (url: string, signal: AbortSignal) => {
    const { request } = recipes.admit({ start: { urls: [`${new URL(url).origin}/`] }, formats: ['markdown'], ...(renderer && { page: { render: 'auto' } }) })
    const politeness = createPoliteness({ clock, delayMs: 0 })
    politeness.started(url)
    return loadPage(url, { egress, robots, renderer, clock, politeness, request, signal, isEmpty: (page) => textOf(new PageContent(page)) === null })
  }
  return async (given, signal) => {
    const url = normaliseUrl(given)
    if (url === null) throw badRequest([{ path: 'arguments.id', message: 'must be an http or https URL, an id from search, or a nextId' }])
    const stop = new AbortController()
    clock.sleep(LIMIT_MS, stop.signal).then(() => stop.abort(), () => {})
    let loaded: Awaited<ReturnType<typeof load>>
    try {
      loaded = await load(url, AbortSignal.any([signal, stop.signal]))
    } catch (error) {
      if (stop.signal.aborted && !signal.aborted) throw unreadable('it took too long; try again later')
      throw error
    } finally {
      stop.abort()
    }
    if (loaded.outcome !== 'fetched') throw unreadable(`${loaded.reason.message} (${loaded.reason.code})`)
    const { page } = loaded
    const content = new PageContent(page)
    const text = textOf(content)
    if (text === null) throw unreadable(content.kind === 'other' ? `it is ${page.contentType || 'of no known type'}, and this reads HTML, XML, JSON, feeds and plain text` : 'it has no text; scripts may write it, which takes a browser')
    const facts = objectOf(formatPage(content, 'metadata'))
    const article = objectOf(formatPage(content, 'article'))
    const metadata: Record<string, Json> = Object.fromEntries(FACTS.map((name) => [name, facts[name] ?? null]))
    const { title } = facts
    return {
      url: page.url,
      title: typeof title === 'string' && title !== '' ? title : page.url,
      text,
      metadata: { ...metadata, wordCount: article['wordCount'] ?? null, contentType: page.contentType, fetchedAt: isoTime(clock.now()), sha256: await sha256Hex(new Uint8Array(loaded.response.body)) },
    }
  }
}

function textOf(content: PageContent): string | null {
  const markdown = formatPage(content, 'markdown') ?? formatPage(content, 'text')
  return typeof markdown === 'string' && markdown.trim() !== '' ? markdown : null
}

function objectOf(value: Json): { readonly [name: string]: Json } {
  return isObject(value) ? value : {}
}

function isObject(value: Json): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function unreadable(why: string): PlatformError {
  return new PlatformError('UNPROCESSABLE_CONTENT', `The page could not be read: ${why}`)
}
