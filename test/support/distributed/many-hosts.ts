import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { pngOf } from '../fakes/image-bytes.ts'

/** A site on many addresses of this machine, each page slow. */
export interface ManyHosts {
  readonly recipe: object
  /** The titles that the recipe must give, each once. */
  readonly titles: readonly string[]
  readonly urls: number
  readonly media: boolean
  /** When each request came, by `performance.now()`. */
  readonly arrivals: readonly number[]
  /** The largest number of requests at the same time. */
  readonly most: number
  close(): void
}

/**
 * Starts it: `hosts` lists of `pages` pages each, every answer after `latencyMs`; `concurrency` is
 * for the recipe. With `media` each page has two images, of its own host and of the next.
 */
export async function startManyHosts({
  hosts,
  pages,
  latencyMs,
  concurrency,
  media = false,
}: {
  hosts: number
  pages: number
  latencyMs: number
  concurrency?: number
  media?: boolean
}): Promise<ManyHosts> {
  const arrivals: number[] = []
  let under = 0
  let most = 0
  const server = createServer((request, response) => {
    const url = `${request.headers.host}${request.url}`
    const [, image] = /\/(\d+)\.png$/.exec(url) ?? []
    if (image !== undefined)
      return void response
        .writeHead(200, { 'content-type': 'image/png' })
        .end(pngOf(1 + Number(image), 1))
    const [, host = '', page] = /^127\.0\.1\.(\d+):\d+\/(?:p\/(\d+))?$/.exec(url) ?? []
    most = Math.max(most, ++under)
    response.once('close', () => under--)
    if (host === '') return void response.writeHead(404).end()
    arrivals.push(performance.now())
    const links = Array.from({ length: pages }, (_, n) => `<a class="p" href="/p/${n}">x</a>`).join(
      '',
    )
    const body =
      page === undefined ? links : `<h1>Page ${page} of ${host}</h1>${imagesOf(Number(host), page)}`
    setTimeout(() => response.writeHead(200, { 'content-type': 'text/html' }).end(body), latencyMs)
  })
  const imagesOf = (host: number, page: string): string =>
    media
      ? `<img src="/${page}.png"><img src="//127.0.1.${(host % hosts) + 1}:${portOf(server)}/own/${page}.png">`
      : ''
  // All of 127.0.0.0/8 is this machine.
  server.listen(0, '0.0.0.0')
  await once(server, 'listening')
  const names = Array.from({ length: hosts }, (_, host) => host + 1)
  return {
    arrivals,
    get most() {
      return most
    },
    media,
    urls: hosts * (pages + 1),
    titles: names.flatMap((host) =>
      Array.from({ length: pages }, (_, page) => `Page ${page} of ${host}`),
    ),
    recipe: {
      start: { urls: names.map((host) => `http://127.0.1.${host}:${portOf(server)}/`) },
      follow: [{ links: 'a.p', as: 'page', on: 'start' }],
      ...(concurrency !== undefined && { crawl: { concurrency } }),
      extract: {
        on: 'page',
        fields: { title: 'h1', ...(media && { images: { css: 'img', many: true, as: 'media' } }) },
      },
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The site has no address')
  return address.port
}
