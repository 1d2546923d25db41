import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { createPlatform } from 'seine'
import { createClient } from 'seine/client'
import type { RecipeInput } from 'seine'
import { createNodeFetcher, serve } from 'seine/node'
import { root } from '../support/sources/sources.ts'
import { startDocsSite } from '../support/worlds/docs-site.ts'

// Takes the screenshots of README and docs from the built console: npm run pictures

/** The address of the shop in the docs. */
const NAME = 'https://pencil.example'
const KEY = 'svc_sk_pictures_0123456789abcdef'
const SHOP: RecipeInput = {
  start: { urls: [NAME] },
  follow: [
    { links: 'nav.categories a', as: 'list', on: 'start' },
    { next: 'a.next', on: 'list' },
    { links: '.product-link', as: 'detail', on: 'list' },
  ],
  extract: { on: 'detail', fields: { name: 'h1', price: { css: '.price', as: 'number' } } },
}
const PENS: RecipeInput = {
  start: { urls: [`${NAME}/category/pens`] },
  extract: {
    items: '.product',
    fields: { name: 'h2', price: { css: '.price', as: 'number' }, stock: '.stock' },
  },
}
let isLater = false

const site = await startDocsSite()
const fetcher = createNodeFetcher()
const platform = createPlatform({
  allowPrivateNetwork: true,
  console: true,
  authenticators: [
    async ({ headers }) =>
      headers.get('x-api-key') === KEY ? { account: 'acme', user: 'ann', scopes: ['*'] } : null,
  ],
  fetcher: {
    ...fetcher,
    capabilities: { pinsAddresses: false },
    // The shop names its own address in links.
    async send(hop) {
      const url = new URL(hop.url.href.replace(NAME, site.url))
      const answer = await fetcher.send({ ...hop, url, addresses: null })
      const isText = /text|json/.test(answer.headers['content-type'] ?? '')
      if (!isText) return answer
      const now = new TextDecoder().decode(answer.body).replaceAll(site.url, NAME)
      const text = isLater ? now.replace('10.35', '9.80').replace('Sold out', 'In stock: 40') : now
      return { ...answer, body: new TextEncoder().encode(text) }
    },
  },
})
const server = await serve({ fetch: platform.fetch, port: 0 })
const working = new AbortController()
const worker = platform.worker.run({ signal: working.signal })
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
})
try {
  const context = await browser.newContext({ viewport: { width: 1200, height: 700 } })
  const page = await context.newPage()
  const take = (name: string) => page.screenshot({ path: join(root, `docs/pictures/${name}.png`) })
  await page.goto(`${server.url}/console`)
  await page.getByLabel('API key').fill(KEY)
  await page.keyboard.press('Enter')
  await page.getByLabel('Address of a page').fill(`${NAME}/category/pens`)
  await page.keyboard.press('Enter')
  const choose = page.getByRole('button', { name: 'Choose rows and columns' })
  await choose.waitFor()
  await page.waitForLoadState('networkidle')
  await take('table')
  await choose.click()
  await page.frameLocator('iframe').locator('h1').waitFor()
  await page.waitForLoadState('networkidle')
  await take('console')

  const { datasets, executions, tasks } = createClient({ baseUrl: server.url, apiKey: KEY })
  const run = await executions.run({ recipe: SHOP })
  await executions.wait(run.id)
  await page.goto(`${server.url}/console/run?id=${run.id}&tab=pages`)
  await page.waitForLoadState('networkidle')
  await take('run')

  const dataset = await datasets.create({ name: 'Pens', keyFields: ['name'] })
  const task = await tasks.create({ name: 'Pens', recipe: PENS, datasetId: dataset.id })
  for (isLater of [false, true]) await executions.wait((await executions.start(task.id)).id)
  await page.goto(`${server.url}/console/dataset?id=${dataset.id}&tab=changes`)
  await page.waitForLoadState('networkidle')
  // The values before and after are below the chart.
  await page
    .getByText('Changes by day')
    .first()
    .evaluate((chart) => chart.scrollIntoView())
  await take('changes')
} finally {
  await browser.close()
  working.abort()
  await worker
  await server.close()
  await platform.close()
  await site.close()
}
