import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Locator } from 'playwright-core'
import {
  fillWorld,
  KEY,
  openConsoleWorld,
  openScreen,
  openSignedIn,
  signIn,
} from '../console-world.ts'
import type { ConsoleWorld } from '../console-world.ts'
import type { Visit } from '../chromium.ts'

// Proves that forms show errors at their fields, and that typed and chosen values are in the
// address.

let world: ConsoleWorld
let visit: Visit
let screens: ReadonlyMap<string, string>

beforeAll(async () => {
  world = await openConsoleWorld()
  screens = await fillWorld(world)
  visit = await openSignedIn(world.url)
})
afterAll(async () => {
  await visit.close()
  await world.close()
})

const open = (name: string) => openScreen(visit.page, world.url + (screens.get(name) ?? ''))

/** The description of a field, as assistive technology reads it. */
const saidOf = (field: Locator) =>
  field.evaluate(
    (element) =>
      document.getElementById(element.getAttribute('aria-describedby') ?? '')?.textContent ?? '',
  )

it('a wrong address, name or time is marked at its field', async () => {
  const { page } = visit
  await open('webhooks')
  const url = page.getByRole('textbox', { name: /^Address of your server/ })
  await url.fill('ftp://shop.example/hook')
  await page.getByRole('button', { name: 'Add a webhook' }).click()
  await expect.poll(() => url.getAttribute('aria-invalid')).toBe('true')
  expect(await saidOf(url)).toMatch(/http/)
  await url.fill('https://shop.example/hook')
  await page.getByRole('button', { name: 'Add a webhook' }).click()
  await expect.poll(() => url.getAttribute('aria-invalid')).toBeNull()

  await open('keys')
  const name = page.getByRole('textbox', { name: /^Name/ })
  await name.fill('   ')
  await page.getByRole('button', { name: 'Make a key' }).click()
  await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true')
  expect(await saidOf(name)).not.toBe('')

  await open('task')
  await page.getByRole('combobox', { name: /^How often/ }).selectOption('own')
  const cron = page.getByRole('textbox', { name: /^Minute, hour/ })
  const zone = page.getByRole('combobox', { name: /^Time zone/ })
  await cron.fill('99 * * * *')
  await page.getByRole('button', { name: 'Save the schedule' }).click()
  await expect.poll(() => cron.getAttribute('aria-invalid')).toBe('true')
  expect(await saidOf(cron)).not.toBe('')
  expect(await zone.getAttribute('aria-invalid')).toBeNull()
  await cron.fill('30 6 * * *')
  await zone.fill('Mars/Olympus')
  await page.getByRole('button', { name: 'Save the schedule' }).click()
  await expect.poll(() => zone.getAttribute('aria-invalid')).toBe('true')
  expect(await saidOf(zone)).toMatch(/IANA/)
  expect(await cron.getAttribute('aria-invalid')).toBeNull()
})

it('the address that was typed at the start is there after a reload', async () => {
  const { page } = visit
  await open('start')
  const field = page.getByLabel('Address of a page')
  const inAddress = () => new URL(page.url()).searchParams.get('q')
  await field.fill('shop.example/pens?a=1&b=2')
  expect(inAddress()).toBeNull()
  await field.press('Tab')
  await page.reload()
  await field.waitFor()
  expect(await field.inputValue()).toBe('shop.example/pens?a=1&b=2')
  // A browser keeps and shows the addresses of screens: a password is in none.
  await field.fill('http://ann:s3cret@shop.example/pens')
  await field.press('Enter')
  await page.getByRole('alert').waitFor()
  expect(inAddress()).toBe('http://shop.example/pens')
})

it('a form keeps its text over a reload, until it is sent or its reader leaves', async () => {
  const { page } = visit
  const field = (name: string | RegExp) => page.getByRole('textbox', { name }).first()
  const typed = [
    ['template', /^urls/, 'https://shop.example/a\nhttps://shop.example/b'],
    ['datasets', 'Name', 'Pens of all shops'],
    ['keys', /^Name/, 'for the office'],
    ['webhooks', /^Address of your server/, 'https://shop.example/ho'],
    ['task', /^Minute, hour/, '30 7 * * 1'],
    ['build', 'Name of the task', 'Pens'],
  ] as const
  for (const [screen, name, text] of typed) {
    await open(screen)
    if (screen === 'task')
      await page.getByRole('combobox', { name: /^How often/ }).selectOption('own')
    await field(name).fill(text)
    await page.reload()
    await expect.poll(() => field(name).inputValue()).toBe(text)
  }
  await open('keys')
  await page.getByRole('button', { name: 'Make a key' }).click()
  await expect.poll(() => field(/^Name/).inputValue()).toBe('')
  await page.reload()
  expect(await field(/^Name/).inputValue()).toBe('')
  await open('datasets')
  await field(/^Columns that/).fill('name')
  await page.getByRole('button', { name: 'Make a dataset' }).click()
  await page.getByRole('heading', { name: 'Pens of all shops' }).waitFor()
  await open('datasets')
  expect(await field('Name').inputValue()).toBe('')
  // Who signs in next may be somebody else.
  await page.getByRole('button', { name: 'Sign out' }).click()
  await signIn(page, world.url, KEY)
  await open('webhooks')
  expect(await field(/^Address of your server/).inputValue()).toBe('')
})

it('a person who signs in after the end of a key finds no text of another account', async () => {
  const made = await world.client.keys.create({ name: 'for a day', scopes: ['*'] })
  const other = await openSignedIn(world.url, made.secret)
  const { page } = other
  const keys = world.url + (screens.get('keys') ?? '')
  const name = page.getByRole('textbox', { name: /^Name/ })
  await openScreen(page, keys)
  await name.fill('for the office')
  await world.client.keys.revoke(made.id)
  await page.reload()
  await page.getByLabel('API key').fill(world.operatorKey)
  await page.keyboard.press('Enter')
  await name.waitFor()
  await expect.poll(() => name.inputValue()).toBe('')
  await page.reload()
  await name.waitFor()
  expect(await name.inputValue()).toBe('')
  await other.close()
})

it('boxes that are ticked, a plan and a cap are there after a reload, until they are sent', async () => {
  const { page } = visit
  const boxes = [
    ['keys', 'datasets:read'],
    ['webhooks', 'a run is done'],
    ['tasks', 'Prices of pencils'],
  ] as const
  for (const [screen, name] of boxes) {
    await open(screen)
    const box = page.getByRole('checkbox', { name }).first()
    await box.check()
    await page.reload()
    await box.waitFor()
    expect([screen, await box.isChecked()]).toEqual([screen, true])
  }
  await page.getByRole('group', { name: '1 task selected' }).waitFor()
  await page.getByRole('checkbox', { name: 'Prices of pencils' }).uncheck()

  await open('keys')
  const scope = page.getByRole('checkbox', { name: 'datasets:read' })
  await page.getByRole('combobox', { name: /^Ends/ }).selectOption('7')
  await page.reload()
  await expect.poll(() => page.getByRole('combobox', { name: /^Ends/ }).inputValue()).toBe('7')
  await page.getByRole('textbox', { name: /^Name/ }).fill('with boxes')
  await page.getByRole('button', { name: 'Make a key' }).click()
  await expect.poll(() => scope.isChecked()).toBe(false)
  expect(await page.getByRole('combobox', { name: /^Ends/ }).inputValue()).toBe('90')

  await open('usage')
  const cap = page.getByLabel('Most credits a day')
  await cap.fill('321')
  await page.reload()
  await expect.poll(() => cap.inputValue()).toBe('321')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('At most 321 credits a day').waitFor()
  // A change from elsewhere is shown: nothing is typed any more.
  const { plan } = await world.client.billing.subscription()
  await world.client.billing.subscribe({ plan: plan.id, dailyCap: null })
  await page.reload()
  await expect.poll(() => cap.inputValue()).toBe('')
})

it('the tools and operations that are open are in the address', async () => {
  const { page } = visit
  const openIn = () => new URL(page.url()).searchParams.get('open')
  await open('agents')
  const part = (summary: string) =>
    page.locator('details.tool').filter({ has: page.locator('summary', { hasText: summary }) })
  const tool = part('get_run')
  await tool.locator('summary').first().click()
  await expect.poll(openIn).toBe('get_run')
  await page.reload()
  await tool.getByRole('button', { name: 'Call' }).waitFor()

  await page.goto(`${world.url}/reference?q=keys`)
  await part('Lists API keys').locator('summary').first().click()
  await part('Creates an API key').locator('summary').first().click()
  await expect.poll(openIn).toBe('keys.list keys.create')
  await page.reload()
  for (const summary of ['Lists API keys', 'Creates an API key'])
    await part(summary).getByRole('button', { name: 'Send' }).waitFor()
  await part('Lists API keys').locator('summary').first().click()
  await expect.poll(openIn).toBe('keys.create')
  // Another search leaves open what is open.
  await page.getByRole('searchbox').fill('create')
  await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('create')
  expect(openIn()).toBe('keys.create')
  await part('Creates an API key').getByRole('button', { name: 'Send' }).waitFor()
})

it('tasks are chosen by a label, which is in the address', async () => {
  const { page } = visit
  await open('tasks')
  await page.getByRole('link', { name: 'Prices of pencils' }).waitFor()
  await page.getByLabel('With the label').fill('shop')
  await page.getByLabel('With the label').press('Enter')
  await page.getByRole('link', { name: 'Prices of pencils' }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'All products of the shop' }).waitFor()
  expect(new URL(page.url()).searchParams.get('label')).toBe('shop')
  // A label in the list shows all tasks with it.
  await open('tasks')
  await page.getByRole('link', { name: 'prices', exact: true }).click()
  await page.getByRole('link', { name: 'All products of the shop' }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Prices of pencils' }).waitFor()
})

it('a search that is half typed stays when the list is drawn again', async () => {
  const { page } = visit
  const hasTyped = Promise.withResolvers<null>()
  const runs = (url: URL): boolean => url.pathname.endsWith('/api/v1/executions')
  await page.route(runs, async (route) => {
    await hasTyped.promise
    await route.continue()
  })
  await page.goto(`${world.url}/tasks`)
  const link = page.getByRole('link', { name: 'Prices of pencils' })
  await link.waitFor()
  const search = page.getByLabel('Search by name')
  await search.pressSequentially('pencils')
  const answered = page.waitForResponse((response) => runs(new URL(response.url())))
  hasTyped.resolve(null)
  // The last runs of the tasks are there now, too.
  await answered
  await page.waitForLoadState('networkidle')
  const row = page.getByRole('row').filter({ has: link })
  await row.getByText('done').waitFor()
  expect(await search.inputValue()).toBe('pencils')
  await page.keyboard.press('Enter')
  await page.waitForURL(/q=pencils/)
  await page.unrouteAll({ behavior: 'wait' })
})
