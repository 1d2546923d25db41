import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Locator, Page } from 'playwright-core'
import { serveHttp } from '../../support/loopback.ts'
import type { Loopback } from '../../support/loopback.ts'
import type { Visit } from '../chromium.ts'
import { openConsoleWorld, openSignedIn, writeRecipe } from '../console-world.ts'
import type { ConsoleWorld } from '../console-world.ts'
import { openScriptShop } from '../script-shop.ts'
import type { ScriptShop } from '../script-shop.ts'

// Whole stories on a server with a browser and a search engine: from an address to a file by the
// keyboard alone, from words to a page, the next pages by pointing, a page that its scripts write,
// and a column that became empty and is repaired.

let world: ConsoleWorld
let visit: Visit
let scripts: ScriptShop
let engine: Loopback
let price = 'price'

/** Pages of a list whose prices change their class, by their paths. */
const DRIFTING = Object.fromEntries(
  [1, 2, 3, 4, 5, 6].map((number) => [
    `/drifting/${number}`,
    () =>
      `<main>${[1, 2, 3, 4]
        .map(
          (i) =>
            `<div class="pen"><h3 class="name">Pen ${number}-${i}</h3>` +
            `<b class="${price}">€ ${number}.0${i}</b></div>`,
        )
        .join('')}</main>`,
  ]),
)

beforeAll(async () => {
  scripts = await openScriptShop()
  engine = await serveHttp((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const results = [
      { url: `${world.shop.url}/category/pens`, title: 'Pens of the shop', content: 'Many pens' },
    ]
    response.end(JSON.stringify({ results }))
  })
  world = await openConsoleWorld({
    flags: [
      '--browser',
      process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      '--no-browser-sandbox',
      '--search-url',
      engine.origin,
      '--search-on-private-network',
    ],
    pages: DRIFTING,
  })
  visit = await openSignedIn(world.url)
  visit.page.setDefaultTimeout(20_000)
})
afterAll(async () => {
  await visit.close()
  await world.close()
  scripts.close()
  await engine[Symbol.asyncDispose]()
})

/** Pixels of a picture that is there; 0: it is not, or not yet. */
const widthOf = (picture: Locator): Promise<number> =>
  picture.evaluate((image) => (image instanceof HTMLImageElement ? image.naturalWidth : 0))

/** Goes on with the Tab key to what has this name, as somebody without a mouse does. */
async function tabTo(page: Page, name: string): Promise<void> {
  const here = () =>
    page.evaluate(() => {
      const element = document.activeElement
      return element === null || element === document.body ? '' : (element.textContent ?? '').trim()
    })
  const before: string[] = []
  for (let turn = 0; turn < 150; turn++) {
    await page.keyboard.press('Tab')
    const text = await here()
    if (text === name) return
    before.push(text)
  }
  throw new Error(`${name} is not reached; before: ${before.join(' | ')}`)
}

it('a newcomer comes from an address to a file of rows with the keyboard alone', async () => {
  const { page } = visit
  await page.goto(world.url)
  await page.getByLabel('Address of a page').waitFor()
  // The way into the page is a link over its head.
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await page.keyboard.type(`${world.shop.url}/category/pens`)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Choose rows and columns' }).waitFor()
  await tabTo(page, 'Choose rows and columns')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Run now' }).waitFor()
  await page.getByRole('cell', { name: 'Fountain pen in brass' }).waitFor()
  await tabTo(page, 'Run now')
  await page.keyboard.press('Enter')
  await page.getByText('The run is done').waitFor()
  await tabTo(page, 'Watch it')
  await page.keyboard.press('Enter')
  await page.getByRole('gridcell', { name: 'Fountain pen in brass' }).waitFor()
  await tabTo(page, 'Export')
  const waiting = page.waitForEvent('download')
  await page.keyboard.press('Enter')
  const text = await readFile(await (await waiting).path(), 'utf8')
  expect(text.trim().split('\r\n')).toHaveLength(21)
  expect(visit.complaints).toEqual([])
})

it('words lead to pages, where the server has a search engine', async () => {
  const { page } = visit
  await page.goto(world.url)
  await page.getByLabel('or words to search for').fill('pens of brass')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Pens of the shop' }).waitFor()
  await page.getByRole('listitem').getByRole('button', { name: 'Show its table' }).click()
  await page.getByRole('cell', { name: 'Fountain pen in brass' }).waitFor()
  expect(await page.getByLabel('or words to search for').inputValue()).toBe(
    `${world.shop.url}/category/pens`,
  )
  expect(visit.complaints).toEqual([])
})

it('a click on the link to the next page brings the rows of all pages', async () => {
  const { page } = visit
  await page.goto(world.url)
  await page.getByLabel('Address of a page').fill(`${world.shop.url}/category/pens`)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Choose rows and columns' }).click()
  const unfollow = page.getByRole('button', { name: 'Stay on this page' })
  const link = page.frameLocator('iframe').locator('a.next')
  await link.waitFor()
  // The proposal may follow it already.
  if (await unfollow.isVisible()) await unfollow.click()
  await unfollow.waitFor({ state: 'detached' })
  await link.scrollIntoViewIfNeeded()
  const box = await link.boundingBox()
  if (!box) throw new Error('The link is not seen')
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
  await page.getByRole('button', { name: 'Follow this to the next pages' }).click()
  await unfollow.waitFor()
  await page.getByRole('button', { name: 'Run now' }).click()
  await page.getByText('The run is done').waitFor()
  await page.getByRole('link', { name: 'Watch it' }).click()
  await page.getByRole('tab', { name: 'Page report' }).click()
  await page
    .getByRole('gridcell', { name: /category\/pens.+/ })
    .first()
    .waitFor()
  const id = new URL(page.url()).searchParams.get('id') ?? ''
  const { counters } = await world.client.executions.get(id)
  expect(counters.fetched).toBeGreaterThan(1)
  expect(counters.rows).toBe(20)
  expect(visit.complaints).toEqual([])
})

it('a page that its scripts write is offered to be shown after them', async () => {
  const { page } = visit
  await page.goto(world.url)
  await page.getByLabel('Address of a page').fill(`${scripts.origin}/pens`)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Choose rows and columns' }).click()
  await page.getByRole('button', { name: 'Show it after its scripts' }).click()
  await page.frameLocator('iframe').getByText('Pen 3', { exact: true }).waitFor()
  await page.getByRole('cell', { name: 'Pen 3' }).waitFor()
  // The button for more is clicked before the page is read.
  const more = page.frameLocator('iframe').locator('#more')
  await more.scrollIntoViewIfNeeded()
  const box = await more.boundingBox()
  if (!box) throw new Error('The button is not seen')
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
  await page.getByRole('button', { name: 'Click it before the page is read' }).click()
  await page.getByRole('cell', { name: 'Pen 6' }).waitFor()
  // The page after one click still has the button.
  await more.scrollIntoViewIfNeeded()
  const again = await more.boundingBox()
  if (!again) throw new Error('The button is gone')
  await page.mouse.click(again.x + again.width / 2, again.y + again.height / 2)
  await page.getByRole('button', { name: 'Click it again and again, at most ten times' }).click()
  await page.getByRole('cell', { name: 'Pen 9' }).waitFor()
  // The picture is one of the window in which the page was rendered.
  await page.getByText('How a browser showed it').click()
  await expect.poll(() => widthOf(page.getByAltText('How a browser showed it'))).toBe(1280)
  expect(visit.complaints).toEqual([])
})

it('the report of a page shows its screenshot', async () => {
  const { page } = visit
  const url = `${scripts.origin}/pens`
  const { id } = await world.client.executions.run({
    recipe: {
      start: { urls: [url] },
      page: { render: 'browser', viewport: { width: 400, height: 300 } },
      extract: { fields: { title: 'title' } },
      formats: ['screenshot'],
    },
  })
  await world.client.executions.wait(id)
  await page.goto(`${world.url}/run?id=${id}&tab=pages&page=${encodeURIComponent(url)}`)
  await page.getByRole('button', { name: 'Show its row' }).click()
  const drawer = page.getByRole('region', { name: 'Its rows' })
  await expect.poll(() => widthOf(drawer.getByRole('img'))).toBe(400)
  expect(visit.complaints).toEqual([])
})

it('a search is filled in and sent before the page is read, and steps are taken out', async () => {
  const { page } = visit
  const url = `${scripts.origin}/search`
  await page.goto(`${world.url}/build?url=${encodeURIComponent(url)}&tab=json`)
  const field = page.frameLocator('iframe').locator('#q')
  await field.waitFor()
  const recipe = {
    start: { urls: [url] },
    page: { render: 'browser' },
    extract: { fields: { result: '#found' } },
  }
  await writeRecipe(page, JSON.stringify(recipe))
  await page.getByRole('tab', { name: 'Table' }).click()
  const box = await field.boundingBox()
  if (!box) throw new Error('The field is not seen')
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
  await page.getByLabel('Text to type').fill('pens')
  await page.getByRole('button', { name: 'Type into it' }).click()
  const steps = page.getByRole('region', { name: 'Before the page is read' }).getByRole('listitem')
  await steps.filter({ hasText: /^Type “pens” into / }).waitFor()
  await page.getByRole('button', { name: 'Press Enter', exact: true }).click()
  await page.getByRole('cell', { name: 'Found: pens' }).waitFor()
  await page.getByRole('button', { name: 'Scroll to the end', exact: true }).click()
  await expect.poll(() => steps.count()).toBe(3)
  await page.getByRole('button', { name: 'Remove step: Scroll to the end' }).click()
  await expect.poll(() => steps.count()).toBe(2)
  const draft = () => page.evaluate(() => sessionStorage.getItem('seine.typed draft') ?? '{}')
  expect(JSON.parse(await draft()).recipe.page.actions).toEqual([
    { fill: 'input', value: 'pens' },
    { press: 'Enter' },
  ])
  await page.getByRole('button', { name: 'Remove step: Press Enter' }).click()
  await page.getByRole('cell', { name: 'Found: pens' }).waitFor({ state: 'detached' })
  expect(visit.complaints).toEqual([])
})

it('a column that became empty is repaired beside its old selector', async () => {
  const { page } = visit
  const { client, shop } = world
  const task = await client.tasks.create({
    name: 'Pens that drift',
    recipe: {
      start: { urls: Object.keys(DRIFTING).map((path) => shop.url + path) },
      crawl: { delayMs: 0 },
      page: { keep: true },
      extract: {
        items: '.pen',
        fields: { name: '.name', price: { css: '.price', as: 'number' } },
      },
    },
  })
  const runOnce = async () => client.executions.wait((await client.executions.start(task.id)).id)
  await runOnce()
  await runOnce()
  price = 'cost'
  const { id, drift } = await runOnce()
  expect(drift.map(({ field }) => field)).toEqual(['price'])
  await expect
    .poll(async () => (await client.executions.get(id)).relocation?.status, { timeout: 20_000 })
    .toBe('proposed')
  await page.goto(`${world.url}/tasks`)
  const row = page.getByRole('row').filter({ hasText: 'Pens that drift' })
  await row.locator('.bad').waitFor()
  expect(await row.locator('.bad').textContent()).toBe('price')
  await row.getByRole('link', { name: 'Pens that drift' }).click()
  const notice = page.locator('.notice')
  await notice.waitFor()
  expect(await notice.locator('del').textContent()).toContain('.price')
  expect(await notice.locator('ins').textContent()).toContain('.cost')
  await page.getByRole('button', { name: 'Take the proposal' }).click()
  await page.getByText('The recipe has the new selector.').waitFor()
  expect((await runOnce()).filled['price']).toBe(24)
  expect(visit.complaints).toEqual([])
})
