import { compile as compileSelector, selectAll, selectOne } from 'css-select'
import { textContent } from 'domutils'
import type { AnyNode, Document, Element } from 'domhandler'
import { parseDocument } from 'htmlparser2'
import { Agent, request } from 'undici'
import { contend, createRowFile } from '../contender.ts'

// A program by hand for this one site, with the fastest parts there are on Node: undici's own
// request, htmlparser2's tree and selectors compiled once. No robots, retries, limits, receipt or
// durability.
const compile = (selector: string) => compileSelector<AnyNode, Element>(selector)
const links = { home: compile('a.category-link'), list: compile('a.product-link, a.next') }
const fields = {
  title: compile('h1.item-name'),
  price: compile('.offer .price'),
  sku: compile('.facts .sku'),
  rating: compile('.stars'),
  description: compile('.about > p'),
}
const one = (field: keyof typeof fields, page: Document) =>
  selectOne<AnyNode, Element>(fields[field], page)
const text = (field: keyof typeof fields, page: Document) => textContent(one(field, page) ?? [])

await contend(async ({ origin, concurrency, out }) => {
  const dispatcher = new Agent({ connections: concurrency, pipelining: 1 })
  const rows = createRowFile(out)
  const queue = ['/']
  const seen = new Set(queue)
  let next = 0
  let open = 0

  const visit = async (path: string) => {
    const { statusCode, body } = await request(origin + path, { dispatcher })
    const html = await body.text()
    if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}`)
    const page = parseDocument(html)
    if (path.startsWith('/item/')) {
      rows.write({
        title: text('title', page),
        price: Number(text('price', page).replace(/[^\d.]/g, '')),
        sku: text('sku', page),
        rating: one('rating', page)?.attribs['data-value'],
        description: text('description', page),
      })
      return
    }
    for (const { attribs } of selectAll<AnyNode, Element>(
      path === '/' ? links.home : links.list,
      page,
    )) {
      const href = attribs['href']
      if (href === undefined || seen.has(href)) continue
      seen.add(href)
      queue.push(href)
    }
  }

  await new Promise<void>((resolve, reject) => {
    const pump = () => {
      for (let path = queue[next]; path !== undefined && open < concurrency; path = queue[next]) {
        next++
        open++
        visit(path).then(() => {
          open--
          pump()
        }, reject)
      }
      if (open === 0 && next === queue.length) resolve()
    }
    pump()
  })
  await rows.end()
  await dispatcher.close()
})
