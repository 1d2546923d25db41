import { createServer } from 'node:http'
import { startShop } from '../../examples/demo/shop.ts'
import { makePdf, makePdfOf, objectsOf } from '../support/fakes/make-pdf.ts'
import { startFairSite } from '../support/fair/fair-site.ts'
import type { FairSite } from '../support/fair/fair-site.ts'
import type { Sites } from './cases/create-stage.ts'

/** The time of a page of the slow site, in ms. */
const SLOW_MS = 150

const html = (title: string, head: string, body: string) => ({
  type: 'text/html; charset=utf-8',
  body: `<!doctype html><title>${title}</title>${head}<body>${body}`,
})

/** Files of the slow site. */
const FILES: Readonly<
  Record<string, { readonly type: string; readonly body: string | Uint8Array }>
> = {
  '/pens.csv': {
    type: 'text/csv; charset=iso-8859-1',
    body: new Uint8Array(
      Buffer.from('name;price\r\n"Pen ""B""; blue";1,50\r\nStift gr\u00fcn;2\r\n', 'latin1'),
    ),
  },
  '/nested.html': html('Nested', '', `${'<div>'.repeat(480)}${'Lorem ipsum '.repeat(750_000)}`),
  '/parts.html': html('Parts', '', `<p>${'ba'.repeat(10_000)}</p>`),
  '/spaces.html': html(
    'Spaces',
    `<meta property="og:title" content="A${' '.repeat(200_000)}xSite">` +
      '<meta property="og:site_name" content="Site">',
    '<p>Text</p>',
  ),
  '/siblings.html': html('Siblings', '', '<i>x</i>'.repeat(32_000)),
  '/drawn.pdf': {
    type: 'application/pdf',
    body: makePdfOf(
      [
        ...objectsOf(['']).map(({ dictionary, ...rest }) => ({
          dictionary: dictionary.replace('/Contents 5 0 R', '/Contents 6 0 R'),
          ...rest,
        })),
        { dictionary: '', stream: '1 1 m 2 2 l n\n'.repeat(75_000) },
      ],
      3,
    ),
  },
  '/report.pdf': {
    type: 'application/pdf',
    body: makePdf(
      [[['On ink', 24], 'Ink is mostly water, with dyes and some gum.'], ['It dries.']],
      { info: { Title: 'A report' } },
    ),
  },
}

/**
 * Serves the sites of the cases on 127.0.0.1: the demo shop, a site of endless pages,
 * `/<any>/<n>` → `/<any>/<n + 1>`, with some files, and one whose pages end when they are told.
 */
export async function startSites(): Promise<
  Sites & { readonly fairCounts: FairSite['counts']; close(): Promise<void> }
> {
  const shop = await startShop()
  const fair = await startFairSite()
  const slow = createServer((request, response) => {
    const file = FILES[request.url ?? '']
    if (file) return void response.writeHead(200, { 'content-type': file.type }).end(file.body)
    const [, folder = '', number = ''] = (request.url ?? '').split('/')
    const isPage = /^\d+$/.test(number)
    const body = isPage
      ? `<!doctype html><title>${number}</title><h1>Page ${number}</h1><a class="next" ` +
        `href="/${folder}/${Number(number) + 1}">Next</a>`
      : 'Not here'
    setTimeout(
      () =>
        response
          .writeHead(isPage ? 200 : 404, { 'content-type': isPage ? 'text/html' : 'text/plain' })
          .end(body),
      isPage ? SLOW_MS : 0,
    )
  })
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
  const address = slow.address()
  if (address === null || typeof address === 'string')
    throw new Error('The slow site has no TCP address')
  return {
    shop: shop.url,
    slow: `http://127.0.0.1:${address.port}`,
    fair: fair.url,
    fairCounts: fair.counts,
    async close() {
      slow.closeAllConnections()
      await Promise.all([shop.close(), fair.close(), new Promise((resolve) => slow.close(resolve))])
    },
  }
}
