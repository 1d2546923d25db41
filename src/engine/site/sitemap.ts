import { Pace } from '../../kernel/pace.ts'
import { EgressError } from '../egress/types.ts'
import type { Egress, RedirectTarget } from '../egress/types.ts'
import type { Robots } from './robots.ts'
import { SitemapParser } from './sitemap-parser.ts'
import type { NormalUrl } from '../../kernel/url.ts'

/** Options of {@link readSitemap}. */
interface SitemapOptions {
  readonly egress: Egress
  /** `null`: robots.txt is not asked. */
  readonly robots: Robots | null
  /** Aborts the reading with its reason. */
  readonly signal: AbortSignal
  /** Stops after this many different page URLs. */
  readonly maxUrls: number
  /**
   * Maximum number of sitemaps read for one index, all levels together. Default
   * {@link MOST_SITEMAPS}.
   */
  readonly maxSitemaps?: number
  /** Ends the reading immediately and keeps the URLs found so far. */
  readonly enough?: AbortSignal
  /** Called before another file is read. `true` ends the reading after the files in flight. */
  readonly isOver?: () => boolean
  /** URLs of files that list pages and were read before. */
  readonly skip?: ReadonlySet<string>
  /**
   * Called after each file, once all of its URLs were returned. `isIndex`: the file listed more
   * files.
   */
  readonly onRead?: (url: string, isIndex: boolean) => Promise<void>
  /** Called for each file whose rest is not read, with the description of its hostile content. */
  readonly onCut?: (url: string, what: string) => void
  /** Splits the reading of a file into slices; for tests. */
  readonly pace?: Pace
}

/** Maximum number of files read for one list of pages. */
const MOST_SITEMAPS = 5_000
/** Maximum number of files of one index in flight. */
const UNDER_WAY = 4
const MAX_DEPTH = 3
const MAX_BYTES = 50 * 1024 * 1024
const MAX_QUEUED = 100_000

interface Sitemap {
  readonly url: NormalUrl
  readonly depth: number
}

interface SitemapFile {
  readonly url: string
  readonly body: Uint8Array
}

/**
 * Yields the page URLs of a sitemap or a feed in batches, each URL once. Reads sitemaps.org XML and
 * its indexes (to a depth of three, without loops), gzip files, RSS, Atom, JSON Feed and plain
 * text. A few nested sitemaps are read concurrently; their URLs come in the order of the index. A
 * nested sitemap that cannot be read is skipped.
 *
 * @throws {EgressError} if the first file cannot be read, or names no page before its hostile
 *   content, and `aborted`
 */
export async function* readSitemap(
  url: NormalUrl,
  options: SitemapOptions,
): AsyncGenerator<NormalUrl[]> {
  const {
    egress,
    robots,
    signal,
    maxUrls,
    maxSitemaps = MOST_SITEMAPS,
    enough,
    isOver = () => false,
    skip,
    onRead,
    onCut,
    pace = new Pace(),
  } = options
  const queue: Sitemap[] = [{ url, depth: 0 }]
  const queued = new Set<string>([url])
  const seen = new Set<string>()
  const left = new AbortController()
  const asking = AbortSignal.any([signal, left.signal, ...(enough ? [enough] : [])])
  const ahead: { readonly sitemap: Sitemap; readonly file: Promise<SitemapFile | null> }[] = []
  let next = 0
  // Only a few files are requested at first, because they may be enough.
  let done = 1
  const goesOn = (): boolean =>
    next < maxSitemaps && seen.size < maxUrls && !enough?.aborted && !isOver()
  const askAhead = (): void => {
    while (ahead.length < Math.min(UNDER_WAY, done) && goesOn()) {
      const sitemap = queue[next]
      if (!sitemap) return
      next++
      if (skip?.has(sitemap.url)) continue
      const file = read(sitemap, { egress, robots, signal: asking })
      // The error is handled when the file's turn comes.
      file.catch(() => {})
      ahead.push({ sitemap, file })
    }
  }
  try {
    for (;;) {
      askAhead()
      const first = ahead.shift()
      if (!first || seen.size >= maxUrls) return
      const file = await unlessEnough(first.file, enough, signal)
      if (enough?.aborted) return
      if (first.sitemap.depth > 0) done++
      if (!file) {
        await onRead?.(first.sitemap.url, false)
        continue
      }
      queued.add(file.url)
      const parser = new SitemapParser(file.url)
      for await (const text of sitemapText(file.body, MAX_BYTES)) {
        // All pieces are already in memory, so awaiting them does not yield to the event loop.
        const rest = pace.step()
        if (rest) await rest
        signal.throwIfAborted()
        if (enough?.aborted) return
        parser.write(text)
        const batch = unseen(parser.take(), seen, maxUrls)
        if (batch.length > 0) yield batch
        if (parser.broken !== null || seen.size >= maxUrls) break
      }
      for (const urls of parser.end()) {
        const batch = unseen(urls, seen, maxUrls)
        if (batch.length > 0) yield batch
        if (seen.size >= maxUrls) break
        const rest = pace.step()
        if (rest) await rest
      }
      const { depth } = first.sitemap
      if (parser.broken !== null && seen.size === 0 && depth === 0 && parser.children.length === 0)
        throw new EgressError('too_large', `The file names no page before ${parser.broken}.`)
      if (parser.broken !== null) onCut?.(file.url, parser.broken)
      for (const child of depth === MAX_DEPTH ? [] : parser.children) {
        if (queue.length >= MAX_QUEUED) break
        if (queued.has(child)) continue
        queued.add(child)
        queue.push({ url: child, depth: depth + 1 })
      }
      await onRead?.(first.sitemap.url, parser.children.length > 0)
    }
  } finally {
    left.abort(new EgressError('aborted', 'The rest of the list is not read.'))
  }
}

/** Returns the file, or `null` if the reading ended meanwhile. */
async function unlessEnough(
  file: Promise<SitemapFile | null>,
  enough: AbortSignal | undefined,
  signal: AbortSignal,
): Promise<SitemapFile | null> {
  try {
    return await file
  } catch (error) {
    if (enough?.aborted && !signal.aborted) return null
    throw error
  }
}

function unseen(urls: readonly NormalUrl[], seen: Set<string>, maxUrls: number): NormalUrl[] {
  return urls.filter((url) => {
    if (seen.size >= maxUrls || seen.has(url)) return false
    seen.add(url)
    return true
  })
}

async function read(
  { url, depth }: Sitemap,
  { egress, robots, signal }: Pick<SitemapOptions, 'egress' | 'robots' | 'signal'>,
): Promise<SitemapFile | null> {
  const isNested = depth > 0
  const admit = async (target: NormalUrl | RedirectTarget): Promise<void> => {
    const answer = await robots?.check(target, signal)
    if (answer && !answer.allowed)
      throw new EgressError(
        answer.reason === 'disallowed' ? 'robots_disallowed' : answer.failure,
        answer.detail,
      )
  }
  try {
    await admit(url)
    const response = await egress({ url, purpose: 'sitemap', signal, onRedirect: admit })
    if (response.status >= 200 && response.status < 300) return response
    if (isNested) return null
    throw new EgressError('protocol', `The site answered ${response.status}.`)
  } catch (error) {
    if (isNested && error instanceof EgressError && error.reason !== 'aborted') return null
    throw error
  }
}

const PIECE = 64 * 1024

/**
 * Yields the text of a sitemap's bytes in pieces. A gzip file (`sitemap.xml.gz`), whatever its name
 * or content type, is unpacked up to the size limit and up to the point where it is damaged.
 */
export async function* sitemapText(body: Uint8Array, maxBytes: number): AsyncGenerator<string> {
  if (body[0] !== 0x1f || body[1] !== 0x8b) {
    const decoder = decoderFor(body)
    for (let position = 0; position < body.byteLength; position += PIECE)
      yield decoder.decode(body.subarray(position, position + PIECE), { stream: true })
    yield decoder.decode()
    return
  }
  const reader = new Blob([new Uint8Array(body)])
    .stream()
    .pipeThrough(new DecompressionStream('gzip'))
    .getReader()
  let decoder: TextDecoder | null = null
  let length = 0
  try {
    while (length < maxBytes) {
      const { done, value } = await reader.read()
      if (done) break
      decoder ??= decoderFor(value)
      length += value.byteLength
      yield decoder.decode(value, { stream: true })
    }
  } catch (error) {
    // The stream reports a damaged or truncated file as a TypeError. The text before that point
    // is valid.
    if (!(error instanceof TypeError)) throw error
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/**
 * Chooses the decoder by byte order mark, then by the XML declaration, else UTF-8, which the
 * protocol demands.
 */
function decoderFor(bytes: Uint8Array): TextDecoder {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le')
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be')
  const start = String.fromCharCode(...bytes.subarray(0, 200))
  const label = /^(?:\xef\xbb\xbf)?<\?xml[^>]*\bencoding=["']([\w.:-]+)["']/i.exec(start)?.[1]
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder() // unknown encoding
  }
}
