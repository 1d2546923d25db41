import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { CATALOGUE, type Category, type Product } from './catalogue.ts'
import {
  aboutPage,
  categoryPage,
  categoryPath,
  homePage,
  productImage,
  productPage,
  productPath,
  imagePath,
} from './pages.ts'

/** A running demo shop. */
export interface Shop {
  /** Origin, without a slash at the end. */
  readonly url: string
  readonly categories: readonly Category[]
  readonly products: readonly Product[]
  /** Path with query → how often it was asked for. */
  readonly requests: ReadonlyMap<string, number>
  close(): Promise<void>
}

/** How to start it. */
export interface ShopOptions {
  /** Default 0: a free one. */
  readonly port?: number
  /** Wait before each answer, in ms; default 0. */
  readonly latencyMs?: number
  /** Further pages: asked first, with each request. */
  readonly more?: (request: IncomingMessage) => Answer | undefined
}

/** The answer to a request. */
export interface Answer {
  /** Its `Content-Type`. */
  readonly type: string
  readonly body: string | Uint8Array
}

const HTML = 'text/html; charset=utf-8'

/**
 * Starts a small shop on 127.0.0.1: a home page, 3 categories of 3 pages (7, 7 and 6 products), 60
 * product pages with JSON-LD, pictures, `robots.txt` (which forbids `/cart`) and `sitemap.xml`. Its
 * content never changes.
 *
 * @example
 *   const shop = await startShop()
 *   const home = await fetch(shop.url)
 *   await shop.close()
 */
export async function startShop({
  port = 0,
  latencyMs = 0,
  more,
}: ShopOptions = {}): Promise<Shop> {
  const requests = new Map<string, number>()
  let origin = ''
  let answers = new Map<string, Answer>()
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    requests.set(path, (requests.get(path) ?? 0) + 1)
    const answer =
      more?.(request) ?? answers.get(path) ?? answers.get(path.replace(/\?add=.*$/, ''))
    if (latencyMs > 0) setTimeout(send, latencyMs, response, answer)
    else send(response, answer)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string')
    throw new Error('The shop has no TCP address')
  origin = `http://127.0.0.1:${address.port}`
  answers = new Map(pages(origin))
  return {
    url: origin,
    categories: CATALOGUE,
    products: CATALOGUE.flatMap((category) => category.products),
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function send(response: ServerResponse, answer: Answer | undefined): void {
  const { type, body } = answer ?? {
    type: HTML,
    body: '<!doctype html><title>Not here</title><h1>We do not have this page</h1>',
  }
  response
    .writeHead(answer ? 200 : 404, {
      'content-type': type,
      'content-length': Buffer.byteLength(body),
    })
    .end(body)
}

function* pages(origin: string): Generator<[path: string, answer: Answer]> {
  const locations = ['/', '/about']
  yield ['/', { type: HTML, body: homePage(CATALOGUE) }]
  yield ['/about', { type: HTML, body: aboutPage(CATALOGUE) }]
  yield [
    '/cart',
    { type: HTML, body: '<!doctype html><title>Basket</title><h1>Your basket is empty</h1>' },
  ]
  for (const category of CATALOGUE) {
    locations.push(categoryPath(category))
    for (
      let page = 1, body = categoryPage(CATALOGUE, category, page);
      body !== null;
      body = categoryPage(CATALOGUE, category, ++page)
    ) {
      yield [categoryPath(category, page), { type: HTML, body }]
    }
    for (const product of category.products) {
      locations.push(productPath(product))
      yield [
        productPath(product),
        { type: HTML, body: productPage(CATALOGUE, category, product, origin) },
      ]
      yield [imagePath(product), { type: 'image/svg+xml', body: productImage(product) }]
    }
  }
  const urls = locations.map((path) => `<url><loc>${origin}${path}</loc></url>`).join('\n')
  yield [
    '/sitemap.xml',
    {
      type: 'application/xml',
      body:
        '<?xml version="1.0" encoding="UTF-8"?>\n' +
        `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls}\n</urlset>\n`,
    },
  ]
  yield [
    '/robots.txt',
    {
      type: 'text/plain; charset=utf-8',
      body: `User-agent: *\nDisallow: /cart\n\nSitemap: ${origin}/sitemap.xml\n`,
    },
  ]
}
