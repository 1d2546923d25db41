import { request as forward } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSqliteStore } from '../../adapters/sqlite/index.ts'
import { systemClock } from '../../src/defaults/system-clock.ts'
import { openTaskRecords } from '../../src/features/tasks/records.ts'
import { Change } from '../../src/records/change.ts'
import { serveHttp } from '../support/loopback.ts'
import type { Loopback } from '../support/loopback.ts'
import type { Visit } from './chromium.ts'
import { openConsoleWorld, openSignedIn } from './console-world.ts'
import type { ConsoleWorld } from './console-world.ts'

// Proves that the console stays usable in bad surroundings: behind a proxy that breaks compression,
// with a key that has ended, with pages and recipes of any size, and with 100,000 tasks.

let world: ConsoleWorld
let visit: Visit
let pages: Loopback
let site = ''

beforeAll(async () => {
  world = await openConsoleWorld()
  pages = await serveHttp((request, response) => {
    response.writeHead(request.url === '/robots.txt' ? 404 : 200, { 'content-type': 'text/html' })
    response.end(PAGES[request.url ?? '']?.() ?? '')
  })
  site = pages.origin
  visit = await openSignedIn(world.url)
})
afterAll(async () => {
  await visit.close()
  await world.close()
  await pages[Symbol.asyncDispose]()
})

const LIST = '<ul>' + '<li><b>Net</b> <i>5.40</i></li>'.repeat(9) + '</ul>'
const PAGES: Readonly<Record<string, () => string>> = {
  '/long': () => `<h1>Long</h1>${LIST}${'<p>Some words of a long page.</p>'.repeat(1_600_000)}`,
  '/deep': () => `<h1>Deep</h1>${LIST}${'<div>'.repeat(100_000)}`,
  '/wide': () =>
    `<h1>Wide</h1>${LIST}<table><tr><td rowspan="1000000000" colspan="1000000000">1</table>`,
}

it('a proxy that drops `Content-Encoding` does not break the console', async () => {
  const { hostname, port } = new URL(world.url)
  await using proxy = await serveHttp((request, response) => {
    const { method, headers, url: path } = request
    request.pipe(
      forward({ hostname, port, method, headers, path }, (answer) => {
        const { 'content-encoding': _, ...kept } = answer.headers
        response.writeHead(answer.statusCode ?? 502, kept)
        answer.pipe(response)
      }),
    )
  })
  const other = await openSignedIn(`${proxy.origin}/console`)
  await other.page.getByRole('link', { name: 'Tasks' }).click()
  await other.page.getByRole('heading', { name: 'Tasks' }).waitFor()
  const colour = await other.page.evaluate(() =>
    getComputedStyle(document.documentElement).getPropertyValue('--accent'),
  )
  expect(colour).not.toBe('')
  await other.close()
})

it('a host that names another user with each request is loaded anew once, then said to be wrong', async () => {
  const other = await openSignedIn(world.url)
  let callers = 0
  await other.page.route('**/api/v1/me', async (route) => {
    const response = await route.fetch()
    callers += 1
    const { data, ...rest } = await response.json()
    await route.fulfill({ response, json: { ...rest, data: { ...data, user: `user ${callers}` } } })
  })
  await other.page.reload()
  await other.page.getByText('names another user each time').waitFor()
  expect(callers).toBe(2)
  await other.close()
})

it('a person whose key has ended is asked to sign in again', async () => {
  const made = await world.client.keys.create({
    name: 'for a day',
    scopes: ['tasks:read', 'tasks:write'],
  })
  const other = await openSignedIn(world.url, made.secret)
  await world.client.keys.revoke(made.id)
  await other.page.getByRole('link', { name: 'Tasks' }).click()
  await other.page.getByLabel('API key').waitFor()
  expect(await other.page.getByText('Sign out').count()).toBe(0)
  await other.close()
})

it.each([
  ['/long', 'The page is larger than the limit of 10 MiB'],
  ['/deep', null],
  ['/wide', null],
])('the page %s is shown, or refused in words', async (path, refusal) => {
  const { page } = visit
  await page.goto(world.url)
  await page.getByLabel('Address of a page').fill(site + path)
  await page.keyboard.press('Enter')
  if (refusal === null) {
    await page.getByRole('button', { name: 'Choose rows and columns' }).click()
    await page.getByRole('application').waitFor()
  } else await page.getByRole('alert').filter({ hasText: refusal }).waitFor()
  // The screen answers afterwards.
  await page.getByRole('link', { name: 'Tasks' }).click()
  await page.getByRole('heading', { name: 'Tasks' }).waitFor()
  expect(visit.complaints).toEqual([])
})

it('a late answer about one page does not replace the table of the next', async () => {
  const { page } = visit
  const show = async (path: string) => {
    await page.getByLabel('Address of a page').fill(site + path)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Choose rows and columns' }).click()
    await page.getByRole('application').waitFor()
  }
  await page.goto(world.url)
  await show('/deep')
  // The screen is left first, so that none of its questions counts below.
  await page.goto('about:blank')
  // A question about a kept page is the recipe of a draft. Its answers wait here.
  const late: (() => void)[] = []
  await page.route('**/api/v1/tasks/preview', async (route) => {
    if (route.request().postData()?.includes('"snapshots"') === true)
      await new Promise<void>((resolve) => late.push(resolve))
    await route.continue()
  })
  await page.goto(world.url)
  await expect.poll(() => late.length).toBe(1)
  await show('/wide')
  const cell = page.getByRole('cell', { name: 'Wide', exact: true })
  await cell.waitFor()
  const answered = page.waitForResponse((response) => response.url().endsWith('/tasks/preview'))
  late[0]?.()
  await (await answered).finished()
  await expect.poll(() => late.length).toBe(2)
  expect(await cell.isVisible()).toBe(true)
  for (const go of late) go()
  await page.unrouteAll({ behavior: 'wait' })
})

it('a recipe of 10 MB is refused with its size, and the screen goes on', async () => {
  const { page } = visit
  const recipe = {
    start: { urls: [`${site}/wide`] },
    extract: { fields: { title: 'h1', long: `b${', b'.repeat(3_500_000)}` } },
  }
  const answer = await world.client.tasks.create({ name: 'Long', recipe }).catch((error) => error)
  expect(answer).toMatchObject({ status: 413 })
  await page.goto(`${world.url}/tasks`)
  await page.locator('input[type=file]').setInputFiles({
    name: 'tasks.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify({ version: 1, tasks: [{ name: 'Long', recipe }] })),
  })
  const alert = page.getByRole('alert')
  await alert.waitFor()
  expect(await alert.textContent()).toMatch(/bytes|MiB/)
  await page.getByLabel('State').selectOption('paused')
  await page.getByText('No task is like that.').waitFor()
})

it('the newest of 100,000 tasks are listed, and one is found by its name', async () => {
  const store = createSqliteStore({ path: world.database })
  const { tasks } = openTaskRecords(store)
  const now = systemClock.now()
  const recipe = { start: { urls: [`${site}/wide`] }, extract: { fields: { title: 'h1' } } }
  for (let first = 0; first < 100_000; first += 1_000) {
    const change = new Change()
    for (let index = first; index < first + 1_000; index++)
      tasks.put(change, 'default', {
        id: `task_01M8${String(index).padStart(22, '0')}`,
        name: `Prices of shop ${index}`,
        description: '',
        labels: index === 77_777 ? ['chosen'] : [],
        status: 'active',
        recipe,
        createdAt: now,
        updatedAt: now,
      })
    expect(await store.commit(change.toCommit())).toBe(true)
  }
  await store.close()
  const { page } = visit
  await page.goto(`${world.url}/tasks`)
  await page.getByRole('link', { name: 'Prices of shop 99999' }).waitFor()
  await page.getByLabel('Search by name').fill('shop 77777')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Prices of shop 77777' }).waitFor()
  expect(visit.complaints.filter((text) => !text.includes('413'))).toEqual([])
})
