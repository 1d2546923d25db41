import type { IncomingMessage } from 'node:http'
import { startShop, type Answer, type Shop } from '../../../examples/demo/shop.ts'
import { makePdf } from '../fakes/make-pdf.ts'

const BLEND = [
  { id: 1, name: 'Cedar pencil', price: 2.4, stock: { count: 120 } },
  { id: 2, name: 'Lime pencil', price: 1.9, stock: { count: 0 } },
  { id: 3, name: 'Carpenter pencil', price: 3.1, stock: { count: 14 } },
  { id: 4, name: 'Copying pencil', price: 4.25, stock: { count: 6 } },
  { id: 5, name: 'Red pencil', price: 2.1, stock: { count: 51 } },
]
const NEWS = [
  ['Open on Sundays', 'sundays', 'From March the shop is open on Sundays.'],
  ['A new mill for graphite', 'mill', 'The old mill stopped in January.'],
  ['Pencils of lime wood', 'lime-wood', 'They are lighter, and cost less.'],
] as const

/** Positions whose facts are in sentences. */
const JOBS = `<h1>Work with us</h1>
<div class="job"><h2>Pencil maker</h2><p class="salary">€41,000</p>
<p>You know wood and glue. Write to Ida Stift, 01 555 20.</p></div>
<div class="job"><h2>Shop assistant</h2><p>We pay 29,500 to 33,000 euros a year.</p>
<p>You know arithmetic and patience. Write to Olaf Mine, 01 555 21.</p></div>`

/** A page that is empty without its scripts: a cookie notice, a form, cards, and a button for more. */
const SEARCH = `<div id="cookies"><button>Accept</button></div>
<form><input name="q"></form><div id="cards"></div><button class="more" hidden>More</button>
<script>
const found = ${JSON.stringify(BLEND.map(({ name, price }) => ({ name, price })))}
let shown = 0
const more = document.querySelector('.more')
function show() {
  for (const one of found.slice(shown, shown + 2))
    document.querySelector('#cards').insertAdjacentHTML('beforeend',
      '<div class="card"><h2>' + one.name + '</h2><span class="price">€' + one.price.toFixed(2) + '</span></div>')
  shown += 2
  more.hidden = shown >= found.length
}
document.querySelector('#cookies button').onclick = () => document.querySelector('#cookies').remove()
document.querySelector('form').onsubmit = (event) => { event.preventDefault(); show() }
more.onclick = show
</script>`

/**
 * The demo shop, with more pages of the same shop: an API with cursors, a feed, a price list as a
 * PDF, a page built by scripts, and orders that only a signed-in customer sees.
 */
export function startDocsSite(): Promise<Shop> {
  return startShop({ more })
}

function more(request: IncomingMessage): Answer | undefined {
  const host = `http://${request.headers.host ?? ''}`
  const url = new URL(request.url ?? '/', host)
  if (url.pathname === '/api/pencils') return pencils(Number(url.searchParams.get('after') ?? 0))
  if (url.pathname === '/feed.xml') return { type: 'application/rss+xml', body: feed(host) }
  const story = NEWS.find(([, slug]) => url.pathname === `/news/${slug}`)
  if (story) return html(story[0], `<article><h1>${story[0]}</h1><p>${story[2]}</p></article>`)
  if (url.pathname === '/prices.pdf')
    return {
      type: 'application/pdf',
      body: makePdf([
        [['Price list', 20], 'Valid from March', 'Cedar pencil 2.40', 'Lime pencil 1.90'],
      ]),
    }
  if (url.pathname === '/jobs') return html('Jobs', JOBS)
  if (url.pathname === '/search') return html('Search', SEARCH)
  if (url.pathname === '/orders') return orders(request.headers.cookie ?? '')
  return undefined
}

function pencils(after: number): Answer {
  const items = BLEND.filter(({ id }) => id > after).slice(0, 2)
  const last = items.at(-1)?.id ?? 0
  const next = last < BLEND.length ? last : null
  return { type: 'application/json', body: JSON.stringify({ items, next }) }
}

function feed(host: string): string {
  const items = NEWS.map(
    ([title, slug, text], day) =>
      `<item><title>${title}</title><link>${host}/news/${slug}</link><pubDate>Mon, 0` +
      `${day + 2} Mar 2026 09:00:00 GMT</pubDate><description>${text}</description></item>`,
  )
  return (
    '<?xml version="1.0"?><rss version="2.0"><channel><title>News of the shop</title><link>' +
    `${host}</link><description>News</description>${items.join('')}</channel></rss>`
  )
}

function orders(cookie: string): Answer {
  if (!/\bsession=ann\b/.test(cookie)) return html('Sign in', '<h1>Please sign in</h1>')
  const rows = ['<tr><th>Order</th><th>Total</th></tr>']
  for (const [order, total] of [
    ['A-17', '€12.40'],
    ['A-18', '€8.15'],
  ])
    rows.push(`<tr class="order"><td class="id">${order}</td><td class="total">${total}</td></tr>`)
  return html('Your orders', `<h1>Your orders</h1><table>${rows.join('')}</table>`)
}

function html(title: string, body: string): Answer {
  return {
    type: 'text/html; charset=utf-8',
    body: `<!doctype html><html lang="en"><title>${title}</title><main>${body}</main></html>`,
  }
}
