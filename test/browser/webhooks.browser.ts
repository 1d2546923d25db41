import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Route } from 'playwright-core'
import type { Webhook } from '../../src/client.ts'
import { openChromium } from './chromium.ts'
import type { Visit } from './chromium.ts'
import { KEY, openConsoleWorld, signIn } from './console-world.ts'
import type { ConsoleWorld } from './console-world.ts'

// Proves that the screen of webhooks offers the actions that the server allows for each, and names
// the first step if there are none.

let world: ConsoleWorld
let visit: Visit
let hook: Webhook

beforeAll(async () => {
  world = await openConsoleWorld()
  visit = await openChromium({ viewport: { width: 1280, height: 900 }, locale: 'en-GB' })
  await signIn(visit.page, world.url, KEY)
  visit.page.setDefaultTimeout(20_000)
})
afterAll(async () => {
  await visit.close()
  await world.close()
})
beforeEach(async () => {
  hook = await world.client.webhooks.create({ url: 'https://example.com/one', events: ['*'] })
})
afterEach(async () => {
  await visit.page.unrouteAll({ behavior: 'wait' })
  await world.client.webhooks.delete(hook.id)
})

/** This server sends no mail, so its answers say what one that does would say. */
async function answerAs(state: Partial<Webhook>, type = 'dataset.changed'): Promise<void> {
  const changed = (item: unknown): unknown =>
    typeof item === 'object' && item !== null && 'id' in item && item.id === hook.id
      ? { ...item, ...state }
      : item
  await visit.page.route(/\/api\/v1\/webhooks/, async (route: Route) => {
    const { pathname } = new URL(route.request().url())
    if (pathname.endsWith('/deliveries')) {
      const item = {
        id: 'dlv_1_evt_1',
        webhookId: hook.id,
        eventId: 'evt_1',
        type,
        occurredAt: hook.createdAt,
        status: 'failed',
        attempts: [],
        nextAttemptAt: null,
        payload: {},
      }
      const data = { items: [item], nextCursor: null, hasMore: false }
      return route.fulfill({ json: { success: true, data } })
    }
    const answer = await route.fetch()
    const body: { readonly data: object } = await answer.json()
    const data =
      'items' in body.data && Array.isArray(body.data.items)
        ? { ...body.data, items: body.data.items.map(changed) }
        : changed(body.data)
    return route.fulfill({ response: answer, json: { ...body, data } })
  })
}

const SHOW = 'Show deliveries'

it.each<
  readonly [
    name: string,
    state: Partial<Webhook>,
    says: string,
    buttons: readonly string[],
    first: string | null,
  ]
>([
  [
    'that is on',
    { enabled: true },
    'on',
    [SHOW, 'Send a test', 'Switch off', 'New secret', 'Delete'],
    null,
  ],
  [
    'that was switched off',
    { enabled: false, disabledReason: 'requested' },
    'off',
    [SHOW, 'Switch on', 'New secret', 'Delete'],
    'Switch the webhook on to send something again.',
  ],
  [
    'whose server wants nothing more',
    { enabled: false, disabledReason: 'gone' },
    'off: the address does not exist any more',
    [SHOW, 'Switch on', 'New secret', 'Delete'],
    'Switch the webhook on to send something again.',
  ],
  [
    'whose mailbox does not exist',
    { url: 'mailto:ann@example.com', enabled: false, disabledReason: 'gone' },
    'off: the address does not exist any more',
    [SHOW, 'Delete'],
    'Nothing can be sent to this address again.',
  ],
  [
    'whose person has ended the messages',
    { url: 'mailto:ann@example.com', enabled: false, disabledReason: 'unsubscribed' },
    'off: the person there has ended the messages',
    [SHOW, 'Delete'],
    'Nothing can be sent to this address again.',
  ],
  [
    'of mail that is not confirmed',
    { url: 'mailto:ann@example.com', enabled: false, disabledReason: 'unconfirmed' },
    'waits for its code',
    [SHOW, 'Confirm', 'Delete'],
    'Nothing is sent before the address is confirmed by its code.',
  ],
  [
    'of mail that is on',
    { url: 'mailto:ann@example.com', enabled: true },
    'on',
    [SHOW, 'Send a test', 'Switch off', 'Delete'],
    null,
  ],
])('a webhook %s offers what can be done with it', async (_, state, says, buttons, first) => {
  const { page } = visit
  await answerAs(state)
  await page.goto(`${world.url}/webhooks?id=${hook.id}`)
  const row = page.getByRole('row').filter({ hasText: state.url ?? hook.url })
  await row.getByRole('cell', { name: says, exact: true }).waitFor()
  expect(await row.getByRole('button').allTextContents()).toEqual(buttons)
  const last = await row.getByRole('button').last().boundingBox()
  expect((last?.x ?? Infinity) + (last?.width ?? 0)).toBeLessThan(1_280)
  const deliveries = page.getByRole('region', { name: 'Deliveries' })
  const again = deliveries.getByRole('button', { name: 'Send again' })
  if (first === null) await again.waitFor()
  else {
    await deliveries.getByText(first).waitFor()
    expect(await again.count()).toBe(0)
  }
})

it('the message with a code is not offered again', async () => {
  const { page } = visit
  await answerAs({ url: 'mailto:ann@example.com', enabled: true }, 'webhook.confirm')
  await page.goto(`${world.url}/webhooks?id=${hook.id}`)
  const deliveries = page.getByRole('region', { name: 'Deliveries' })
  await deliveries.getByText('the code of an address').waitFor()
  await page.getByRole('button', { name: 'Send a test' }).waitFor()
  expect(await deliveries.getByRole('button', { name: 'Send again' }).count()).toBe(0)
})

it('deliveries can be sent again as soon as their webhook is on, and leave with it', async () => {
  const { page } = visit
  await world.client.webhooks.test(hook.id)
  await world.client.webhooks.update(hook.id, { enabled: false })
  await page.goto(`${world.url}/webhooks?id=${hook.id}`)
  await page.getByText('Switch the webhook on to send').waitFor()
  const again = page.getByRole('button', { name: 'Send again' })
  expect(await again.count()).toBe(0)
  await page.getByRole('button', { name: 'Switch on' }).click()
  await again.waitFor()
  await page.getByRole('button', { name: 'Switch off' }).click()
  await again.waitFor({ state: 'detached' })
  page.once('dialog', (dialog) => void dialog.accept())
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('There are no webhooks yet.').waitFor()
  expect(await page.getByRole('region', { name: 'Deliveries' }).count()).toBe(0)
  expect(new URL(page.url()).search).toBe('')
  hook = await world.client.webhooks.create({ url: 'https://example.com/two', events: ['*'] })
})

it('the console asks once whether deliveries can be sent again', async () => {
  const { page } = visit
  await world.client.webhooks.test(hook.id)
  const gate = Promise.withResolvers<void>()
  await page.route(/\/api\/v1\/webhooks\?/, async (route: Route) => {
    await gate.promise
    await route.continue()
  })
  let requests = 0
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (request.method() === 'GET' && pathname.endsWith(hook.id)) requests += 1
  })
  await page.goto(`${world.url}/webhooks?id=${hook.id}`)
  const again = page.getByRole('button', { name: 'Send again' })
  await again.waitFor()
  for (const box of await page.getByRole('checkbox').all()) await box.check()
  gate.resolve()
  await page.getByRole('button', { name: 'Switch off' }).click()
  await again.waitFor({ state: 'detached' })
  // Before the list was there, with it, and after the change.
  expect(requests).toBe(3)
})

it('the console says why deliveries cannot be sent again', async () => {
  const { page } = visit
  await page.route(`**/api/v1/webhooks/${hook.id}`, async (route: Route) => {
    const error = { code: 'unavailable', message: 'The shelf of webhooks is away' }
    await route.fulfill({ status: 500, json: { success: false, error } })
  })
  await page.goto(`${world.url}/webhooks?id=${hook.id}`)
  const alert = page.getByRole('region', { name: 'Deliveries' }).getByRole('alert')
  await alert.waitFor()
  expect(await alert.textContent()).toContain('The shelf of webhooks is away')
})

it('the pages after an old first page are not added to the old page again', async () => {
  const { page } = visit
  const far = await world.client.webhooks.create({ url: 'https://example.com/far', events: ['*'] })
  const gate = Promise.withResolvers<void>()
  let next = 0
  // The first page goes on at the same cursor, however often it is read.
  await page.route(/\/api\/v1\/webhooks\?/, async (route: Route) => {
    const isNext = new URL(route.request().url()).searchParams.has('cursor')
    if (isNext && ++next === 1) await gate.promise
    const item = await world.client.webhooks.get(isNext ? far.id : hook.id)
    const data = { items: [item], nextCursor: isNext ? null : 'next', hasMore: !isNext }
    await route.fulfill({ json: { success: true, data } })
  })
  await page.goto(`${world.url}/webhooks`)
  const row = page.getByRole('row').filter({ hasText: hook.url })
  await row.waitFor()
  const first = page.waitForRequest(/cursor=next/)
  await page.getByRole('button', { name: 'Show more' }).click()
  await first
  await row.getByRole('button', { name: 'Switch off' }).click()
  await row.getByRole('cell', { name: 'off', exact: true }).waitFor()
  gate.resolve()
  await page.getByRole('row').filter({ hasText: far.url }).waitFor()
  expect(await row.getByRole('cell', { name: 'off', exact: true }).count()).toBe(1)
  expect(next).toBe(2)
  await world.client.webhooks.delete(far.id)
})

it('a task says which of its webhooks are off, and that a person was mailed a code', async () => {
  const { page } = visit
  const { client } = world
  const task = await client.tasks.create({
    name: 'Told by mail',
    recipe: { start: { urls: [world.shop.url] }, extract: { fields: { name: 'h1' } } },
  })
  await client.webhooks.update(hook.id, { taskIds: [task.id] })
  const url = `mailto:${'a'.repeat(60)}@department.example.com`
  await answerAs({ url, enabled: false, disabledReason: 'unconfirmed' })
  await page.goto(`${world.url}/task?id=${task.id}`)
  await page.getByText(`${url}: All events (waits for its code)`).waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.route(/\/api\/v1\/webhooks$/, async (route: Route) => {
    const data = { ...(await client.webhooks.get(hook.id)), secret: 'whsec_none' }
    const mailed = { url: 'mailto:bob@example.com', enabled: false, disabledReason: 'unconfirmed' }
    return route.fulfill({ status: 201, json: { success: true, data: { ...data, ...mailed } } })
  })
  await page.getByLabel('a run failed').check()
  await page.getByLabel('Address of your server').fill('mailto:bob@example.com')
  await page.getByLabel('Address of your server').press('Enter')
  await page.getByText('A code was mailed to the address.').waitFor()
  expect(await page.getByText('whsec_none').count()).toBe(0)
  await page.unroute(/\/api\/v1\/webhooks$/)
  await page.getByRole('main').getByRole('link', { name: 'Webhooks' }).click()
  await page.getByRole('heading', { name: 'Webhooks' }).waitFor()
})
