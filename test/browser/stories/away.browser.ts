import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Locator } from 'playwright-core'
import { systemClock } from '../../../src/defaults/system-clock.ts'
import { DAY_MS } from '../../../src/kernel/time.ts'
import { findingsOf } from '../axe.ts'
import type { Visit } from '../chromium.ts'
import { fillWorld, openConsoleWorld, openScreen, openSignedIn } from '../console-world.ts'
import type { ConsoleWorld } from '../console-world.ts'

// The screens of a person who may see nearly nothing, times of a schedule at which nothing ran, and each
// screen of a server that has died and is back.

let world: ConsoleWorld
let visit: Visit
let screens: ReadonlyMap<string, string>

beforeAll(async () => {
  world = await openConsoleWorld({ flags: ['--no-rate-limit'] })
  screens = await fillWorld(world)
  visit = await openSignedIn(world.url)
  visit.page.setDefaultTimeout(20_000)
})
afterAll(async () => {
  await visit.close()
  await world.close()
})

/** Waits for an element that a person sees without scrolling. */
async function expectInSight(element: Locator, name: string): Promise<void> {
  await element.waitFor().catch(() => expect.unreachable(`${name} does not say it`))
  const [top, height] = await element.evaluate((node) => [
    node.getBoundingClientRect().top,
    innerHeight,
  ])
  expect([name, top >= 0 && top < height]).toEqual([name, true])
}

/** Goes to a screen as a link of the console does, without loading the page again. */
async function follow(address: string): Promise<void> {
  await visit.page.evaluate(
    (to) => {
      history.pushState(null, '', to)
      dispatchEvent(new PopStateEvent('popstate'))
    },
    new URL(world.url).pathname + address,
  )
}

it('with a key for one thing each screen is there, and says what the key lacks', async () => {
  const { secret } = await world.client.keys.create({ name: 'files', scopes: ['media:read'] })
  const other = await openSignedIn(world.url, secret)
  other.page.setDefaultTimeout(20_000)
  const links = await other.page.getByRole('navigation').getByRole('link').allTextContents()
  expect(links).toEqual(['Templates', 'Agents', 'Reference'])
  const lacking = other.page.getByText('which your key lacks')
  for (const name of [
    'tasks',
    'task',
    'runs',
    'run',
    'datasets',
    'dataset',
    'schedules',
    'usage',
    'keys',
    'webhooks',
    'build',
  ]) {
    await openScreen(other.page, world.url + (screens.get(name) ?? ''))
    await lacking.waitFor().catch(() => expect.unreachable(`${name} does not say it`))
    expect([name, await findingsOf(other.page)]).toEqual([name, []])
    // It is said once.
    expect([name, await lacking.count()]).toEqual([name, 1])
    // Nobody waits for a list that is refused.
    const waiting = await other.page.getByText('One moment…', { exact: true }).count()
    expect([name, waiting]).toEqual([name, 0])
  }
  await openScreen(other.page, `${world.url}/templates`)
  await other.page.getByRole('heading', { level: 1 }).waitFor()
  expect(other.complaints.filter((text) => !text.includes('403'))).toEqual([])
  await other.close()
})

it('a key for tasks alone has what it may not do off, with the reason', async () => {
  const { secret } = await world.client.keys.create({ name: 'tasks', scopes: ['tasks:*'] })
  const other = await openSignedIn(world.url, secret)
  const { page } = other
  await openScreen(page, `${world.url}/tasks`)
  await page.getByText('not visible to this key').first().waitFor()
  await openScreen(page, world.url + (screens.get('build') ?? ''))
  await page.getByText('This needs the scope executions:write, which').waitFor()
  expect(await page.getByRole('button', { name: 'Run now' }).isDisabled()).toBe(true)
  // A new task is named for its page, and a second one of it has a number.
  const name = await page.getByLabel('Name of the task').inputValue()
  expect(name).toContain('Pens & pencils')
  await page.getByRole('button', { name: 'Save as task' }).click()
  await page.getByRole('link', { name, exact: true }).waitFor()
  await openScreen(page, `${world.url}/tasks`)
  await page.evaluate(() => sessionStorage.removeItem('seine.typed draft'))
  await openScreen(page, world.url + (screens.get('build') ?? ''))
  await page.getByText('Pages visited').waitFor()
  await page.getByRole('button', { name: 'Save as task' }).click()
  await page.getByRole('link', { name: `${name} (2)`, exact: true }).waitFor()
  await other.close()
})

it('on a narrow screen no column of a preview and no address of a page is cut', async () => {
  const { page } = visit
  await page.setViewportSize({ width: 390, height: 844 })
  const widths = (element: Element) => [element.scrollWidth > element.clientWidth, innerWidth]
  await openScreen(page, world.url + (screens.get('build') ?? ''))
  const rows = page.getByRole('region', { name: '7 rows' })
  await rows.getByText('103').waitFor()
  expect(await rows.evaluate(widths)).toEqual([false, 390])
  await openScreen(page, world.url + (screens.get('pages') ?? ''))
  const address = page.getByRole('gridcell', { name: /category\/pens$/ }).first()
  await address.waitFor()
  const box = await address.boundingBox()
  expect((box?.x ?? 390) + (box?.width ?? 0)).toBeLessThanOrEqual(390)
  await page.setViewportSize({ width: 1280, height: 900 })
})

it('the calendar shows the times at which nothing ran', async () => {
  const { page } = visit
  // A server that has been there for days, without a worker.
  const times = [1, 2].map((days) => new Date(systemClock.now() - days * DAY_MS).toISOString())
  await page.route('**/api/v1/tasks/*/schedule', async (route) => {
    const response = await route.fetch()
    const body = await response.json()
    await route.fulfill({ json: { ...body, data: { ...body.data, pastTimes: times } } })
  })
  await openScreen(page, `${world.url}/schedules`)
  const lines = page.getByRole('listitem').filter({ hasText: /^\d+:\d+ Prices of pencils no run/ })
  await expect.poll(() => lines.count()).toBe(2)
  await page.unrouteAll({ behavior: 'wait' })
  await lines.first().getByRole('link').click()
  await page.getByRole('heading', { name: 'Prices of pencils' }).waitFor()
})

it('the schemas of the API are found by what is said of them, and show it', async () => {
  const { page } = visit
  await openScreen(page, `${world.url}/reference`)
  await page.getByRole('searchbox').fill('window of the browser PNG')
  const schemas = page.getByRole('region', { name: 'Schemas' })
  await schemas
    .locator('summary')
    .filter({ hasText: /^Snapshot$/ })
    .click()
  await schemas.getByText('as a `data:` URL of a PNG').waitFor()
  // Operations are found by the schemas that they name.
  await page.getByText('/api/v1/snapshots/{id}', { exact: true }).first().waitFor()
  expect(new URL(page.url()).searchParams.get('q')).toBe('window of the browser PNG')
  await page.getByRole('searchbox').fill('nothing has this word')
  await schemas.waitFor({ state: 'detached' })
})

it('each screen says that the server is away, and shows all when it is back', async () => {
  const { page } = visit
  const slow = await world.client.executions.run({
    recipe: {
      start: { urls: [`${world.shop.url}/many1`, `${world.shop.url}/many2`] },
      extract: { items: 'li', fields: { name: 'b' } },
      crawl: { delayMs: 60_000 },
    },
  })
  await openScreen(page, world.url)
  await follow(`/run?id=${slow.id}`)
  await page.getByText('running', { exact: true }).waitFor()
  await world.crash()
  // Somebody who watches a run is told, too, though nothing was asked for.
  const away = page.getByText('The server does not answer').first()
  await away.waitFor()
  expect(await page.getByText('running', { exact: true }).count()).toBe(1)
  for (const [name, address] of screens) {
    await follow(address)
    await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
    await expectInSight(away, name)
    expect([name, await page.getByRole('navigation').count()]).toEqual([name, 1])
    // It is said once.
    expect([name, await page.getByText('The server does not answer').count()]).toEqual([name, 1])
  }
  await follow('/runs')
  await world.restart()
  await page.getByRole('link', { name: 'Prices of pencils' }).first().waitFor()
  screens = new Map([...screens, ['slow', `/run?id=${slow.id}`]])
  for (const [name, address] of screens) {
    await follow(address)
    const heading = page.getByRole('heading', { level: 1 })
    await heading.waitFor().catch(() => expect.unreachable(`${name} does not come back`))
    await away
      .waitFor({ state: 'detached' })
      .catch(() => expect.unreachable(`${name} still says that the server is away`))
    expect([name, await page.getByRole('alert').allTextContents()]).toEqual([name, []])
  }
})

it('an open screen that asks for nothing notices it, and is whole again by itself', async () => {
  const { page } = visit
  await openScreen(page, `${world.url}/tasks`)
  await page.getByRole('link', { name: 'Prices of pencils' }).waitFor()
  await world.crash()
  const away = page.getByText('The server does not answer')
  await expectInSight(away, 'tasks')
  await page.getByRole('link', { name: 'Prices of pencils' }).waitFor()
  await world.restart()
  await away.waitFor({ state: 'detached' })
})

it('a column that is changed while the server is away has its table when it is back', async () => {
  const { page } = visit
  const url = `${world.shop.url}/prices`
  await openScreen(page, `${world.url}/build?url=${encodeURIComponent(url)}&tab=columns`)
  await page
    .getByText(/filled, 100 %/)
    .first()
    .waitFor()
  await page.getByLabel('Name of the task').fill('Made while away')
  await world.crash()
  // At the last column, the top of the page is out of sight.
  await page.setViewportSize({ width: 390, height: 600 })
  const selector = page.getByLabel('Selector').last()
  await page.locator('.columns summary').filter({ hasText: 'From' }).last().click()
  await selector.fill('b')
  await selector.press('Tab')
  await expectInSight(page.getByText('The server does not answer'), 'build')
  // The work of a button is not done again by itself, but offered.
  await page.getByRole('button', { name: 'Save as task' }).click()
  const again = page.getByRole('button', { name: 'Try again' })
  await expectInSight(again, 'save')
  await world.restart()
  await page.getByText('The server does not answer').waitFor({ state: 'detached' })
  await again.click()
  await page.getByRole('link', { name: 'Made while away' }).waitFor()
  await page.locator('.columns code').getByText('Cedar pencil', { exact: true }).waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  await page.setViewportSize({ width: 1280, height: 900 })
})

it('a page that could not be asked for can be asked for again in the builder', async () => {
  const { page } = visit
  const recipe = {
    start: { urls: [`${world.shop.url}/prices`] },
    extract: { items: 'li', fields: { pencil: 'b' } },
  }
  const task = await world.client.tasks.create({ name: 'Away', recipe })
  await openScreen(page, `${world.url}/task?id=${task.id}`)
  let isAway = true
  await page.route('**/api/v1/tasks/preview', (route) =>
    isAway ? route.abort() : route.continue(),
  )
  await page.getByRole('button', { name: 'Edit its table' }).click()
  await page.getByText('This page was not fetched').waitFor()
  await page.getByRole('alert').filter({ hasText: 'does not answer' }).waitFor()
  // Its recipe is there, and not one that was proposed anew.
  await page.getByRole('tab', { name: 'Columns' }).click()
  await page.getByRole('button', { name: 'Remove column pencil' }).waitFor()
  isAway = false
  await page.getByRole('button', { name: 'Ask for it again' }).click()
  await page.frameLocator('iframe').getByText('Cedar pencil').waitFor()
  await page.getByText(/filled, 100 %/).waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  await page.unrouteAll({ behavior: 'wait' })
  // The link to the builder works in another tab, too: with the recipe of the task.
  const other = await openSignedIn(world.url)
  await other.page.goto(page.url())
  await other.page.getByRole('button', { name: 'Remove column pencil' }).waitFor()
  expect(await other.page.getByRole('button', { name: /^Remove column/ }).count()).toBe(1)
  await other.close()
})
