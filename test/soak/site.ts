import { createServer } from 'node:http'
import { HOSTILE_PAGES, type HostilePage } from './hostile-pages.ts'

// A process of its own: a site of a soak on loopback, the honest tenant's `shop` or the `hostile`
// one, as its argument says. It sends its port to its parent.

const pages = new Map<string, HostilePage>()
const CHILDREN = 5_000

function hostilePage(name: string): HostilePage | null {
  const page = pages.get(name) ?? HOSTILE_PAGES[name]?.()
  if (page) pages.set(name, page)
  return page ?? null
}

const shop = createServer((request, response) => {
  const [, number] = /^\/shop\/(\d+)$/.exec(request.url ?? '') ?? []
  if (number === undefined) return void response.writeHead(404).end()
  const cards = Array.from(
    { length: 10 },
    (_, i) => `<li class="card"><h2>Lamp ${number}-${i}</h2><b class="price">${i + 1}.50</b></li>`,
  )
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
  response.end(
    `<!doctype html><title>Shop ${number}</title><h1>Shop ${number}</h1><ul>${cards.join('')}</ul>`,
  )
})

const hostile = createServer((request, response) => {
  const path = (request.url ?? '/').split('?')[0] ?? '/'
  const name = path.slice(1)
  if (name.startsWith('silent/')) return
  if (name === 'sitemap.xml') {
    const origin = `http://${request.headers.host ?? ''}`
    const children = Array.from(
      { length: CHILDREN },
      (_, i) => `<sitemap><loc>${origin}/silent/${i}.xml</loc></sitemap>`,
    )
    response.writeHead(200, { 'content-type': 'application/xml' })
    return void response.end(
      `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${children.join('')}</sitemapindex>`,
    )
  }
  if (name === 'model/chat/completions') {
    // A page can talk a model into this: a fence that is opened and not closed.
    const content = `\`\`\`json\n${'\n'.repeat(5_000)}x`
    response.writeHead(200, { 'content-type': 'application/json' })
    request.resume()
    return void response.end(
      JSON.stringify({
        choices: [{ message: { content }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 1, completion_tokens: 1 },
      }),
    )
  }
  const page = hostilePage(name)
  if (page === null) return void response.writeHead(404).end()
  response.writeHead(200, { 'content-type': page.type })
  response.end(page.body)
})

const portOf = (server: typeof shop): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })

process.send?.(await portOf(process.argv[2] === 'shop' ? shop : hostile))
process.on('disconnect', () => process.exit())
