import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Visit } from './chromium.ts'
import { openConsoleWorld, openSignedIn } from './console-world.ts'
import type { ConsoleWorld } from './console-world.ts'

// Proves what a person does with rows that are stored: finds and sorts them all, chooses columns,
// sees pictures, opens one row, and finds it again by its address.

let world: ConsoleWorld
let visit: Visit
let run = ''
let dataset = ''

beforeAll(async () => {
  world = await openConsoleWorld()
  const { client, shop } = world
  dataset = (await client.datasets.create({ name: 'Products', keyFields: ['name'] })).id
  const task = await client.tasks.create({
    name: 'Products with pictures',
    datasetId: dataset,
    recipe: {
      start: { urls: [shop.url] },
      follow: [
        { links: 'nav.categories a', as: 'list', on: 'start' },
        { next: 'a.next', on: 'list' },
        { links: '.product-link', as: 'detail', on: 'list' },
      ],
      extract: {
        on: 'detail',
        fields: {
          name: 'h1',
          price: { css: '.price', as: 'number' },
          picture: { css: '.photo', as: 'media' },
        },
      },
    },
  })
  run = (await client.executions.start(task.id)).id
  await client.executions.wait(run)
  visit = await openSignedIn(world.url)
  await visit.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  visit.page.setDefaultTimeout(10_000)
})
afterAll(async () => {
  await visit.close()
  await world.close()
})

/** The cells of a column, from the top. */
async function cells(column: string): Promise<string[]> {
  const { page } = visit
  const headers = await page.getByRole('columnheader').allTextContents()
  const rows = await page
    .getByRole('row')
    .filter({ has: page.getByRole('gridcell') })
    .all()
  return Promise.all(
    rows.map(async (row) =>
      String(await row.getByRole('gridcell').nth(headers.indexOf(column)).textContent()),
    ),
  )
}

/** Takes a picture of the screen if `PICTURES` names a folder. */
async function picture(name: string): Promise<void> {
  const to = process.env['PICTURES']
  if (to !== undefined) await visit.page.screenshot({ path: `${to}/${name}.png` })
}

it('rows of a run show their pictures, and are found and sorted over all pages', async () => {
  const { page } = visit
  await page.goto(`${world.url}/run?id=${run}`)
  const image = page.getByRole('row').nth(1).locator('img')
  await image.waitFor()
  await expect
    .poll(() => image.evaluate((one) => one instanceof HTMLImageElement && one.naturalWidth))
    .toBeGreaterThan(0)
  await picture('rows')
  await page.getByLabel('Find in the rows').fill('PEN IN')
  await page.keyboard.press('Enter')
  await page
    .getByRole('status')
    .filter({ hasText: /^\d+ rows$/ })
    .waitFor()
  await page.getByRole('button', { name: 'price', exact: true }).click()
  await expect.poll(() => page.locator('[aria-sort=ascending]').count()).toBe(1)
  await page.getByRole('button', { name: 'price', exact: true }).click()
  await page.locator('[aria-sort=descending]').waitFor()
  const prices = (await cells('price')).map(Number)
  expect(prices.length).toBeGreaterThan(3)
  expect(prices).toEqual(prices.toSorted((a, b) => b - a))
  expect((await cells('name')).every((name) => /pen in/i.test(name))).toBe(true)
  await picture('rows-found')
  const all = await world.client.results.list(run, { limit: 100 })
  expect(prices).toHaveLength(all.items.filter(({ name }) => /pen in/i.test(String(name))).length)
  // The address has all of it.
  await page.reload()
  await page
    .getByRole('status')
    .filter({ hasText: `${prices.length} rows` })
    .waitFor()
  expect((await cells('price')).map(Number)).toEqual(prices)
  expect(visit.complaints).toEqual([])
})

it('one row is opened, copied and closed with the keyboard', async () => {
  const { page } = visit
  await page.getByRole('gridcell').first().focus()
  await page.keyboard.press('Control+c')
  const [name = ''] = await cells('name')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(name)
  await page.keyboard.press('Enter')
  const drawer = page.getByRole('region', { name: 'One row' })
  await drawer.getByRole('img', { name: /^http.*\.svg$/ }).waitFor()
  await picture('row')
  await page.reload()
  await drawer.getByText(name, { exact: true }).waitFor()
  await drawer.getByRole('button', { name: 'Copy' }).click()
  const copied: unknown = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()))
  expect(copied).toMatchObject({ name })
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'detached' })
  expect(visit.complaints).toEqual([])
})

it('a file has the columns that were chosen', async () => {
  const { page } = visit
  await page.getByText('Columns (3)').click()
  await page.getByRole('checkbox', { name: 'picture' }).uncheck()
  await page.getByText('Columns (2 of 3)').waitFor()
  expect(await page.getByRole('columnheader').allTextContents()).toEqual(['name', 'price'])
  const waiting = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  const text = await readFile(await (await waiting).path(), 'utf8')
  expect(text.split('\r\n')[0]).toMatch(/^\uFEFF?name,price$/)
  expect(visit.complaints).toEqual([])
})

it('the items of a dataset are found and sorted in the same way', async () => {
  const { page } = visit
  await page.goto(`${world.url}/dataset?id=${dataset}`)
  await page.getByRole('row').nth(1).locator('img').waitFor()
  await page.getByRole('button', { name: 'price', exact: true }).click()
  await page.locator('[aria-sort=ascending]').waitFor()
  const prices = (await cells('price')).map(Number)
  expect(prices).toEqual(prices.toSorted((a, b) => a - b))
  await page.getByLabel('Find in the rows').fill('no such thing')
  await page.keyboard.press('Enter')
  await page.getByRole('status').filter({ hasText: '0 rows' }).waitFor()
  expect(visit.complaints).toEqual([])
})

it('a file of a dataset has the columns and the items that were chosen', async () => {
  const { page } = visit
  const { counters } = await world.client.datasets.get(dataset)
  expect(counters.present).toBeGreaterThan(3)
  for (const [search, head, count] of [
    ['', expect.stringMatching(/^name,price,picture/), counters.present],
    ['&columns=name,price', 'name,price', counters.present],
    ['&columns=name&state=gone', 'name', 0],
  ] as const) {
    await page.goto(`${world.url}/dataset?id=${dataset}${search}`)
    const waiting = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    const text = await readFile(await (await waiting).path(), 'utf8')
    const [first, ...lines] = text.replace('\uFEFF', '').trim().split('\r\n')
    expect([search, first, lines.length]).toEqual([search, head, count])
  }
  expect(visit.complaints).toEqual([])
})

it('rows of one state are not shown as those of another that is being read', async () => {
  const { page } = visit
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  // The list, and the file that a sorted table is read from.
  for (const [sort, gate] of [['', gates[0]] as const, ['&sort=price', gates[1]] as const]) {
    await page.goto(`${world.url}/dataset?id=${dataset}${sort}`)
    await page.getByRole('gridcell').first().waitFor()
    await page.route(/state=gone/, async (route) => {
      await gate?.promise
      await route.continue()
    })
    const filtered = page.waitForRequest(/state=gone/)
    await page.getByRole('combobox', { name: 'State' }).selectOption('gone')
    await filtered
    expect(await page.getByRole('gridcell').count()).toBe(0)
    gate?.resolve()
    await page.getByText('There are no items').waitFor()
    await page.unroute(/state=gone/)
  }
  expect(visit.complaints).toEqual([])
})

it('columns of any name are chosen by the address, and those that are gone are left out', async () => {
  const { page } = visit
  const { client, shop } = world
  const { id } = await client.executions.run({
    recipe: {
      start: { urls: [`${shop.url}/prices`] },
      extract: { items: 'li', fields: { name: 'b', 'price, net': 'i', '50% off': 'i' } },
    },
  })
  await client.executions.wait(id)
  const headers = () => page.getByRole('columnheader').allTextContents()
  /** The columns of the file that the button writes. */
  const exported = async () => {
    const waiting = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    const text = await readFile(await (await waiting).path(), 'utf8')
    return text.replace('\uFEFF', '').split('\r\n')[0]
  }
  await page.goto(`${world.url}/run?id=${id}&row=1`)
  await page.getByRole('region', { name: 'One row' }).waitFor()
  await page.getByText('Columns (3)').click()
  await page.getByRole('checkbox', { name: 'name' }).uncheck()
  await page.getByText('Columns (2 of 3)').waitFor()
  // The matches depend on the columns, so the row may be another one.
  expect(new URL(page.url()).searchParams.has('row')).toBe(false)
  await page.reload()
  await expect.poll(headers).toEqual(['price, net', '50% off'])
  expect(await exported()).toBe('"price, net",50% off')

  await page.goto(`${world.url}/run?id=${id}&columns=name,was&sort=was`)
  await expect.poll(headers).toEqual(['name'])
  expect(await exported()).toBe('name')
  await page.goto(`${world.url}/run?id=${id}&columns=was`)
  await expect.poll(headers).toEqual(['name', 'price, net', '50% off'])
  expect(await page.getByRole('gridcell', { name: 'Cedar pencil' }).count()).toBe(1)
  expect(await exported()).toBe('name,"price, net",50% off')
  expect(visit.complaints).toEqual([])
})

it('another state of a dataset keeps the order and the columns', async () => {
  const { page } = visit
  await page.goto(`${world.url}/dataset?id=${dataset}&sort=price&columns=name,price&row=2`)
  await page.getByRole('region', { name: 'One row' }).waitFor()
  await page.getByRole('combobox', { name: 'State' }).selectOption('all')
  await page.locator('[aria-sort=ascending]').waitFor()
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
    id: dataset,
    sort: 'price',
    columns: 'name,price',
    state: 'all',
  })
  expect(await page.getByRole('columnheader').allTextContents()).toEqual(['name', 'price'])
  expect(visit.complaints).toEqual([])
})
