import type { RecipeInput } from 'seine/client'
import { CATALOGUE } from '../../../examples/demo/catalogue.ts'
import { equal, that } from './expect.ts'
import type { Case, Stage } from './stage.ts'

/** The whole demo shop: home, categories with their pages, products. */
export function shopRecipe(shop: string): RecipeInput {
  return {
    start: { urls: [`${shop}/`] },
    follow: [
      { links: 'nav.categories a', as: 'category', on: 'start' },
      { next: 'a.next', on: 'category' },
      { links: '.product-link', as: 'product', on: 'category' },
    ],
    extract: {
      on: 'product',
      fields: {
        sku: { jsonld: '$..sku' },
        name: 'h1',
        price: { css: '.price', as: 'number' },
        rating: { jsonld: '$..ratingValue', as: 'number' },
        stock: {
          css: '.stock',
          transform: [{ replace: { regex: '^Sold out$|\\D+', with: '' } }],
          as: 'integer',
        },
        category: { xpath: '//nav[@class="breadcrumb"]/a[last()]' },
        description: '.description',
        url: { url: true },
      },
    },
    output: { unique: ['sku'] },
  }
}

/** Runs a recipe and follows it, by its stream of events, to its end. */
export async function runRecipe(
  stage: Stage,
  name: string,
  recipe: RecipeInput,
): Promise<{ readonly id: string; readonly task: string }> {
  const task = await stage.client.tasks.create({ name, recipe })
  const { id } = await stage.client.executions.start(task.id)
  let last = ''
  for await (const { status } of stage.client.executions.follow(id)) last = status
  that(
    last === 'succeeded',
    `The execution is ${last}: ${JSON.stringify((await stage.client.executions.get(id)).reason)}`,
  )
  return { id, task: task.id }
}

/** All rows of an execution. */
export async function rowsOf(
  stage: Stage,
  id: string,
): Promise<Readonly<Record<string, unknown>>[]> {
  const rows: Readonly<Record<string, unknown>>[] = []
  for await (const row of stage.client.results.iterate(id, { limit: 25 })) rows.push(row)
  return rows
}

/** Crawling and extracting, from the task to its rows. */
export const crawlCases: readonly Case[] = [
  {
    name: 'crawl: the demo shop gives its 60 products, each field exact, and other fields of the pages that were kept',
    async run(stage) {
      const { id } = await runRecipe(stage, 'The whole shop', {
        ...shopRecipe(stage.shop),
        page: { keep: true },
      })
      const rows = (await rowsOf(stage, id)).toSorted((a, b) =>
        String(a['sku']) < String(b['sku']) ? -1 : 1,
      )
      const expected = CATALOGUE.flatMap(({ name, products }) =>
        products.map((one) => ({
          sku: one.sku,
          name: one.name,
          price: one.price,
          rating: one.rating,
          stock: one.stock === 0 ? null : one.stock,
          category: name,
          description: one.description,
          url: `${stage.shop}/product/${one.slug}`,
        })),
      ).toSorted((a, b) => (a.sku < b.sku ? -1 : 1))
      equal(rows.length, 60, 'rows')
      expected.forEach((row, index) => equal(rows[index], row, `row ${index}`))
      const { counters, cost } = await stage.client.executions.get(id)
      equal(
        { ...counters, credits: cost.credits, bytes: 0 },
        { ...counters, fetched: 70, failed: 0, visited: 70, rows: 60, credits: 70, bytes: 0 },
      )
      const again = await stage.client.executions.extract(id, {
        recipe: { extract: { on: 'product', fields: { title: 'h1', sku: { jsonld: '$..sku' } } } },
      })
      for await (const _ of stage.client.executions.follow(again.id));
      const { counters: later, cost: free } = await stage.client.executions.get(again.id)
      equal(
        {
          unchanged: later.unchanged,
          fetched: later.fetched,
          rows: later.rows,
          credits: free.credits,
        },
        { unchanged: 70, fetched: 0, rows: 60, credits: 0 },
      )
      equal(
        (await rowsOf(stage, again.id)).map(({ sku, title }) => [sku, title]).toSorted(),
        expected.map(({ sku, name }) => [sku, name]),
      )
    },
  },
  {
    name: 'crawl: the receipt has each URL once, with its outcome and its price',
    async run(stage) {
      const recipe = {
        start: {
          urls: [
            `${stage.shop}/category/pens`,
            `${stage.shop}/cart`,
            `${stage.shop}/nowhere`,
            `${stage.shop}/category/pens#again`,
          ],
        },
        extract: { items: '.product', fields: { name: 'h2' } },
      }
      const { id } = await runRecipe(stage, 'A receipt', recipe)
      const receipt = []
      for await (const { url, outcome, credits, reason } of stage.client.executions.iteratePages(
        id,
      ))
        receipt.push([url.replace(stage.shop, ''), outcome, credits, reason?.code ?? null])
      equal(receipt.toSorted(), [
        ['/cart', 'skipped_robots', 0, 'robots_disallowed'],
        ['/category/pens', 'fetched', 1, null],
        ['/nowhere', 'failed', 0, 'http_404'],
      ])
    },
  },
  {
    name: 'crawl: a preview shows the rows of a page before anything is saved',
    async run(stage) {
      const preview = await stage.client.previews.recipe({
        recipe: {
          start: { urls: [`${stage.shop}/category/pens`] },
          extract: { items: '.product', fields: { name: 'h2' } },
        },
      })
      equal(preview.rows.length, 7, 'rows of a preview')
    },
  },
  {
    name: 'crawl: CSV is a list of records, a PDF has pages of text',
    async run(stage) {
      const { id } = await runRecipe(stage, 'Files', {
        start: { urls: [`${stage.slow}/pens.csv`, `${stage.slow}/report.pdf`] },
        extract: {
          fields: {
            names: { json: '$[*].name', many: true },
            total: { json: '$[1].price', as: 'number' },
            title: '$.title',
            pages: { json: '$.pages[*].text', many: true },
          },
        },
      })
      const rows = (await rowsOf(stage, id)).toSorted((a, b) =>
        String(a['title']).localeCompare(String(b['title'])),
      )
      equal(rows, [
        {
          names: [],
          total: null,
          title: 'A report',
          pages: ['## On ink\n\nInk is mostly water, with dyes and some gum.', 'It dries.'],
        },
        { names: ['Pen "B"; blue', 'Stift gr\u00fcn'], total: 2, title: null, pages: [] },
      ])
    },
  },
]
