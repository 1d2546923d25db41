import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Route } from 'playwright-core'
import { openChromium } from './chromium.ts'
import type { Visit } from './chromium.ts'
import { KEY, openConsoleWorld, signIn } from './console-world.ts'
import type { ConsoleWorld } from './console-world.ts'

// Proves that a list which takes long to read says so: the button that reads on is busy and keeps
// the focus, and an address that names an entry far down says how far the list was looked through,
// and how to go on. Under a new filter nothing of the last one is shown, and what a reader has found,
// sorted and chosen is still there after another tab.

let world: ConsoleWorld
let visit: Visit
let run = ''
let dataset = ''

beforeAll(async () => {
  world = await openConsoleWorld()
  const { client, shop } = world
  dataset = (await client.datasets.create({ name: 'Lines', keyFields: ['name'] })).id
  const task = await client.tasks.create({
    name: 'Lines',
    datasetId: dataset,
    recipe: {
      start: { urls: [`${shop.url}/prices`, `${shop.url}/nowhere`] },
      extract: { items: 'li', fields: { name: 'b', price: 'i' } },
    },
  })
  run = (await client.executions.start(task.id)).id
  await client.executions.wait(run)
  visit = await openChromium({ viewport: { width: 1280, height: 900 }, locale: 'en-GB' })
  await signIn(visit.page, world.url, KEY)
  visit.page.setDefaultTimeout(20_000)
  visit.complaints.splice(0)
})
afterAll(async () => {
  await visit.close()
  await world.close()
})

it('a list that searches on says so, and leaves the focus at its button', async () => {
  const { page } = visit
  const { client } = world
  await client.tasks.create({
    name: 'Far away',
    recipe: { start: { urls: [world.shop.url] }, extract: { fields: { name: 'h1' } } },
  })
  const gate = Promise.withResolvers<void>()
  let requests = 0
  // Pages before the one with the task are empty, as if a filter passed over all of their records.
  await page.route(/\/api\/v1\/tasks\?/, async (route: Route) => {
    requests += 1
    const url = new URL(route.request().url())
    url.searchParams.delete('cursor')
    const answer = await route.fetch({ url: url.href })
    const body: { readonly data: object } = await answer.json()
    if (requests > 51) await gate.promise
    const data = requests > 51 ? body.data : { items: [], hasMore: true, nextCursor: 'next' }
    await route.fulfill({ response: answer, json: { ...body, data } })
  })
  await page.goto(`${world.url}/tasks`)
  const button = page.getByRole('button', { name: 'Search on' })
  await button.focus()
  expect(await button.getAttribute('aria-busy')).toBe('false')
  await page.keyboard.press('Enter')
  const busy = page.getByRole('button', { name: 'Searching…' })
  await busy.waitFor()
  expect(await busy.getAttribute('aria-busy')).toBe('true')
  expect(await busy.evaluate((one) => one.ownerDocument.activeElement === one)).toBe(true)
  await page.getByRole('status').filter({ hasText: 'Searching…' }).waitFor()
  // It is asked once, however often it is pressed.
  await expect.poll(() => requests).toBe(52)
  await page.keyboard.press('Enter')
  gate.resolve()
  await page.getByRole('link', { name: 'Far away' }).waitFor()
  expect(requests).toBe(52)
  await page.unroute(/\/api\/v1\/tasks\?/)
})

it('a row far down is looked for among the first 2,000, and further if its reader says so', async () => {
  const { page } = visit
  const { id } = await world.client.executions.run({
    recipe: {
      start: { urls: [`${world.shop.url}/many`] },
      extract: { items: 'li', fields: { name: 'b' } },
    },
  })
  await world.client.executions.wait(id)
  await page.goto(`${world.url}/run?id=${id}&row=2499`)
  await page.getByText('not among the first 2,000 entries').waitFor()
  const gate = Promise.withResolvers<void>()
  await page.route(/\/results\?/, async (route) => {
    await gate.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'Search on' }).click()
  const busy = page.getByRole('button', { name: 'Searching…' })
  await busy.waitFor()
  expect(await busy.getAttribute('aria-busy')).toBe('true')
  gate.resolve()
  const drawer = page.getByRole('region', { name: 'One row' })
  await drawer.getByText('Line 2500', { exact: true }).waitFor()
  expect(await page.getByText('not among the first').count()).toBe(0)
  // A list that was read to its end says that, too.
  await page.goto(`${world.url}/run?id=${id}&tab=pages&page=https://nowhere.example/`)
  await page.getByText('This list does not have what the address names.').waitFor()
  expect(await page.getByRole('button', { name: 'Search on' }).count()).toBe(0)
  expect(visit.complaints).toEqual([])
})

it('pages under another outcome are not those of the last one', async () => {
  const { page } = visit
  await page.goto(`${world.url}/run?id=${run}&tab=pages&outcome=fetched`)
  const cell = (path: string) => page.getByRole('gridcell', { name: `${world.shop.url}${path}` })
  await cell('/prices').waitFor()
  const gate = Promise.withResolvers<void>()
  await page.route(/\/pages\?.*outcome=failed/, async (route: Route) => {
    await gate.promise
    await route.continue()
  })
  const filtered = page.waitForRequest(/outcome=failed/)
  await page.getByLabel('Outcome').selectOption('failed')
  await filtered
  // The answer is not there yet, and nothing that is wrong is.
  await cell('/prices').waitFor({ state: 'detached' })
  gate.resolve()
  await cell('/nowhere').waitFor()
  expect(await cell('/prices').count()).toBe(0)
  await page.unrouteAll({ behavior: 'wait' })
})

it.each([
  ['run', () => `/run?id=${run}`, 'Page report', 'Rows'],
  ['dataset', () => `/dataset?id=${dataset}`, 'Changes', 'Items'],
])(
  'rows of a %s stay found, sorted and chosen after another tab',
  async (_, screen, other, own) => {
    const { page } = visit
    await page.goto(`${world.url}${screen()}&find=e&sort=name&down=yes&columns=name&row=0`)
    const rows = page.getByRole('gridcell')
    const names = ['Lime pencil', 'Copying pencil', 'Cedar pencil']
    await expect.poll(() => rows.allTextContents()).toEqual(names)
    await page.getByRole('region', { name: 'One row' }).waitFor()
    await page.getByRole('tab', { name: other }).click()
    await page.getByRole('tab', { name: own, selected: false }).click()
    await expect.poll(() => rows.allTextContents()).toEqual(names)
    const { searchParams } = new URL(page.url())
    expect(
      Object.fromEntries(
        ['find', 'sort', 'down', 'columns'].map((name) => [name, searchParams.get(name)]),
      ),
    ).toEqual({
      find: 'e',
      sort: 'name',
      down: 'yes',
      columns: 'name',
    })
    // The drawer beside the other tab's list is closed.
    expect(searchParams.has('row')).toBe(false)
  },
)

it('an action leaves out chosen tasks that a filter hides', async () => {
  const { page } = visit
  const { client } = world
  const recipe = { start: { urls: [world.shop.url] }, extract: { fields: { name: 'h1' } } }
  const [near, far] = [
    await client.tasks.create({ name: 'Near', recipe }),
    await client.tasks.create({ name: 'Out there', recipe }),
  ]
  await page.goto(`${world.url}/tasks`)
  await page.getByRole('checkbox', { name: 'Near' }).check()
  await page.getByRole('checkbox', { name: 'Out there' }).check()
  await page.getByRole('group', { name: '2' }).waitFor()
  await page.getByRole('searchbox', { name: 'Search by name' }).fill('Out')
  await page.keyboard.press('Enter')
  await page.getByRole('group', { name: '1' }).getByRole('button', { name: 'Pause' }).click()
  await expect.poll(async () => (await client.tasks.get(far.id)).status).toBe('paused')
  expect((await client.tasks.get(near.id)).status).toBe('active')
})
