import { least, listIn, numberIn } from '../evaluation.ts'
import type { Evaluation } from '../evaluation.ts'
import { manual, news, PRODUCTS, shop, towns } from '../sites.ts'

const LIST = 'https://shop.example.com/list'
const [first] = PRODUCTS

/** Rows of typed values. */
export const EXTRACT: readonly Evaluation[] = [
  {
    asks: 'Make rows of name and price, as a number, of all things of wood.',
    tools: 'extended',
    web: shop,
    async agent({ call }) {
      const properties = { name: { type: 'string' }, price: { type: 'number' } }
      const { data } = await call('extract', { url: LIST, schema: { type: 'object', properties } })
      return listIn(data, 'rows').map(({ name, price }) => [name, price])
    },
    right: PRODUCTS.map(({ name, price }) => [name, price]),
  },
  {
    asks: 'Which things of wood are there, with name, price and rating?',
    tools: 'extended',
    web: shop,
    async agent({ call }) {
      const { data } = await call('extract', { url: LIST, wanted: 'name, price and rating' })
      return listIn(data, 'rows').map(({ name, price, rating }) => [
        name,
        numberIn(price),
        numberIn(rating),
      ])
    },
    right: PRODUCTS.map(({ name, price, rating }) => [name, price, rating]),
  },
  {
    asks: 'How many are in stock of each on the first page? I know the selectors.',
    tools: 'extended',
    web: shop,
    async agent({ call }) {
      const { data } = await call('extract', {
        url: LIST,
        items: '.product',
        fields: { name: 'h2', stock: { css: '.stock', as: 'number' } },
      })
      return listIn(data, 'rows').map(({ name, stock }) => [name, stock])
    },
    right: PRODUCTS.slice(0, 8).map(({ name, stock }) => [name, stock]),
  },
  {
    asks: 'In which year had Ast the most people?',
    tools: 'extended',
    web: towns,
    async agent({ call }) {
      const { data } = await call('extract', { url: 'https://towns.example.com/ast' })
      const rows = listIn(data, 'rows').map((row) => Object.values(row).map(numberIn))
      return rows.toSorted(([, a = 0], [, b = 0]) => b - a)[0]
    },
    right: [2025, 44_010],
  },
  {
    asks: 'What does the first thing cost, by its own page?',
    tools: 'extended',
    web: shop,
    async agent({ call }) {
      const { data: list } = await call('extract', { url: LIST, wanted: 'name, url' })
      const url = listIn(list, 'rows')[0]?.['url']
      const { data } = await call('extract', { url, wanted: 'name, price' })
      const [row = {}] = listIn(data, 'rows')
      return [row['name'], numberIn(row['price'])]
    },
    right: [first?.name, first?.price],
  },
  {
    asks: 'Get author and title of two articles with a ready-made extraction.',
    tools: 'six',
    web: news,
    async agent({ call }) {
      await call('search_templates', { query: 'article', limit: 1 })
      const urls = ['https://news.example.com/mill', 'https://news.example.com/sundays']
      const { data } = await call('run_template', {
        id: 'article',
        params: { urls },
        waitSeconds: 50,
      })
      const rows = listIn(Object(data['run']), 'rows')
      return rows.map(({ title, author }) => `${String(title)}: ${String(author)}`).toSorted()
    },
    right: ['A new mill for graphite: Ida Stift', 'Open on Sundays: Olaf Mine'],
  },
  {
    asks: 'List the titles of all pages of the guide, two at a time.',
    tools: 'six',
    web: manual,
    async agent({ call }) {
      const url = 'https://docs.example.com/guide/'
      const exclude = ['**/history']
      let { data } = await call('crawl', { url, exclude, limit: 2, waitSeconds: 50 })
      const titles: unknown[] = []
      for (let part = 0; part < 10; part++) {
        titles.push(...listIn(data, 'rows').map(({ title }) => title))
        const { runId, nextCursor } = data
        if (typeof nextCursor !== 'string') break
        ;({ data } = await call('get_run', { runId, cursor: nextCursor, limit: 2 }))
      }
      return titles.toSorted()
    },
    right: ['Backup', 'Guide', 'Install', 'Limits', 'Settings'],
  },
  {
    asks: 'Which is the cheapest of all things in the shop, over all pages of its list?',
    tools: 'extended',
    web: shop,
    async agent({ call }) {
      const { data } = await call('extract', { url: LIST, wanted: 'name, price' })
      const { data: all } = await call('preview', { recipe: data['recipe'] })
      const row = least(listIn(all, 'rows'), 'price') ?? {}
      return [row['name'], numberIn(row['price']), listIn(all, 'rows').length]
    },
    right: [PRODUCTS.toSorted((a, b) => a.price - b.price)[0]?.name, 4.5, 24],
  },
]
