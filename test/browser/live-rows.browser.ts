import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Locator } from 'playwright-core'
import { openChromium } from './chromium.ts'
import type { Visit } from './chromium.ts'
import { KEY, openConsoleWorld, signIn } from './console-world.ts'
import type { ConsoleWorld } from './console-world.ts'

// Proves what a reader of rows sees while a run works: the rows so far, and all of them when it has
// ended; and that the screen, which is rendered again and again, leaves the focus where it is.

let world: ConsoleWorld
let visit: Visit
let site: Server
/** Path → its page, which is sent when the test gives it. */
const pages = new Map<string, PromiseWithResolvers<string>>()

beforeAll(async () => {
  site = createServer((request, response) => {
    const page = pages.get(request.url ?? '')
    if (page === undefined) response.writeHead(404).end()
    else
      void page.promise.then((body) =>
        response.writeHead(200, { 'content-type': 'text/html' }).end(body),
      )
  })
  await new Promise<void>((resolve) => {
    site.listen(0, '127.0.0.1', resolve)
  })
  world = await openConsoleWorld()
  visit = await openChromium({ viewport: { width: 1280, height: 900 }, locale: 'en-GB' })
  await signIn(visit.page, world.url, KEY)
  visit.page.setDefaultTimeout(20_000)
  visit.complaints.splice(0)
})
afterAll(async () => {
  await visit.close()
  await world.close()
  site.closeAllConnections()
  site.close()
})

/** Starts a run of pages that wait for the test, each of the given number of rows. */
async function startRun(...sizes: readonly number[]) {
  const address = site.address()
  if (address === null || typeof address === 'string') throw new Error('The site has no address')
  const { id } = await world.client.executions.run({
    recipe: {
      start: {
        urls: sizes.map((_, index) => {
          const path = `/${pages.size}-${index}`
          pages.set(path, Promise.withResolvers())
          return `http://127.0.0.1:${address.port}${path}`
        }),
      },
      extract: { items: 'li', fields: { name: 'b', price: { css: 'i', as: 'number' } } },
    },
  })
  const waiting = [...pages.values()].slice(-sizes.length)
  return {
    id,
    /** Sends the page at an index. Its rows have higher prices than those before. */
    send(index: number) {
      const lines = Array.from(
        { length: sizes[index] ?? 0 },
        (_, line) => `<li><b>Row ${index}.${line}</b> <i>${index * 100 + line}</i></li>`,
      )
      waiting[index]?.resolve(`<ul>${lines.join('')}</ul>`)
    },
  }
}

/** Waits until the screen shows this number of rows as a figure of the run. */
const untilRows = (count: number) =>
  visit.page
    .locator('.tiles > div')
    .filter({ hasText: /^Rows/ })
    .getByText(String(count), { exact: true })
    .waitFor()
const hasFocus = (element: Locator) =>
  element.evaluate((one) => one.ownerDocument.activeElement === one)
const status = (text: string) =>
  visit.page.getByRole('status').filter({ hasText: new RegExp(`^${text}$`) })

it('sorted rows of a run that works are those so far, and all of them at its end', async () => {
  const { page } = visit
  const { id, send } = await startRun(8, 2, 3)
  send(0)
  await page.goto(`${world.url}/run?id=${id}&sort=price&down=yes`)
  await status('8 rows so far').waitFor()
  send(1)
  await untilRows(10)
  // So few more are not read again while the run works; nobody is told that these are all.
  await status('8 rows so far').waitFor()
  send(2)
  await status('13 rows').waitFor()
  expect(await page.getByRole('gridcell').first().textContent()).toBe('Row 2.2')
  // Neither are they all in their own order, or the pages of the report.
  await page.getByRole('button', { name: 'price', exact: true }).click()
  await expect.poll(() => page.getByRole('gridcell').first().textContent()).toMatch(/^Row \d\.0$/)
  await expect.poll(() => page.getByRole('row').count()).toBe(14)
  expect(visit.complaints).toEqual([])
})

it('the row that is open stays the same when others come before it', async () => {
  const { page } = visit
  const { id, send } = await startRun(4, 12)
  send(0)
  await page.goto(`${world.url}/run?id=${id}&sort=price&down=yes`)
  await status('4 rows so far').waitFor()
  await page.getByRole('gridcell', { name: 'Row 0.3' }).click()
  const row = page.getByRole('region', { name: 'One row' })
  await row.getByText('Row 0.3', { exact: true }).waitFor()
  send(1)
  await status('16 rows').waitFor()
  const first = page.getByRole('gridcell').first()
  expect(await first.textContent()).toBe('Row 1.11')
  expect(await row.getByText('Row 0.3', { exact: true }).count()).toBe(1)
  // The number in the address is the one of the row that is chosen now.
  await first.click()
  await row.getByText('Row 1.11', { exact: true }).waitFor()
  expect(visit.complaints).toEqual([])
})

it('rows and pages that came last are there when a run has ended', async () => {
  const { page } = visit
  const { id, send } = await startRun(8, 3, 1)
  send(0)
  await page.goto(`${world.url}/run?id=${id}`)
  await page.getByRole('row').nth(8).waitFor()
  send(1)
  await untilRows(11)
  send(2)
  await untilRows(12)
  await expect.poll(() => page.getByRole('row').count()).toBe(13)
})

it('a drawer keeps the focus where its reader has it while a run works', async () => {
  const { page } = visit
  const { id, send } = await startRun(4, 4, 4, 4)
  send(0)
  await page.goto(`${world.url}/run?id=${id}`)
  const cell = page.getByRole('gridcell').first()
  await cell.focus()
  await page.keyboard.press('Enter')
  const row = page.getByRole('region', { name: 'One row' })
  await expect.poll(() => hasFocus(row.getByRole('button', { name: 'Close' }))).toBe(true)
  const copy = row.getByRole('button', { name: 'Copy' })
  await copy.focus()
  send(1)
  await untilRows(8)
  expect(await hasFocus(copy)).toBe(true)
  // It returns to the cell that it came from.
  await page.keyboard.press('Escape')
  await row.waitFor({ state: 'detached' })
  expect(await hasFocus(cell)).toBe(true)

  await page.getByRole('tab', { name: 'Page report' }).click()
  await page.getByRole('gridcell', { name: 'fetched' }).first().click()
  const report = page.getByRole('region', { name: 'One page' })
  const link = report.getByRole('link').first()
  await link.focus()
  send(2)
  await untilRows(12)
  expect(await hasFocus(link)).toBe(true)
  send(3)
  await page.getByText('done', { exact: true }).first().waitFor()
  expect(await hasFocus(link)).toBe(true)
  expect(visit.complaints).toEqual([])
})

it('a dataset shows what a run has brought meanwhile, and leaves the focus in its drawer', async () => {
  const { page } = visit
  const { client, shop } = world
  const dataset = await client.datasets.create({ name: 'Prices', keyFields: ['name'] })
  const task = await client.tasks.create({
    name: 'Prices',
    datasetId: dataset.id,
    recipe: {
      start: { urls: [`${shop.url}/prices`] },
      extract: { items: 'li', fields: { name: 'b', price: { css: 'i', as: 'number' } } },
    },
  })
  const run = async () => client.executions.wait((await client.executions.start(task.id)).id)
  await run()
  await page.goto(`${world.url}/dataset?id=${dataset.id}&sort=price`)
  await status('3 rows').waitFor()
  await page.goto(`${world.url}/dataset?id=${dataset.id}`)
  await page.getByRole('gridcell', { name: 'Lime pencil' }).click()
  const item = page.getByRole('region', { name: 'One item' })
  // Newer changes come before it.
  const link = item.getByRole('listitem').getByRole('link').last()
  await link.focus()
  world.raise()
  await run()
  const looksAgain = () =>
    page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await looksAgain()
  await page.getByRole('row').nth(4).waitFor()
  await item.getByRole('listitem').nth(1).waitFor()
  expect(await hasFocus(link)).toBe(true)
  await page.goto(`${world.url}/dataset?id=${dataset.id}&sort=price`)
  await status('4 rows').waitFor()
  expect(visit.complaints).toEqual([])
})
