import { tmpdir } from 'node:os'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCommand } from '../../support/command.ts'
import { serveHttp } from '../../support/loopback.ts'
import type { Visit } from '../chromium.ts'
import { fillWorld, KEY, openConsoleWorld, openSignedIn } from '../console-world.ts'
import type { ConsoleWorld } from '../console-world.ts'

// The reports on runs, datasets and tasks: which pages failed and why, the outcomes over time, the
// rows of one page, the changes of each day, and the next run of a task; and the calls to copy are
// those of the screen.

let world: ConsoleWorld
let visit: Visit
let screens: ReadonlyMap<string, string>
let task = ''
let run = ''

beforeAll(async () => {
  world = await openConsoleWorld({
    // These tests ask more in a minute than people do.
    flags: ['--no-rate-limit'],
    pages: {
      '/scripted': () =>
        '<!doctype html><title>App</title><div id="app"></div><script src="/a.js"></script>',
    },
  })
  screens = await fillWorld(world)
  const { client, shop } = world
  task = (
    await client.tasks.create({
      name: 'Prices and nothing',
      recipe: {
        start: { urls: [`${shop.url}/prices`, `${shop.url}/nowhere`] },
        extract: { items: 'li', fields: { name: 'b', price: { css: 'i', as: 'number' } } },
      },
    })
  ).id
  run = (await client.executions.start(task)).id
  await client.executions.wait(run)
  const broken = await client.executions.run({
    recipe: { start: { urls: [`${shop.url}/nowhere`] }, extract: { fields: { name: 'h1' } } },
  })
  await client.executions.wait(broken.id)
  visit = await openSignedIn(world.url)
  visit.page.setDefaultTimeout(15_000)
})
afterAll(async () => {
  await visit.close()
  await world.close()
})

/** Body of an answer that refuses. */
const REFUSED = { error: { code: 'CONFLICT', message: 'It is archived', issues: [] } }

const open = async (path: string) => {
  await visit.page.goto(world.url + path)
  await visit.page.waitForLoadState('networkidle')
}

/** The answer to the call that a screen gives to copy with curl. The command takes the same filters. */
async function copied(): Promise<{ readonly search: URLSearchParams; readonly data: unknown }> {
  const { page } = visit
  await page.getByText('Do the same from a program').click()
  const curl = (await page.getByRole('region', { name: 'curl' }).textContent()) ?? ''
  const url = /'(http[^']+)'/.exec(curl)?.[1] ?? ''
  const response = await fetch(url, { headers: { 'X-API-Key': KEY } })
  expect([url, response.status]).toEqual([url, 200])
  const { data } = await response.json()
  const text = (await page.getByRole('region', { name: 'CLI' }).textContent()) ?? ''
  const [, line = ''] = text.split('\nseine ')
  const { code, stderr } = await runCommand([...line.split(' '), '--json'], tmpdir(), {
    SEINE_URL: new URL(world.url).origin,
    SEINE_KEY: KEY,
  })
  expect([line, code, code === 0 ? '' : stderr]).toEqual([line, 0, ''])
  return { search: new URL(url).searchParams, data }
}

it('pages are found by the reason for which they failed and by their host', async () => {
  const { page } = visit
  await open(`/run?id=${run}&tab=pages`)
  const addresses = () => page.getByRole('gridcell', { name: /^http/ }).allTextContents()
  await expect.poll(async () => (await addresses()).length).toBe(2)
  await page.getByLabel('Why pages failed').selectOption('http_404')
  await expect.poll(addresses).toEqual([`${world.shop.url}/nowhere`])
  const { search, data } = await copied()
  expect([search.get('reason'), data]).toEqual([
    'http_404',
    expect.objectContaining({ items: [expect.objectContaining({ outcome: 'failed' })] }),
  ])
  await page.getByLabel('Why pages failed').selectOption('')
  await page.getByLabel('Host').fill('elsewhere.example')
  await page.keyboard.press('Enter')
  await page.getByText('No page has this outcome').waitFor()
  await page.getByLabel('Host').fill(new URL(world.shop.url).hostname)
  await page.keyboard.press('Enter')
  await expect.poll(async () => (await addresses()).length).toBe(2)
})

it('a page says where it led, what robots.txt says, its times and its headers', async () => {
  const { page } = visit
  await using gate = await serveHttp(({ url }, response) => {
    if (url === '/robots.txt') response.end('User-agent: *\nAllow: /go\nDisallow: /')
    else response.writeHead(302, { location: `${world.shop.url}/prices` }).end()
  })
  const { client, shop } = world
  const { id } = await client.executions.run({
    recipe: { start: { urls: [`${gate.origin}/go`, `${gate.origin}/no`] }, crawl: { delayMs: 0 } },
  })
  await client.executions.wait(id)
  const drawer = page.getByRole('region', { name: 'How it was asked for' })
  await open(`/run?id=${id}&tab=pages`)
  await page.getByRole('gridcell', { name: `${gate.origin}/go` }).click()
  expect(await drawer.getByRole('listitem').allTextContents()).toEqual([
    `302 ${gate.origin}/go`,
    `200 ${shop.url}/prices`,
  ])
  const text = (await drawer.textContent()) ?? ''
  expect(text).toContain(`allowed: no line matches (${shop.url}/prices)`)
  expect(text).toMatch(/First byte[\d,]+ ms.*Whole request[\d,]+ ms.*Reading[\d,]+ ms/)
  expect(text).toMatch(/content-typetext\/html/)
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('gridcell', { name: `${gate.origin}/no` }).click()
  await drawer.getByText('forbidden by the line “Disallow: /”').waitFor()
  await client.executions.delete(id)
})

it('the rows of one page are shown beside it', async () => {
  const { page } = visit
  await open(`/run?id=${run}&tab=pages`)
  await page.getByRole('gridcell', { name: `${world.shop.url}/prices` }).click()
  const drawer = page.getByLabel('One page', { exact: true })
  await drawer.getByRole('button', { name: 'Show its 4 rows' }).click()
  const names = drawer.getByRole('region', { name: 'Its rows' }).locator('dd')
  await expect.poll(() => names.allTextContents()).toContain('Red pencil')
  // Nothing but the columns of the run.
  expect(await names.count()).toBe(8)
})

it('the outcomes of a run are shown over time, also after its end', async () => {
  const { page } = visit
  await open(`/run?id=${run}&tab=times`)
  await page.getByRole('application', { name: 'Outcomes of its pages over time' }).waitFor()
  await page.getByText('The same as a table').click()
  const table = page.getByRole('group', { name: 'Outcomes of its pages over time' })
  const headers = await table.getByRole('columnheader').allTextContents()
  expect(headers).toEqual(['When', 'fetched', 'failed'])
  const cells = (await table.getByRole('cell').allTextContents()).filter((_, i) => i % 3 > 0)
  const sumOf = (part: number) =>
    cells.filter((_, i) => i % 2 === part).reduce((sum, text) => sum + Number(text), 0)
  expect([sumOf(0), sumOf(1)]).toEqual([1, 1])
})

it('the failed pages of a run are run again alone', async () => {
  const { page } = visit
  await open(`/run?id=${run}`)
  await page.getByRole('button', { name: 'Run its failed page again' }).click()
  await page.getByText('failed', { exact: true }).first().waitFor()
  const id = new URL(page.url()).searchParams.get('id') ?? ''
  expect(id).not.toBe(run)
  const { items } = await world.client.executions.pages(id, {})
  expect(items.map(({ url }) => url)).toEqual([`${world.shop.url}/nowhere`])
})

it('the calls to copy have the columns and the state, and say what they do not do', async () => {
  const { page } = visit
  await open(`/run?id=${run}&columns=name`)
  await page.getByRole('gridcell', { name: 'Red pencil' }).waitFor()
  const rows = await copied()
  expect([rows.search.get('fields'), rows.data]).toEqual([
    'name',
    expect.objectContaining({ columns: ['name'] }),
  ])
  const note = page.getByText('These calls give all rows in their own order')
  expect(await note.count()).toBe(0)
  await page.getByRole('button', { name: 'name', exact: true }).click()
  await note.waitFor()
  await open(`${screens.get('dataset') ?? ''}&state=gone&columns=price`)
  const items = await copied()
  expect(Object.fromEntries(items.search)).toEqual({
    limit: '100',
    state: 'gone',
    fields: 'price',
  })
})

it('each screen with a list gives the call for it, also as a command', async () => {
  for (const name of [
    'runs',
    'times',
    'datasets',
    'changes',
    'usage',
    'tasks',
    'keys',
    'templates',
  ]) {
    await open(screens.get(name) ?? '')
    expect([name, (await copied()).data]).toEqual([name, expect.anything()])
  }
})

it('a dataset has its changes by day, the address of its feed, and all changes of an item', async () => {
  const { page } = visit
  await open(screens.get('changes') ?? '')
  await page.getByRole('application', { name: 'Changes by day' }).waitFor()
  await page.getByText('The same as a table').click()
  const table = page.getByRole('group', { name: 'Changes by day' })
  expect((await table.getByRole('cell').allTextContents()).slice(1)).toEqual(['4', '0', '3', '0'])
  const feed =
    (await page.getByText('Programs read the changes at').locator('code').textContent()) ?? ''
  const read = await fetch(feed, { headers: { 'X-API-Key': KEY } })
  expect((await read.json()).data.items).toHaveLength(7)

  // Newer changes, of another item, fill the first page of the list, and the next one fails once.
  let isBroken = true
  await page.route(/\/changes\?/, async (route) => {
    const url = new URL(route.request().url())
    const isNext = url.searchParams.has('cursor')
    if (isNext && isBroken) {
      isBroken = false
      return route.fulfill({ status: 409, json: REFUSED })
    }
    url.searchParams.delete('cursor')
    const response = await route.fetch({ url: String(url) })
    const { data, ...rest } = await response.json()
    const other = { ...data.items[0], itemId: 'another', at: '2090-01-01T00:00:00.000Z' }
    return route.fulfill({
      json: { ...rest, data: isNext ? data : { ...data, items: [other], hasMore: true } },
    })
  })
  await open(screens.get('dataset') ?? '')
  await page.getByRole('gridcell', { name: 'Lime pencil' }).click()
  const drawer = page.getByLabel('One item')
  await drawer.getByRole('alert').filter({ hasText: 'It is archived' }).waitFor()
  await drawer.getByRole('button', { name: 'Search on' }).click()
  await expect
    .poll(() => drawer.getByRole('listitem').locator('.state').allTextContents())
    .toEqual(['changed', 'added'])
  await page.unrouteAll({ behavior: 'wait' })
})

it('the start shows the runs that failed, and what has changed', async () => {
  const { page } = visit
  await open('')
  const failed = page.getByRole('region', { name: 'Latest runs that failed' })
  await failed.waitFor()
  expect(await failed.getByRole('row').count()).toBeGreaterThan(1)
  expect(await page.getByRole('region', { name: 'What has changed' }).textContent()).toMatch(
    /Pencils.*1 added, 3 changed/,
  )
  expect(
    await page.getByRole('region', { name: 'Latest runs', exact: true }).textContent(),
  ).toContain('Prices of pencils')
})

it('the list of tasks says what they did last and when they run next', async () => {
  const { page } = visit
  await open('/tasks')
  const line = (name: string) => page.getByRole('row').filter({ hasText: name })
  await expect.poll(() => line('Prices of pencils').locator('.state.good').count()).toBe(2)
  const next = (await world.client.tasks.list({ q: 'Prices of pencils' })).items[0]?.id ?? ''
  const [time = ''] = (await world.client.tasks.schedule(next)).nextRuns
  const cells = await line('Prices of pencils').getByRole('cell').allTextContents()
  expect(cells[5]?.replaceAll('\u00a0', ' ')).toBe(
    new Intl.DateTimeFormat('en-GB', {
      dateStyle: 'medium',
      timeStyle: 'short',
    }).format(new Date(time)),
  )
})

it('tasks that could not be started stay chosen', async () => {
  const { page } = visit
  await open('/tasks')
  const boxes = ['All products of the shop', 'Prices of pencils', 'Prices and nothing']
  for (const name of boxes) await page.getByRole('checkbox', { name: `Select ${name}` }).check()
  // The second of them, in the order of the list.
  const refused = (await world.client.tasks.list({ q: 'All products' })).items[0]?.id ?? ''
  await page.route(`**/tasks/${refused}/executions`, (route) =>
    route.fulfill({ status: 409, json: REFUSED }),
  )
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('alert').filter({ hasText: 'It is archived' }).waitFor()
  await page.getByText('1 run was started.').waitFor()
  await page.getByText('2 tasks selected').waitFor()
  // The list has been read again.
  expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(2)
  await page.unrouteAll({ behavior: 'wait' })
  await page.locator('input[type=file]').setInputFiles({
    name: 'tasks.json',
    mimeType: 'application/json',
    buffer: Buffer.from('no JSON'),
  })
  await page.getByRole('alert').filter({ hasText: 'This is not JSON' }).waitFor()
  // It does not hide what goes wrong later.
  await page.route('**/tasks/export', (route) => route.fulfill({ status: 409, json: REFUSED }))
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('alert').filter({ hasText: 'It is archived' }).waitFor()
  await page.unrouteAll({ behavior: 'wait' })
})

it('rows are sorted by the keyboard, which stays at the name of the column', async () => {
  const { page } = visit
  await open(`/run?id=${run}`)
  const name = page.getByRole('button', { name: 'price', exact: true })
  await name.focus()
  for (const order of ['ascending', 'descending']) {
    await page.keyboard.press('Enter')
    await page.locator(`[aria-sort=${order}]`).waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('price')
  }
  await page.keyboard.press('Enter')
  await page.locator('[aria-sort]').waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('price')
})

it('that a page needs its scripts is said where the server has no browser for them', async () => {
  const { page } = visit
  expect((await world.client.me.get()).abilities.browser).toBe(false)
  await open(`/build?url=${encodeURIComponent(`${world.shop.url}/scripted`)}`)
  await page.getByText('This server has no browser').waitFor()
  expect(await page.getByRole('button', { name: 'Show it after its scripts' }).count()).toBe(0)
})

it('at 390 pixels no list scrolls sideways, and 2,560 pixels are used', async () => {
  const { page } = visit
  await page.setViewportSize({ width: 390, height: 900 })
  for (const name of [
    'start',
    'tasks',
    'runs',
    'datasets',
    'usage',
    'keys',
    'webhooks',
    'agents',
  ]) {
    await open(screens.get(name) ?? '')
    const wide = await page
      .locator('.cards')
      .evaluateAll((lists) =>
        lists.flatMap((list) => (list.scrollWidth > list.clientWidth ? [list.textContent] : [])),
      )
    expect([name, wide]).toEqual([name, []])
  }
  await page.setViewportSize({ width: 2_560, height: 1_440 })
  for (const [name, path] of screens) {
    await open(path)
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect([name, width]).toEqual([name, 2_560])
  }
  await page.setViewportSize({ width: 1280, height: 900 })
})
