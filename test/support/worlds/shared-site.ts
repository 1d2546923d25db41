import { createHash } from 'node:crypto'
import type { Json } from '../../../src/kernel/json.ts'
import { mediaId } from '../../../src/engine/media/link-media.ts'
import type { Answer } from '../fakes/fake-web.ts'
import { pngOf } from '../fakes/image-bytes.ts'

/** A web of several hosts, each with a list of pages; the lists are the start. */
export interface SharedSite {
  readonly pages: Record<string, Answer>
  readonly recipe: { readonly [name: string]: Json }
  readonly rows: readonly Json[]
  readonly urls: number
  /** The addresses of existing images. */
  readonly images: readonly string[]
}

/** The options of a {@link SharedSite}. */
export interface SharedSiteOptions {
  readonly hosts: number
  readonly pages: number
  /** The number of pages at the same time over all processes; by default each has its own. */
  readonly concurrency?: number
  /** Seconds that every robots.txt asks for. */
  readonly crawlDelay?: number
  /**
   * Whether pages have images: of their own, of their host and of the next one, of a host that has
   * no pages, and one that is gone.
   */
  readonly media?: boolean
  /** The least characters of the title of each page. */
  readonly titleLength?: number
}

/** Makes a {@link SharedSite}. */
export function sharedSite({
  hosts,
  pages,
  concurrency,
  crawlDelay,
  media = false,
  titleLength = 0,
}: SharedSiteOptions): SharedSite {
  const web: Record<string, Answer> = {}
  const rows: Json[] = []
  const images = new Map<string, Json>()
  const imagesOf = (host: number, page: number): readonly string[] =>
    media
      ? [
          `${origin(host)}/i/${page}.png`,
          `${origin(host)}/i/own.png`,
          `${origin((host + 1) % hosts)}/i/own.png`,
          `https://cdn.example.net/${page % 3}.png`,
          `${origin(host)}/gone.png`,
        ]
      : []
  const image = (url: string): Json => {
    if (url.endsWith('gone.png'))
      return { sourceUrl: url, error: { code: 'http_404', message: 'The site answered 404' } }
    const cachedImage = images.get(url)
    if (cachedImage !== undefined) return cachedImage
    const body = pngOf(1 + images.size, 1)
    web[url] = { headers: { 'content-type': 'image/png' }, body }
    const item = {
      id: mediaId(createHash('sha256').update(body).digest('hex')),
      contentType: 'image/png',
      bytes: body.length,
      sourceUrl: url,
    }
    images.set(url, item)
    return item
  }
  const titleOf = (host: number, page: number): string =>
    `Page ${page} of ${host}`.padEnd(titleLength, '.')
  const origin = (host: number) => `https://h${host}.example.com`
  for (let host = 0; host < hosts; host++) {
    web[`${origin(host)}/`] =
      Array.from(
        { length: pages },
        (_, page) => `<a class="p" href="/p/${page}">${page} of ${host}</a>`,
      ).join('') +
      `<a class="p" href="${origin((host + 1) % hosts)}/p/0">0 of ${(host + 1) % hosts}</a>`
    if (crawlDelay !== undefined)
      web[`${origin(host)}/robots.txt`] = {
        headers: { 'content-type': 'text/plain' },
        body: `User-agent: *\nCrawl-delay: ${crawlDelay}\n`,
      }
    for (let page = 0; page < pages; page++) {
      web[`${origin(host)}/p/${page}`] = `<h1>${titleOf(host, page)}</h1>${imagesOf(host, page)
        .map((url) => `<img src="${url}">`)
        .join('')}`
      rows.push({
        title: titleOf(host, page),
        link: `${page} of ${host}`,
        ...(media && { images: imagesOf(host, page).map(image) }),
      })
    }
  }
  const recipe = {
    start: { urls: Array.from({ length: hosts }, (_, host) => `${origin(host)}/`) },
    follow: [{ items: 'a.p', links: ':scope', carry: { link: ':scope' }, as: 'page', on: 'start' }],
    crawl: { ...(concurrency !== undefined && { concurrency }), scope: 'any' },
    extract: {
      on: 'page',
      fields: {
        title: 'h1',
        link: { carried: 'link' },
        ...(media && { images: { css: 'img', many: true, as: 'media' } }),
      },
    },
    output: { unique: ['title'] },
  }
  return { pages: web, recipe, rows, urls: hosts * (pages + 1), images: [...images.keys()] }
}
