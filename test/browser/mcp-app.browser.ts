import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Locator, Page } from 'playwright-core'
import { strictObject } from 'valibot'
import { defineTemplate } from '../../src/features/templates/template.ts'
import { createWorld } from '../support/worlds/world.ts'
import type { World } from '../support/worlds/world.ts'
import { findingsOf } from './axe.ts'
import { openChromium } from './chromium.ts'
import type { Visit } from './chromium.ts'
import { openMcpHost } from './mcp-host.ts'
import type { McpHost } from './mcp-host.ts'

// Proves that the MCP App works in a host: in a sandbox without an origin it shows the rows of a
// real run, reads those that follow, follows a run to its end, shows what pages say as text and
// nothing else, and reaches nothing but its host, by messages that the extension's schemas accept.

const HOSTILE = `<img src=x onerror="parent.hit=1">"><script>hit=1</script>`
const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const line = (index: number) =>
  `<tr><td>${index === 1 ? escape(HOSTILE) : `Pen ${index}`}</td><td>${index}.50</td>` +
  `<td><a href="/pens/${index}">more</a></td></tr>`
const PAGES = {
  'https://pens.example.com/': `<table>${Array.from({ length: 250 }, (_, index) => line(index)).join('')}</table>`,
}
const pens = defineTemplate({
  id: 'pens',
  version: 1,
  updatedAt: '2026-11-27',
  name: 'Pens',
  description: 'Names and prices of pens.',
  categories: ['shops'],
  parameters: strictObject({}),
  example: {},
  columns: null,
  sample: [{ name: 'Pen 1', price: 1.5, url: 'https://pens.example.com/pens/1' }],
  typicalPages: 2,
  recipe: () => ({
    start: { urls: ['https://pens.example.com/', 'https://pens.example.com/gone'] },
    extract: {
      items: 'tr',
      fields: {
        name: 'td:nth-child(1)',
        price: { css: 'td:nth-child(2)', as: 'number' },
        url: { css: 'a', attr: 'href', as: 'url' },
      },
    },
  }),
})
const START = { id: 'pens', params: {}, waitSeconds: 0 }

let world: World
let visit: Visit

beforeAll(async () => {
  world = createWorld(PAGES, { templates: [pens], mount: { mcp: { tools: 'extended' } } })
  visit = await openChromium({ viewport: { width: 760, height: 900 } })
})
afterAll(async () => {
  await visit.close()
  await world.platform.close()
})

/** A host on a page of its own. */
async function openHost(options: Parameters<typeof openMcpHost>[2] = {}) {
  const page = await visit.context.newPage()
  await page.clock.install()
  return { page, host: await openMcpHost(page, world, options) }
}
/**
 * Waits until the frame is as high as its content, and no higher. A press and a release of the
 * mouse while it still grows may meet different cells.
 */
async function frameFits(page: Page, { frame }: McpHost): Promise<void> {
  const view = page.locator('iframe')
  await expect
    .poll(async () => [
      await view.evaluate(({ clientHeight }) => clientHeight),
      await frame.evaluate(() => document.body.scrollHeight),
    ])
    .toSatisfy(([outer, inner]) => outer === inner)
}
const runIn = ({ structuredContent }: { readonly [name: string]: unknown }) =>
  (structuredContent as { run: { readonly [name: string]: unknown } }).run
const calls = ({ messages }: McpHost) =>
  messages.flatMap(({ method, params }) => (method === 'tools/call' ? [params] : []))

it('the rows of a run are a table that reads on, with what a page says as text', async () => {
  const { page, host } = await openHost({ context: { theme: 'light' } })
  const { frame } = host
  await frame.getByText('One moment…').waitFor()
  const run = runIn(await host.show('run_template', START))
  await frame.getByText('No rows yet.').waitFor()
  await world.work()
  await host.show('get_run', { runId: run['runId'] })
  await frame.getByRole('heading', { name: 'Run done' }).waitFor()
  const grid = frame.getByRole('grid', { name: 'Rows' })
  expect(await grid.getAttribute('aria-rowcount')).toBe('251')
  expect(await grid.getByRole('columnheader').allTextContents()).toEqual(['name', 'price', 'url'])
  // The first result has 20 rows. The view has read on.
  await frame.getByText('Rows read: 120').waitFor()
  await grid.evaluate((element) => (element.scrollTop = element.scrollHeight))
  await frame.getByText('Rows read: 220').waitFor()
  await grid.evaluate((element) => (element.scrollTop = element.scrollHeight))
  await frame.getByText('Rows read: 250').waitFor()
  await grid.evaluate((element) => (element.scrollTop = element.scrollHeight))
  await grid.getByText('Pen 249', { exact: true }).waitFor()
  expect(calls(host)).toHaveLength(3)

  await grid.evaluate((element) => (element.scrollTop = 0))
  await frameFits(page, host)
  await grid.getByText(HOSTILE).click()
  const row = frame.getByRole('region', { name: 'One row' })
  expect(await row.getByText(HOSTILE).count()).toBe(1)
  expect(await frame.locator('img').count()).toBe(0)
  expect(await frame.evaluate(() => [Reflect.get(window, 'hit'), document.scripts.length])).toEqual(
    [undefined, 1],
  )
  expect(await page.evaluate(() => Reflect.get(window, 'hit'))).toBeUndefined()
  await row.getByRole('button', { name: 'https://pens.example.com/pens/1' }).click()
  await expect.poll(() => host.opened).toEqual(['https://pens.example.com/pens/1'])
  await page.keyboard.press('Escape')
  expect(await row.count()).toBe(0)

  // Numbers stand on the right, and pages that failed are named.
  const price = grid.getByRole('gridcell', { name: '3.5', exact: true })
  expect(await price.evaluate((cell) => getComputedStyle(cell).textAlign)).toBe('end')
  await frame.getByText('Why pages failed').click()
  await frame.getByText('https://pens.example.com/gone').waitFor()
  expect(host.refused).toEqual([])
  expect(await findingsOf(frame)).toEqual([])
  await frameFits(page, host)
  expect(await frame.evaluate(() => document.documentElement.scrollWidth)).toBe(760)
  expect(visit.complaints).toEqual([])
  expect(visit.requests).toEqual([])
})

it('a run that works is followed to its end, in the look of its host', async () => {
  const variables = { '--color-background-primary': 'rgb(1, 2, 3)', background: 'red' }
  const { page, host } = await openHost({ context: { theme: 'dark', styles: { variables } } })
  const { frame } = host
  await host.show('run_template', START)
  await frame.getByRole('heading', { name: 'Run waiting' }).waitFor()
  const look = await frame.evaluate(() => {
    const { colorScheme } = getComputedStyle(document.documentElement)
    return [colorScheme, getComputedStyle(document.body).backgroundColor]
  })
  expect(look).toEqual(['dark', 'rgb(1, 2, 3)'])
  expect(await findingsOf(frame)).toEqual([])
  await world.work()
  await page.clock.fastForward(3_000)
  await frame.getByRole('heading', { name: 'Run done' }).waitFor()
  await frame.getByRole('grid', { name: 'Rows' }).getByText('Pen 2', { exact: true }).waitFor()
  await page.setViewportSize({ width: 390, height: 900 })
  await expect.poll(() => frame.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  // It is over, so nothing more is asked, however long the view stays open.
  await frame.getByText('Rows read: 100').waitFor()
  const before = calls(host).length
  await page.clock.fastForward(600_000)
  expect(calls(host)).toHaveLength(before)
  expect(host.refused).toEqual([])
})

it('rows of a page, texts without rows, failures and cancelled calls are shown as what they are', async () => {
  const { page, host } = await openHost({ opensLinks: false })
  const { frame } = host
  await host.show('extract', {
    url: 'https://pens.example.com/',
    items: 'tr',
    fields: { name: 'td', price: { css: 'td:nth-child(2)', as: 'number' }, url: 'a @href' },
  })
  await frame.getByText('Rows read: 100').waitFor()
  const row = frame.getByRole('region', { name: 'One row' })
  const hasFocus = (one: Locator) =>
    one.evaluate((element) => element.ownerDocument.activeElement === element)
  const cell = (name: string) => frame.getByRole('gridcell', { name, exact: true })
  const close = row.getByRole('button', { name: 'Close' })
  await frameFits(page, host)
  await cell('Pen 3').click()
  // The row that opens takes the focus, also from another one, and gives it back to its cell.
  await close.waitFor()
  expect(await hasFocus(close)).toBe(true)
  await frameFits(page, host)
  await cell('Pen 4').click()
  await row.getByText('Pen 4', { exact: true }).waitFor()
  expect(await hasFocus(close)).toBe(true)
  await page.keyboard.press('Escape')
  await row.waitFor({ state: 'detached' })
  expect(await hasFocus(cell('Pen 4'))).toBe(true)
  await page.keyboard.press('Enter')
  await close.waitFor()
  expect(await hasFocus(close)).toBe(true)
  // This host opens no addresses, so nothing looks as if it did.
  expect(await row.getByRole('button').allTextContents()).toEqual(['Close'])
  await host.show('run_template', { id: 'pens', params: {}, validateOnly: true })
  await frame.getByText(/valid/).waitFor()
  const { content } = await host.show('get_run', { runId: 'exec_none' })
  const [{ text = '' } = {}] = content as { text?: string }[]
  expect(text).toContain('was not found')
  await frame.getByRole('alert').getByText(text).waitFor()
  await host.notify('ui/notifications/tool-cancelled', { reason: HOSTILE })
  await frame.getByText('The call was cancelled.').waitFor()
  expect(host.refused).toEqual([])
})
