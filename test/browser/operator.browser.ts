import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { expectUsable } from './axe.ts'
import type { Visit } from './chromium.ts'
import {
  fillOperator,
  fillWorld,
  openConsoleWorld,
  openScreen,
  openSignedIn,
} from './console-world.ts'
import type { ConsoleWorld } from './console-world.ts'

// Proves that operators, and nobody else, see all accounts in the console, and that their actions
// there take effect.

let world: ConsoleWorld
let visit: Visit
let screens: ReadonlyMap<string, string>

beforeAll(async () => {
  world = await openConsoleWorld()
  await fillWorld(world)
  screens = await fillOperator(world)
  visit = await openSignedIn(world.url, world.operatorKey)
})
afterAll(async () => {
  await visit.close()
  await world.close()
})

const open = (page: Page, name: string) => openScreen(page, world.url + (screens.get(name) ?? ''))

it('on each screen axe finds nothing, there is no error, and the page does not scroll sideways', async () => {
  expect(screens.size).toBe(6)
  await expectUsable(visit, world.url, screens)
})

it("a key without the scope does not see the operator's screens", async () => {
  const other = await openSignedIn(world.url)
  expect(await other.page.getByRole('link', { name: 'Operator' }).count()).toBe(0)
  await open(other.page, 'operator')
  expect(await other.page.getByRole('alert').textContent()).toContain('scope')
  await other.close()
})

it('an operator finds an account and suspends it with a reason, which the log shows', async () => {
  const { page } = visit
  await open(page, 'operator')
  await page.getByLabel('Part of its name').fill('books')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'bright-books' }).click()
  const suspend = page.getByRole('button', { name: 'Suspend' })
  expect(await suspend.isDisabled()).toBe(true)
  await page.getByLabel('Why. It is kept').fill('They asked for a pause')
  page.once('dialog', (dialog) => void dialog.accept())
  await suspend.click()
  await page.getByText('Set by command').waitFor()
  await page.getByRole('button', { name: 'Make active' }).waitFor()
  await page.getByLabel('Why. It is kept').fill('Goodwill')
  await page.getByLabel('Credits to give').fill('25')
  await page.getByRole('button', { name: 'Enter in the ledger' }).click()
  await page.getByText('Done.').waitFor()
  await open(page, 'operator-log')
  const line = page.getByRole('row').filter({ hasText: 'They asked for a pause' })
  expect(await line.textContent()).toContain('bright-books')
  await page.getByRole('row').filter({ hasText: 'Goodwill' }).getByText('credits 25').waitFor()
})

it('a plan that another operator has set meanwhile is shown where none was typed', async () => {
  const { page } = visit
  await page.goto(`${world.url}/operator-account?id=acme`)
  const plan = page.locator('input[list=plans]')
  expect(await plan.inputValue()).toBe('open')
  // The server's next answers, as after an act of somebody else.
  await page.route('**/api/v1/operator/accounts/acme', async (route) => {
    const response = await route.fetch()
    const { data, ...rest } = await response.json()
    await route.fulfill({
      response,
      json: { ...rest, data: { ...data, plan: { ...data.plan, id: 'team' } } },
    })
  })
  await page.getByLabel('Why. It is kept').fill('Goodwill')
  await page.getByLabel('Credits to give').fill('5')
  await page.getByRole('button', { name: 'Enter in the ledger' }).click()
  await expect.poll(() => plan.inputValue()).toBe('team')
  await page.unroute('**/api/v1/operator/accounts/acme')
})

it('a run that a suspension has stopped is shown as stuck, and can be released', async () => {
  const { page } = visit
  const { id } = await world.client.executions.run({
    recipe: {
      start: { urls: [`${world.shop.url}/many1`, `${world.shop.url}/many2`] },
      crawl: { delayMs: 15_000 },
    },
  })
  await page.goto(`${world.url}/operator-account?id=default`)
  await page.getByLabel('Why. It is kept').fill('A test')
  page.once('dialog', (dialog) => void dialog.accept())
  await page.getByRole('button', { name: 'Suspend' }).click()
  await page.getByText('Set by command').waitFor()
  // The worker asks about the accounts of running executions every ten seconds.
  const runOf = async () => {
    await page.goto(`${world.url}/operator?tab=runs&account=default&status=paused`)
    await page.waitForLoadState('networkidle')
    return page.locator(`code[title="${id}"]`).count()
  }
  await expect.poll(runOf, { timeout: 30_000, interval: 1_000 }).toBe(1)
  await page.goto(`${world.url}/operator-account?id=default`)
  await page.getByLabel('Why. It is kept').fill('Paid')
  await page.getByRole('button', { name: 'Make active' }).click()
  await page.getByRole('button', { name: 'Suspend' }).waitFor()
  await open(page, 'operator-stuck')
  const line = page.getByRole('row').filter({ has: page.locator(`code[title="${id}"]`) })
  page.once('dialog', (dialog) => void dialog.accept('It may go on'))
  await line.getByRole('button', { name: 'Release' }).click()
  await page.getByText('waits for a worker again').waitFor()
  await page.getByText('No run is stuck.').waitFor()
  await expect
    .poll(async () => (await world.client.executions.get(id)).status, { timeout: 60_000 })
    .toBe('succeeded')
}, 120_000)

it('the worker, the queue and the version are shown', async () => {
  const { page } = visit
  await open(page, 'operator-platform')
  const health = page.getByRole('region', { name: 'Health' })
  expect(await health.textContent()).toContain('answer in')
  await page.getByRole('region', { name: 'Queue' }).getByRole('cell', { name: 'runs' }).waitFor()
  // Its content depends on the second at which it gave its last sign of life.
  const workers = page.getByRole('region', { name: 'Workers' }).getByRole('row')
  await workers.nth(1).waitFor()
  expect(await workers.count()).toBe(2)
})
