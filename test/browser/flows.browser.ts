import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../src/client.ts'
import { serveHttp } from '../support/loopback.ts'
import { openChromium } from './chromium.ts'
import type { Visit } from './chromium.ts'
import {
  fillOperator,
  fillWorld,
  openConsoleWorld,
  openScreen,
  openSignedIn,
  signIn,
} from './console-world.ts'
import type { ConsoleWorld } from './console-world.ts'

// Ways from one screen to the next: a task whose changes a server hears of, a part that is opened
// in an address of its own, an agent's call under way, a key that an operator makes, and why a
// field has the value that it has.

let world: ConsoleWorld
let visit: Visit
let screens: ReadonlyMap<string, string>

beforeAll(async () => {
  world = await openConsoleWorld()
  screens = await fillWorld(world)
  visit = await openSignedIn(world.url)
  visit.page.setDefaultTimeout(10_000)
})
afterAll(async () => {
  await visit.close()
  await world.close()
})

const open = (name: string) => openScreen(visit.page, world.url + (screens.get(name) ?? ''))

it('the rows of a new task go to a new dataset, and a server hears when it changes', async () => {
  const { page } = visit
  await open('build')
  await page.getByLabel('Name of the task').fill('Watched pens')
  await page.getByRole('button', { name: 'Save as task' }).click()
  await page.getByText('Schedule, dataset, notifications').click()
  const notify = page.getByRole('region', { name: 'Notify a server when' })
  // A dataset that does not exist yet cannot change.
  expect(await notify.getByLabel('a dataset changed').count()).toBe(0)
  await page.getByLabel('Columns that identify an item').fill('url')
  await page.getByRole('button', { name: 'Keep its rows in a new dataset' }).click()
  await notify.getByLabel('a dataset changed').check()
  await notify.getByLabel('a run failed').check()
  await notify.getByLabel('Address of your server').fill('https://example.com/pens')
  await notify.getByRole('button', { name: 'Notify it' }).click()
  await notify.getByText('https://example.com/pens: a dataset changed, a run failed').waitFor()
  expect(await notify.getByRole('status').locator('code').textContent()).toMatch(/^whsec_/)

  const { items } = await world.client.tasks.list({ q: 'Watched pens' })
  const [task] = items
  const hooks = (await world.client.webhooks.list({})).items
  expect(hooks.find(({ url }) => url === 'https://example.com/pens')).toMatchObject({
    taskIds: [task?.id],
    events: ['dataset.changed', 'execution.failed'],
  })
  expect((await world.client.datasets.get(task?.datasetId ?? '')).keyFields).toEqual(['url'])
})

it('the newest change is shown first', async () => {
  const { page } = visit
  await open('changes')
  const links = page.getByRole('listitem').getByRole('link')
  await links.first().waitFor()
  const id = new URL(page.url()).searchParams.get('id') ?? ''
  const { lastMerge } = await world.client.datasets.get(id)
  expect(await links.first().getAttribute('href')).toContain(lastMerge?.executionId)
  expect(await links.last().getAttribute('href')).not.toContain(lastMerge?.executionId)
  expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0)
})

it('the address names the page or item that is open, and the back button closes it', async () => {
  const { page } = visit
  for (const [name, cell, label] of [
    ['pages', `${world.shop.url}/category/pens`, 'One page'],
    ['dataset', 'Red pencil', 'One item'],
  ] as const) {
    await open(name)
    await page.getByRole('gridcell', { name: cell, exact: true }).click()
    const drawer = page.getByLabel(label, { exact: true })
    await drawer.waitFor()
    await page.reload()
    expect(await drawer.textContent()).toContain(cell)
    await page.goBack()
    await expect.poll(() => drawer.count()).toBe(0)
    await page.goForward()
    await drawer.waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => drawer.count()).toBe(0)
  }
})

it("the progress of an agent's call is shown", async () => {
  const { page } = visit
  const seen = Promise.withResolvers<undefined>()
  // The last page is answered when the progress has been seen, however fast the others are.
  await using site = await serveHttp(async ({ url }, response) => {
    if (url === '/last') await seen.promise
    response.writeHead(url === '/robots.txt' ? 404 : 200, { 'content-type': 'text/html' })
    response.end(url === '/' ? '<a href="/next">Next</a> <a href="/last">Last</a>' : '<p>A page')
  })
  await open('agents')
  await page.getByText('Crawl a site').click()
  const tool = page.locator('details.tool').filter({ hasText: 'Crawl a site' })
  await tool.getByLabel('url', { exact: true }).fill(`${site.origin}/`)
  await tool.getByLabel('maxPages').fill('3')
  await tool.getByRole('button', { name: 'Call' }).click()
  await tool.getByRole('progressbar').waitFor({ timeout: 20_000 })
  expect(await tool.getByRole('status').textContent()).toMatch(/\d of \d/)
  seen.resolve(undefined)
  const result = tool.getByRole('region', { name: 'What the agent sees' })
  await result.waitFor({ timeout: 30_000 })
  expect(await result.textContent()).toContain('succeeded')
  // A refusal is shown as text, as without a stream.
  await tool.getByLabel('url', { exact: true }).fill('no address')
  await tool.getByRole('button', { name: 'Call' }).click()
  expect(await tool.getByRole('alert').textContent()).toContain('url')
})

it('a kept page shows what each source found, and a page that was not kept says so', async () => {
  const { page } = visit
  const { id } = await world.client.executions.run({
    recipe: {
      start: { urls: [`${world.shop.url}/prices`] },
      page: { keep: true },
      extract: {
        items: 'li',
        fields: {
          name: 'b',
          price: { css: 'i', as: 'number' },
          colour: [{ css: '.colour' }, { css: 'b', as: 'number' }],
        },
      },
    },
  })
  await world.client.executions.wait(id)
  await page.goto(`${world.url}/run?id=${id}&tab=pages`)
  await page.getByRole('gridcell', { name: `${world.shop.url}/prices` }).click()
  await page.getByRole('button', { name: 'Show what each field found' }).click()
  const drawer = page.getByLabel('One page', { exact: true })
  const price = drawer.getByRole('region', { name: 'price' })
  await price.waitFor()
  expect(await price.locator('dt').first().textContent()).toContain('“3.40”')
  expect(await price.locator('dd').first().textContent()).toContain('3.4')
  const colour = drawer.getByRole('region', { name: 'colour' })
  expect(await colour.locator('.bad').allTextContents()).toEqual([
    expect.stringContaining('Why nothing came'),
    expect.stringContaining('Why nothing came'),
  ])
  expect(await colour.locator('dd em').first().textContent()).toBe('nothing')

  await open('pages')
  await page.getByRole('gridcell', { name: `${world.shop.url}/category/pens`, exact: true }).click()
  await page.getByRole('button', { name: 'Show what each field found' }).click()
  await drawer.getByText('Only runs that keep their pages').waitFor()

  await open('build')
  await page.getByRole('tab', { name: 'Columns' }).click()
  await page.getByText('Why these values').first().click()
  await page.locator('.columns .conversions').first().waitFor()
})

it("an operator makes a key for an account, in the operator's own language", async () => {
  const operators = await fillOperator(world)
  const german = await openChromium({ locale: 'de-AT', viewport: { width: 1280, height: 900 } })
  const { page } = german
  await signIn(page, world.url, world.operatorKey, 'API-Schlüssel', 'Adresse einer Seite')
  for (const [name, path] of operators) {
    await page.goto(world.url + path)
    await page.waitForLoadState('networkidle')
    const shown = (await page.locator('main').textContent()) ?? ''
    expect([
      name,
      /\b(Account|Reserved|Queue|Last sign|Make active|Why)\b/.exec(shown)?.[0],
    ]).toEqual([name, undefined])
  }
  await page.goto(`${world.url}/operator-account?id=acme`)
  const make = page.getByText('Schlüssel anlegen').first()
  await make.click()
  await page.getByLabel('Name').fill('for their reports')
  await page.getByLabel('Was er darf').fill('tasks:read, executions:read')
  await page.getByLabel('Warum er angelegt wird').fill('They asked by telephone')
  await page.getByRole('button', { name: 'Schlüssel anlegen' }).click()
  const secret = (await page.getByRole('status').locator('code').textContent()) ?? ''
  await page.getByRole('cell', { name: 'for their reports' }).waitFor()
  const otherClient = createClient({ baseUrl: new URL(world.url).origin, apiKey: secret })
  expect(await otherClient.me.get()).toMatchObject({ scopes: ['tasks:read', 'executions:read'] })
  await german.close()
})

it('the browser reports no error but the two refusals that the tests cause', () => {
  expect(visit.complaints).toEqual([
    expect.stringContaining('status of 400'),
    expect.stringContaining('status of 409'),
  ])
})
