import { createPoliteness } from '../../engine/site/politeness.ts'
import { parseRetryAfter } from '../../engine/egress/retry-after.ts'
import { withDocument } from '../../engine/extract/document/prepare-page.ts'
import { contentKind, documentFormat, isDocument } from '../../engine/extract/page/content-type.ts'
import type { CrawlPlan } from '../../engine/plan/plan.ts'
import { ranOver } from '../../engine/visit/page-too-costly.ts'
import { visitPage } from '../../engine/visit/visit-page.ts'
import { sha256Hex } from '../../kernel/crypto.ts'
import { badRequest } from '../../kernel/errors.ts'
import { untilLate } from '../../kernel/in-time.ts'
import type { Json } from '../../kernel/json.ts'
import { DocumentFailure } from '../../kernel/failures.ts'
import { normaliseUrl, originOf } from '../../kernel/url.ts'
import type { NormalUrl } from '../../kernel/url.ts'
import type { OpenPages, Page, PageText } from '../../ports/page-processor.ts'
import type { DocumentReader } from '../../ports/document-reader.ts'
import { isoTime } from '../common/time.ts'
import { withPaths } from '../common/issue-paths.ts'
import { takeRecipe } from '../recipes/service.ts'
import type { Recipes } from '../recipes/service.ts'
import type { WebAccess } from '../common/web-access.ts'
import { UnreadablePage } from './unreadable-page.ts'
import type { Unreadable } from './unreadable-page.ts'

/** A page in the form that an agent reads. */
export interface ReadPage {
  readonly url: string
  readonly title: string
  /** Markdown of the main content. For a page that is not HTML, its text. */
  readonly text: string
  readonly metadata: { readonly [name: string]: Json }
  /** Bytes of the response. */
  readonly bytes: number
  /** A browser rendered it. */
  readonly rendered: boolean
}

/**
 * Reads a page.
 *
 * @throws {PlatformError} 400 for a text that is not a URL, 422 with the reason if nothing can be
 *   read
 */
export type PageReader = (
  page: { readonly address: string; readonly argument: 'id' | 'url' },
  account: string,
  signal: AbortSignal,
) => Promise<ReadPage>

/**
 * The first heading of a page that has no other title. Its text must not begin with a blank, so
 * that the many blanks that may precede it match in one way only.
 */
const HEADING = /^#{1,3} +(\S[^\n]{0,299})$/m
/** Characters at the start of a page where its heading is looked for. */
const HEADING_WITHIN = 20_000
const LIMIT_MS = 45_000
const NOTHING = new Uint8Array()
const OVERRUN_HINT =
  'The page was too costly to read whole: look for a shorter page, or for a part of it that has its own URL'

/** Reads single pages as robots.txt and the hosts' limits allow. Stores nothing. */
export function createPageReader(
  { egress, robots, renderer, documentsOf, pagesOf, clock }: WebAccess,
  recipes: Recipes,
): PageReader {
  const read = async (
    url: NormalUrl,
    { request }: CrawlPlan,
    { pages, account }: { readonly pages: OpenPages; readonly account: string },
    signal: AbortSignal,
  ): Promise<ReadPage> => {
    const politeness = createPoliteness({ clock, delayMs: 0 })
    politeness.reserve(url)
    /** The text of the page before rendering, if it was read. */
    let fetchedText: PageText | undefined
    const visited = await visitPage(url, {
      egress,
      robots,
      renderer,
      clock,
      politeness,
      request,
      signal,
      isShell: async (page) => (fetchedText = await pages.read(page, signal)),
      read: async (page, rendered) =>
        (rendered === null ? fetchedText : undefined) ??
        pages.read(await readable(page, documentsOf(account), signal), signal),
    })
    if (visited.outcome !== 'fetched') {
      const wait = parseRetryAfter(visited.response?.headers['retry-after'], clock.now())
      throw unreadable({
        ...visited.reason,
        outcome: visited.outcome,
        bytes: visited.response?.body.length ?? 0,
        retryAfter: wait === null ? null : Math.ceil(wait / 1_000),
      })
    }
    const { page, response, answer, rendered } = visited
    const { title, facts } = answer
    const text = textOf(answer, page)
    return {
      url: page.url,
      title: title ?? HEADING.exec(text.slice(0, HEADING_WITHIN))?.[1]?.trim() ?? page.url,
      text,
      bytes: response.body.length,
      rendered: rendered !== null,
      metadata: {
        ...facts,
        site: facts['site'] ?? new URL(page.url).hostname,
        contentType: page.contentType,
        fetchedAt: isoTime(clock.now()),
        sha256: await sha256Hex(new Uint8Array(response.body)),
        ...((answer.overrun ?? answer.cuts) && { truncated: true, hint: OVERRUN_HINT }),
      },
    }
  }
  return async ({ address, argument }, account, signal) => {
    const url = normaliseUrl(address)
    if (url === null)
      throw badRequest([
        {
          path: `arguments.${argument}`,
          message:
            argument === 'url'
              ? 'must be an http or https URL'
              : 'must be an http or https URL, an id from search, or a nextId',
        },
      ])
    const recipe = {
      start: { urls: [`${originOf(url)}/`] },
      formats: ['markdown'],
      ...(renderer && { page: { render: 'auto' } }),
    }
    const plan = await admitted(recipe, recipes, argument)
    const pages = (await pagesOf(account)).openPages()
    const message = `It took more than ${LIMIT_MS / 1_000} seconds`
    const failure = () => unreadable({ code: 'timeout', message })
    try {
      // The caller waits for this work, because it holds pages. It ends when its signal aborts. Its
      // error does not matter.
      return await untilLate({ clock, ms: LIMIT_MS, signal, failure }, async (until) => {
        try {
          return await read(url, plan, { pages, account }, until)
        } catch (error) {
          until.throwIfAborted()
          throw error
        }
      })
    } finally {
      pages.close()
    }
  }
}

/**
 * Adds the text of a PDF or an Office file to a page. Such a file is recognised by its bytes,
 * whatever its content type.
 */
async function readable(
  page: Page,
  readDocument: DocumentReader,
  signal: AbortSignal,
): Promise<Page> {
  const { contentType, body, url } = page
  const kind = contentKind(contentType, body, url)
  const format = isDocument(kind) ? kind : documentFormat(body)
  if (format === null) return page
  const document = await readDocument(body, format, signal).catch((error: unknown) => {
    signal.throwIfAborted()
    if (!(error instanceof DocumentFailure)) throw error
    throw unreadable({ code: error.format, message: error.message })
  })
  if ('text' in document && document.text.trim() === '')
    throw unreadable(
      ranOver(document.spent ?? {}) ?? {
        code: 'no_text',
        message: 'It is a document without text',
      },
    )
  return withDocument({ ...page, body: NOTHING }, document)
}

/** Types that a refusal names. Any other type is a text of the site, which may contain instructions. */
const KNOWN_TYPES: ReadonlySet<string> = new Set([
  ...['gzip', 'octet-stream', 'wasm', 'zip'].map((name) => `application/${name}`),
  ...['mpeg', 'ogg', 'wav'].map((name) => `audio/${name}`),
  ...['avif', 'gif', 'jpeg', 'png', 'webp'].map((name) => `image/${name}`),
  ...['mp4', 'webm'].map((name) => `video/${name}`),
])
const KNOWN_GROUP = /^(?:application|audio|font|image|model|video)(?=\/)/

/** The type of a page, never as a text of the site. */
function typeOf(contentType: string): string {
  const [type = ''] = contentType.slice(0, 200).toLowerCase().split(';')
  return KNOWN_TYPES.has(type.trim()) ? type.trim() : (KNOWN_GROUP.exec(type)?.[0] ?? 'unknown')
}

/** @throws {PlatformError} 422 if there is no text */
function textOf({ text, isReadable, isShell, ...losses }: PageText, { contentType }: Page): string {
  if (!isReadable)
    throw unreadable({
      code: 'content_type',
      message: `Its type is ${typeOf(contentType)}`,
    })
  if (text !== null) return text
  throw unreadable(
    ranOver(losses) ??
      (isShell
        ? { code: 'needs_scripts', message: 'It is written by scripts, and no browser ran them' }
        : { code: 'no_text', message: 'It has no text' }),
  )
}

/** Admits the recipe of a single page. Its errors are reported as errors of the address. */
async function admitted(recipe: Json, recipes: Recipes, argument: string): Promise<CrawlPlan> {
  try {
    return await recipes.admit(takeRecipe(recipe))
  } catch (error) {
    throw withPaths(error, () => `arguments.${argument}`)
  }
}

const ADVICE: Readonly<Record<string, string>> = {
  robots_disallowed: 'robots.txt of the site forbids this page: use another page or source',
  challenge: 'The site blocks automated clients: use another source',
  http_401: 'The page needs a login: use another source',
  http_403: 'The site refuses this service: use another source',
  http_404: 'Check the address, or search for the page',
  http_410: 'It was removed permanently: search for another page',
  http_429: 'The site limits requests: try again in a few minutes, or use another source',
  site_unreachable: 'Check the address, or try again later',
  refused: 'Only addresses on the public internet can be read',
  invalid_url: 'Check the address',
  dns: 'Check the name in the address',
  too_large: 'Look for a shorter page, or for a part of it that has its own URL',
  too_many_redirects: 'Search for the URL that it redirects to',
  content_type:
    'Fetch a page of text instead: HTML, PDF, Word, Excel, JSON, XML, feeds, CSV and plain text can be read',
  no_text: 'Look for another page with the text: here it may be in images',
  needs_scripts: 'Look for the same text on another page, or for the URL of the data itself',
  page_too_costly: 'Look for a shorter page, or for a part of it that has its own URL',
  ...Object.fromEntries(
    ['pdf', 'docx', 'xlsx'].map((format) => [format, 'Look for the same text as a web page']),
  ),
}
const LATER = 'Try again later, or use another source'

/** The error for a page that cannot be read, with advice. */
function unreadable(facts: Unreadable): UnreadablePage {
  const { code, message } = facts
  const why = message.replace(/\.$/, '')
  return new UnreadablePage(
    facts,
    `The page could not be read: ${why} (${code}). ${ADVICE[code] ?? LATER}`,
  )
}
