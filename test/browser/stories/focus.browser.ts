import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Visit } from '../chromium.ts'
import { fillWorld, openConsoleWorld, openScreen, openSignedIn } from '../console-world.ts'
import type { ConsoleWorld } from '../console-world.ts'

// Somebody who uses the keyboard stays where he works: when the element with the focus is off for a while, goes
// away, or leads to another screen.

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

/** Waits until an element with this name or text has the focus. */
async function expectFocus(name: string | RegExp): Promise<void> {
  const nameOf = () =>
    visit.page.evaluate(() => {
      const { activeElement: element } = document
      const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : null
      return element?.getAttribute('aria-label') ?? label ?? element?.textContent ?? ''
    })
  await expect.poll(nameOf).toMatch(name)
}

/** Presses a button as the keyboard does. */
async function press(name: string | RegExp, role: 'button' | 'link' = 'button'): Promise<void> {
  await visit.page.getByRole(role, { name }).first().focus()
  await visit.page.keyboard.press('Enter')
}

it('in the builder the focus stays at the columns, and at the buttons that work', async () => {
  const { page } = visit
  await openScreen(page, world.url)
  await page.getByLabel('Address of a page').fill(`${world.shop.url}/category/pens`)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Choose rows and columns' }).waitFor()
  await press('Choose rows and columns')
  await expectFocus(/^127\.0\.0\.1$/)
  await page.getByRole('tab', { name: 'Columns' }).click()
  const removers = page.getByRole('button', { name: /^Remove column/ })
  const names = await removers.evaluateAll((all) => all.map((one) => one.ariaLabel ?? ''))
  expect(names.length).toBeGreaterThan(2)
  await press(names[0] ?? '')
  await expectFocus(names[1] ?? '')
  // After the last one the one before it is next.
  await press(names.at(-1) ?? '')
  await expectFocus(names.at(-2) ?? '')
  const first = page.getByLabel('Name', { exact: true }).first()
  await first.fill('renamed')
  await first.press('Tab')
  await page.getByRole('button', { name: 'Remove column renamed' }).waitFor()
  await expect.poll(() => page.locator(':focus').evaluate((one) => one.tagName)).toBe('SELECT')
  await press('Save as task')
  await page.getByText('Saved as').waitFor()
  await expectFocus('Save as task')
  await press('Run now')
  await page.getByText('The run is done').waitFor()
  await expectFocus('Run now')
  await press('Watch it', 'link')
  await expectFocus(/^Run done/)
})

it('a run that is started, exported and deleted, and a key that is revoked, leave a place', async () => {
  const { page } = visit
  page.on('dialog', (dialog) => void dialog.accept())
  await openScreen(page, world.url + (screens.get('task') ?? ''))
  await press('Run now')
  await page.getByRole('heading', { level: 1, name: 'Run done' }).waitFor()
  await expectFocus('Run done')
  const waiting = page.waitForEvent('download')
  await press('Export')
  await waiting
  await expectFocus('Export')
  await press('Delete')
  await expectFocus(/^Runs$/)
  await openScreen(page, world.url + (screens.get('keys') ?? ''))
  await press('Revoke')
  await page.getByText('revoked', { exact: true }).first().waitFor()
  await expect.poll(() => page.locator(':focus').count()).toBe(1)
  expect(await page.locator('main :focus').count()).toBe(1)
})

it('a click beside everything does not bring the focus back', async () => {
  const { page } = visit
  await openScreen(page, `${world.url}/tasks`)
  await page.getByLabel('Search by name').focus()
  await page.locator('footer').click({ position: { x: 5, y: 5 } })
  // Another list is shown.
  await page.evaluate(() => {
    history.pushState(null, '', `${location.pathname}?status=paused`)
    dispatchEvent(new PopStateEvent('popstate'))
  })
  await page.getByText('No task is like that.').waitFor()
  await page.evaluate(
    () => new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown))),
  )
  expect(await page.locator(':focus').count()).toBe(0)
})
