import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { startShop } from '../../examples/demo/shop.ts'
import type { Shop } from '../../examples/demo/shop.ts'
import { createClient } from '../../src/client.ts'
import type { Client } from '../../src/client.ts'
import { runCommand, startCommand, temporaryFolder } from '../support/command.ts'
import type { RunningCommand } from '../support/command.ts'
import { openChromium } from './chromium.ts'
import type { Visit } from './chromium.ts'

export const KEY = 'svc_sk_console_world_0123456789'

/** A `seine serve` with its console, and a shop whose prices change. */
export interface ConsoleWorld {
  readonly shop: Shop
  readonly client: Client
  /** A key of an operator, in an account of its own. */
  readonly operatorKey: string
  /** Address of the console. */
  readonly url: string
  readonly server: RunningCommand
  /** Path of its SQLite file. */
  readonly database: string
  /** Raises all prices of `/prices` by one. */
  raise(): void
  /** Starts the server again, on the same data and port. */
  restart(): Promise<void>
  /** Kills the server, as in a crash. */
  crash(): Promise<void>
  close(): Promise<void>
}

/** How a world differs from the usual one. */
export interface ConsoleWorldOptions {
  /** More flags of `seine serve`. */
  readonly flags?: readonly string[]
  /** HTML of more pages of the shop, by their paths. */
  readonly pages?: Readonly<Record<string, () => string>>
}

/** Starts the world. */
export async function openConsoleWorld({
  flags = [],
  pages = {},
}: ConsoleWorldOptions = {}): Promise<ConsoleWorld> {
  let raised = 0
  const prices = ({ url = '' }: { readonly url?: string | undefined }) => {
    const page = pages[url]
    if (page) return { type: 'text/html', body: page() }
    if (url.startsWith('/many')) return { type: 'text/html', body: manyPage(url) }
    if (url !== '/prices') return undefined
    const lines = ['Cedar', 'Lime', 'Copying', ...(raised > 0 ? ['Red'] : [])].map(
      (name, index) => `<li><b>${name} pencil</b> <i>${index + 2 + raised}.40</i></li>`,
    )
    return { type: 'text/html', body: `<h1>Prices</h1><ul>${lines.join('')}</ul>` }
  }
  const shop = await startShop({ more: prices })
  const folder = temporaryFolder()
  const start = (port: string) =>
    startCommand(
      [
        'serve',
        '--port',
        port,
        '--data',
        folder.path,
        '--allow-private-network',
        '--key',
        KEY,
      ].concat(flags),
      folder.path,
    )
  let server = start('0')
  const { 1: url = '' } = await server.until('stdout', /^console ([^#\s]+)/m)
  const { origin, port } = new URL(url)
  const creation = await runCommand(
    ['keys', 'create', '--scopes', '*,operator', '--account', 'staff', '--data', folder.path],
    folder.path,
  )
  const kill = async () => {
    server.child.kill('SIGKILL')
    await server.ended
  }
  return {
    shop,
    client: createClient({ baseUrl: origin, apiKey: KEY }),
    operatorKey: creation.stdout.trim(),
    url,
    database: join(folder.path, 'seine.db'),
    get server() {
      return server
    },
    raise: () => void (raised += 1),
    crash: kill,
    async restart() {
      await kill()
      server = start(port)
      await server.until('stdout', /^console /m)
    },
    async close() {
      await kill()
      await shop.close()
      folder.remove()
    },
  }
}

/** Signs in with a key; the words are those of the page's language. */
export async function signIn(
  page: Page,
  url: string,
  key: string,
  label = 'API key',
  then = 'Address of a page',
): Promise<void> {
  await page.goto(url)
  await page.getByLabel(label).fill(key)
  await page.keyboard.press('Enter')
  await page.getByLabel(then).waitFor()
}

/** Opens a browser whose user has signed in with a key, in a console that is in English. */
export async function openSignedIn(url: string, key: string = KEY): Promise<Visit> {
  const visit = await openChromium({ viewport: { width: 1280, height: 900 }, locale: 'en-GB' })
  await signIn(visit.page, url, key)
  // Chromium says that the first question, without a key, was refused.
  visit.complaints.splice(0)
  return visit
}

/** A list of 5,000 lines a page, of 20 pages. */
function manyPage(url: string): string {
  const page = Number(url.replace(/\D/g, '') || 1)
  const lines = Array.from({ length: 5_000 }, (_, index) => {
    const number = (page - 1) * 5_000 + index + 1
    return `<li><b>Line ${number}</b> <i>${number % 97}</i></li>`
  })
  const next = page < 20 ? `<a rel="next" href="/many${page + 1}">next</a>` : ''
  return `<ul>${lines.join('')}</ul>${next}`
}

/**
 * Accounts, a suspended one among them, and acts of an operator. Returns the addresses of the
 * operator's screens by name.
 */
export async function fillOperator({
  operatorKey,
  client,
  url,
}: ConsoleWorld): Promise<ReadonlyMap<string, string>> {
  const { operator } = createClient({ baseUrl: new URL(url).origin, apiKey: operatorKey })
  for (const id of ['acme', 'bright-books', 'harbour-prices'])
    await operator.createKey(id, {
      name: 'first',
      scopes: ['tasks:*', 'executions:*'],
      reason: 'A new customer',
    })
  await operator.adjust('acme', { credits: 5_000, reason: 'Paid by bank transfer' })
  await operator.suspend('harbour-prices', { reason: 'Unpaid since May' })
  const { items } = await client.executions.list({ limit: 1 })
  if (items.length === 0) throw new Error('There is no run')
  return new Map([
    ['operator', '/operator'],
    ['operator-account', '/operator-account?id=harbour-prices'],
    ['operator-runs', '/operator?tab=runs'],
    ['operator-stuck', '/operator?tab=stuck'],
    ['operator-platform', '/operator?tab=platform'],
    ['operator-log', '/operator?tab=log'],
  ])
}

/**
 * Makes one or more of each kind of record, so that no screen is empty. Returns the addresses of
 * screens by name.
 */
export async function fillWorld({
  client,
  shop,
  raise,
}: ConsoleWorld): Promise<ReadonlyMap<string, string>> {
  const extract = { items: 'li', fields: { name: 'b', price: { css: 'i', as: 'number' as const } } }
  const dataset = await client.datasets.create({ name: 'Pencils', keyFields: ['name'] })
  const watched = await client.tasks.create({
    name: 'Prices of pencils',
    labels: ['prices'],
    datasetId: dataset.id,
    schedule: { cron: '0 6 * * *', timeZone: 'Europe/Vienna' },
    recipe: { start: { urls: [`${shop.url}/prices`] }, extract },
  })
  const products = await client.tasks.create({
    name: 'All products of the shop',
    labels: ['shop'],
    recipe: {
      start: { urls: [shop.url] },
      follow: [
        { links: 'nav.categories a', as: 'list', on: 'start' },
        { next: 'a.next', on: 'list' },
        { links: '.product-link', as: 'detail', on: 'list' },
      ],
      extract: { on: 'detail', fields: { name: 'h1', price: { css: '.price', as: 'number' } } },
    },
  })
  await client.executions.wait((await client.executions.start(watched.id)).id)
  raise()
  await client.executions.wait((await client.executions.start(watched.id)).id)
  const run = await client.executions.start(products.id)
  await client.executions.wait(run.id)
  await client.keys.create({ name: 'reports', scopes: ['tasks:read', 'executions:read'] })
  const hook = await client.webhooks.create({ url: 'https://example.com/hook', events: ['*'] })
  const [template] = (await client.templates.list({ limit: 1 })).items
  return new Map([
    ['start', ''],
    ['tasks', '/tasks'],
    ['task', `/task?id=${watched.id}`],
    ['runs', '/runs'],
    ['run', `/run?id=${run.id}`],
    ['pages', `/run?id=${run.id}&tab=pages`],
    ['page', `/run?id=${run.id}&tab=pages&page=${encodeURIComponent(`${shop.url}/category/pens`)}`],
    ['times', `/run?id=${run.id}&tab=times`],
    ['steps', `/run?id=${run.id}&tab=steps`],
    ['datasets', '/datasets'],
    ['dataset', `/dataset?id=${dataset.id}`],
    ['changes', `/dataset?id=${dataset.id}&tab=changes`],
    ['templates', '/templates'],
    ['template', `/template?id=${template?.id ?? ''}`],
    ['schedules', '/schedules'],
    ['usage', '/usage'],
    ['keys', '/keys'],
    ['webhooks', `/webhooks?id=${hook.id}`],
    ['agents', '/agents'],
    ['reference', '/reference'],
    ['build', `/build?url=${encodeURIComponent(`${shop.url}/category/pens`)}`],
  ])
}

/** Opens a screen, and waits until it has loaded all that it shows. */
export async function openScreen(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.waitForLoadState('networkidle')
}

/** Times that a text is typed again. */
const MOST_TRIES = 20

/**
 * Replaces the recipe in the tab JSON by keys, as a person does. `text` has one line. Playwright's
 * `fill` selects the old text in the document. The editor does not hear of that in time, so the new
 * text may be added to the old one.
 */
export async function writeRecipe(page: Page, text: string): Promise<void> {
  const field = page.getByRole('textbox', { name: 'Recipe as JSON' }).first()
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    await field.focus()
    await page.keyboard.press('Control+A')
    await page.keyboard.press('Delete')
    await page.keyboard.insertText(text)
    // Until the editor is loaded, there is a plain field.
    const now = await field.evaluate((element) =>
      element instanceof HTMLTextAreaElement ? element.value : element.textContent,
    )
    if (now === text) return
  }
  throw new Error(`The editor does not take the recipe ${text}`)
}
