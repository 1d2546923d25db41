import type { RecipeInput } from 'seine'
import type { Row } from '../../src/kernel/json.ts'
import type { Fetcher, HopRequest, HopResponse } from '../../src/ports/fetcher.ts'
import type { Ground } from './faults.ts'
import { answerGallery, GALLERY } from './gallery.ts'
import type { Luck } from './luck.ts'

/** A product of a site. */
interface Product {
  readonly id: number
  readonly title: string
  readonly price: number
  readonly stock: number
  /** The answer of its page, which is always the same. */
  readonly fate: 'there' | 'gone' | 'broken' | 'moved' | 'forbidden'
}

/** The content of a site: the truth to which rows are compared. */
export interface Site {
  readonly origin: string
  /** The products of each page of the list. */
  readonly lists: readonly (readonly Product[])[]
}

/** A recipe for a site, and its right result. */
export interface Reading {
  readonly site: Site
  readonly recipe: RecipeInput
  /** The rows of a page whose outcome is `fetched`; by its URL in the receipt. */
  readonly rowsOf: (url: string) => readonly Row[]
  /** URLs that a fetched page leads to. */
  readonly linksOf: (url: string) => readonly string[]
  /** True if it ends before it has visited everything. */
  readonly isLimited: boolean
  readonly start: string
}

export function drawSite(luck: Luck, index: number): Site {
  const origin = `https://shop${index}.example.com`
  let id = 0
  return {
    origin,
    lists: Array.from({ length: luck.int(1, 5) }, () =>
      Array.from({ length: luck.int(0, 5) }, (): Product => ({
        id: id++,
        title: `Thing ${index}-${id} of ${luck.int(1, 999)}`,
        price: luck.int(0, 99_999) / 100,
        stock: luck.int(0, 50),
        fate: luck.weighed({ there: 12, gone: 1, broken: 1, moved: 1, forbidden: 1 }),
      })),
    ),
  }
}

const listUrl = ({ origin }: Site, page: number): string => `${origin}/list/${page}`
const pathOf = ({ id, fate }: Product): string => `/${fate === 'forbidden' ? 'private' : 'p'}/${id}`

/** The pages of products that are there, and their titles. */
export function pagesOf(site: Site): { readonly url: string; readonly title: string }[] {
  return site.lists
    .flat()
    .filter(({ fate }) => fate === 'there')
    .map((product) => ({ url: site.origin + pathOf(product), title: product.title }))
}

/** Draws a recipe for a site, with its truth. */
export function drawReading(luck: Luck, site: Site): Reading {
  const products = new Map(
    site.lists.flat().map((product) => [site.origin + pathOf(product), product]),
  )
  const pageOf = new Map(site.lists.map((list, page) => [listUrl(site, page), { list, page }]))
  const start = listUrl(site, 0)
  const common = {
    start: { urls: [start] },
    crawl: { concurrency: luck.int(1, 6), delayMs: luck.pick([0, 0, 100, 1_500]) },
    ...(luck.chance(0.3) && { page: { keep: true } }),
  }
  const nextOf = (page: number): string[] =>
    page + 1 < site.lists.length ? [listUrl(site, page + 1)] : []
  if (luck.chance(0.4))
    return {
      site,
      start,
      isLimited: false,
      recipe: {
        ...common,
        follow: [{ next: 'a.next' }],
        extract: {
          items: '.product',
          fields: {
            title: 'b',
            price: { css: 'i', as: 'number' },
            stock: { css: 'u', as: 'integer' },
          },
        },
      },
      rowsOf: (url) =>
        (pageOf.get(url)?.list ?? []).map(({ title, price, stock }) => ({ title, price, stock })),
      linksOf: (url) => {
        const place = pageOf.get(url)
        return place ? nextOf(place.page) : []
      },
    }
  const limit = luck.chance(0.2) ? luck.int(1, 8) : null
  return {
    site,
    start,
    isLimited: limit !== null,
    recipe: {
      ...common,
      ...(limit !== null && { budget: { pages: limit } }),
      follow: [
        {
          items: '.product',
          links: 'a',
          carry: { stock: { css: 'u', as: 'integer' } },
          as: 'detail',
        },
        { next: 'a.next' },
      ],
      extract: {
        on: 'detail',
        fields: {
          title: 'h1',
          price: { css: '.price', as: 'number' },
          stock: { carried: 'stock' },
        },
      },
    },
    rowsOf: (url) => {
      const product = products.get(url)
      if (!product) return []
      const { title, price, stock } = product
      return [{ title, price, stock }]
    },
    linksOf: (url) => {
      const place = pageOf.get(url)
      return place
        ? [...place.list.map((product) => site.origin + pathOf(product)), ...nextOf(place.page)]
        : []
    },
  }
}

/** A request that a receiver of webhooks got. */
export interface Received {
  readonly url: string
  readonly id: string
  readonly type: string
  readonly body: string
  /** When it came, on the timeline. */
  readonly at: number
  readonly timestamp: string
  readonly signature: string
}

/** The web of a world: its sites, and the receivers of its webhooks. */
export interface SimulatedWeb extends Fetcher {
  /** Deliveries that were accepted. */
  readonly received: Received[]
  /** Deliveries to receivers that are gone. */
  readonly gone: Received[]
}

/** Addresses of networks that no recipe, search or webhook may reach. */
const PRIVATE = /^(127|10|169\.254|192\.168)\.|^\[|^localhost$/
const ROBOTS = 'User-agent: *\nDisallow: /private/\n'
export const RECEIVER = 'hooks.example.com'
/** Answers each delivery with 410. */
export const GONE = 'gone.example.com'

export function createWeb(ground: Ground, luck: Luck, sites: readonly Site[]): SimulatedWeb {
  const received: Received[] = []
  const gone: Received[] = []
  const byHost = new Map(sites.map((site) => [new URL(site.origin).host, site]))
  return {
    received,
    gone,
    capabilities: { pinsAddresses: true },
    resolve: async () => ['93.184.216.34'],
    async send(request) {
      request.signal.throwIfAborted()
      if (PRIVATE.test(request.url.hostname)) ground.broke('a private address was called')
      if (request.url.host === RECEIVER) return receive(request)
      if (request.url.host === GONE) {
        gone.push(messageOf(request))
        return respond(410, '')
      }
      if (request.url.host === GALLERY) {
        const shown = answerGallery(request.url.pathname)
        return shown ? respond(200, shown.body, shown.type) : respond(404, 'Gone')
      }
      const site = byHost.get(request.url.host)
      // Each site has a robots.txt that forbids these pages.
      if (site && request.url.pathname.startsWith('/private/'))
        ground.broke('a page was visited that robots.txt forbids')
      return site ? answer(site, request.url) : respond(404, 'There is nothing here')
    },
    close: async () => {},
  }

  function receive(request: HopRequest): HopResponse {
    if (luck.chance(ground.faults.receivers)) return respond(luck.pick([408, 429, 500, 503]), '')
    received.push(messageOf(request))
    return respond(204, '')
  }

  function messageOf({ url, headers, body }: HopRequest): Received {
    const text = new TextDecoder().decode(body)
    const { type }: { type?: unknown } = JSON.parse(text)
    return {
      url: url.href,
      id: headers['webhook-id'] ?? '',
      type: String(type),
      body: text,
      at: ground.timeline.now(),
      timestamp: headers['webhook-timestamp'] ?? '',
      signature: headers['webhook-signature'] ?? '',
    }
  }
}

function answer(site: Site, { pathname }: URL): HopResponse {
  if (pathname === '/robots.txt') return respond(200, ROBOTS, 'text/plain')
  const [, kind, name] = pathname.split('/')
  const list = kind === 'list' ? site.lists[Number(name)] : undefined
  if (list)
    return respond(
      200,
      `<!doctype html><title>Page ${name}</title>${list
        .map(
          (product) =>
            `<div class="product"><a href="${pathOf(product)}"><b>${product.title}</b></a> ` +
            `<i>${product.price}</i> <u>${product.stock}</u></div>`,
        )
        .join(
          '',
        )}${Number(name) + 1 < site.lists.length ? `<a class="next" href="/list/${Number(name) + 1}">next</a>` : ''}`,
    )
  const product = site.lists.flat().find(({ id }) => String(id) === name)
  if (!product || (kind !== 'p' && kind !== 'private')) return respond(404, 'Gone')
  if (product.fate === 'gone') return respond(404, 'Gone')
  if (product.fate === 'broken') return respond(500, 'Broken')
  if (product.fate === 'moved')
    return { ...respond(301, ''), headers: { location: '/list/0', 'content-type': 'text/html' } }
  return respond(
    200,
    `<!doctype html><title>${product.title}</title><h1>${product.title}</h1>` +
      `<p class="price">${product.price}</p>`,
  )
}

function respond(status: number, body: string, type = 'text/html; charset=utf-8'): HopResponse {
  return {
    status,
    headers: { 'content-type': type },
    body: new TextEncoder().encode(body),
    truncated: false,
  }
}
