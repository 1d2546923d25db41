import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { toNodeHandler } from '../../adapters/node/handler.ts'
import { createPlatform } from '../../src/platform/platform.ts'
import { openChromium } from './chromium.ts'
import type { Visit } from './chromium.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const platform = createPlatform({ logger: silent })
// One host at the root and, as frameworks mount things, one that strips a prefix.
const handle = toNodeHandler(platform.fetch)
const server = createServer((request, response) => {
  request.url = request.url?.replace(/^\/mounted\/here/, '')
  handle(request, response)
})
let origin = ''
let shots = ''
let visit: Visit

beforeAll(async () => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  shots = await mkdtemp(join(tmpdir(), 'seine-docs-'))
  visit = await openChromium({ viewport: { width: 1360, height: 900 } })
  await visit.page.goto(`${origin}/docs`)
})

afterAll(async () => {
  await visit.close()
  server.closeAllConnections()
  server.close()
  await platform.close()
  console.log(`Screenshots: ${shots}`)
})

const shown = (page: Visit['page'], selector: string) =>
  page
    .locator(selector)
    .evaluateAll((elements) =>
      elements
        .filter((element) => element.getClientRects().length > 0)
        .map((element) => element.id || (element.textContent ?? '').trim()),
    )

it('every operation of the description is shown', async () => {
  const described: { paths: Record<string, Record<string, { operationId: string }>> } = await (
    await fetch(`${origin}/api/v1/openapi.json`)
  ).json()
  const operations = Object.values(described.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  )
  expect(operations.length).toBeGreaterThan(15)
  expect((await shown(visit.page, 'article.operation')).toSorted()).toEqual(operations.toSorted())
  expect(await shown(visit.page, 'nav [data-for]')).toHaveLength(operations.length)
  await visit.page.screenshot({ path: join(shots, 'light.png') })
})

it('sample calls have the address from which the page was served', async () => {
  expect(
    await visit.page.locator('[id="tasks.create"] figure pre').first().textContent(),
  ).toContain(`curl -X POST "${origin}/api/v1/tasks"`)
  expect(await visit.page.locator('[data-openapi]').getAttribute('href')).toBe(
    `${origin}/api/v1/openapi.json`,
  )
})

it('the search works with the keyboard alone', async () => {
  const { page } = visit
  await page.keyboard.press('/')
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('search')
  await page.keyboard.type('executions.cancel')
  expect(await shown(page, 'article.operation')).toEqual(['executions.cancel'])
  expect(await page.locator('#found').textContent()).toMatch(/^1 of \d+ operations$/)
  await page.screenshot({ path: join(shots, 'search.png') })
  await page.keyboard.press('ArrowDown')
  expect(await page.evaluate(() => document.activeElement?.getAttribute('data-for'))).toBe(
    'executions.cancel',
  )
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  expect(new URL(page.url()).hash).toBe('#executions.cancel')
  await page.keyboard.press('/')
  // Others mention both words, and one of them stands before it.
  await page.keyboard.type('cancel execution')
  expect((await shown(page, 'article.operation'))[0]).not.toBe('executions.cancel')
  await page.evaluate(() => (location.hash = ''))
  await page.keyboard.press('Enter')
  expect(new URL(page.url()).hash).toBe('#executions.cancel')
  await page.keyboard.press('/')
  // A part of a body is found by its name, wherever its schema stands.
  for (const [words, operation] of [
    ['maxdepth', 'tasks.create'],
    ['markdown', 'previews.recipe'],
    ['schedule cron', 'tasks.update'],
  ] as const) {
    await page.locator('#search').fill(words)
    expect(await shown(page, 'article.operation')).toContain(operation)
    expect(await shown(page, 'article.operation')).not.toContain('executions.cancel')
  }
  await page.locator('#search').fill('no-such-word')
  expect(await shown(page, 'article.operation')).toEqual([])
  await page.keyboard.press('Escape')
  expect((await shown(page, 'article.operation')).length).toBeGreaterThan(15)
  expect(await page.locator('#found').textContent()).toBe('')
})

it('answers can be opened, and links lead to their schemas', async () => {
  const { page } = visit
  await page.locator('[id="tasks.create"] details', { hasText: '201' }).locator('summary').click()
  expect(await page.locator('[id="tasks.create"] details[open]').textContent()).toContain(
    'X-RateLimit-Remaining',
  )
  await page.screenshot({ path: join(shots, 'operation.png') })
  await page.locator('[id="tasks.create"] .answer a', { hasText: 'too short a time' }).click()
  expect(await page.locator(':target').textContent()).toContain('RATE_LIMIT_EXCEEDED')
  await page.screenshot({ path: join(shots, 'error.png') })
  await page.locator('[id="tasks.create"] a[href="#schema-TaskInput"]').first().click()
  expect(new URL(page.url()).hash).toBe('#schema-TaskInput')
  await page.screenshot({ path: join(shots, 'schema.png') })
})

it('a sample call can be copied', async () => {
  await visit.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin })
  await visit.page.locator('[id="tasks.get"] .copy').first().click()
  await visit.page.locator('[id="tasks.get"] .copy', { hasText: 'Copied' }).waitFor()
  expect(await visit.page.evaluate(() => navigator.clipboard.readText())).toContain(
    'curl "http://127.0.0.1',
  )
})

it('the page works below a prefix that its host strips', async () => {
  await visit.page.goto(`${origin}/mounted/here/docs`)
  expect(await visit.page.locator('[id="tasks.list"] figure pre').first().textContent()).toContain(
    `${origin}/mounted/here/api/v1/tasks`,
  )
  const [answer] = await Promise.all([
    visit.page.waitForResponse(/openapi\.json$/),
    visit.page.locator('[data-openapi]').click(),
  ])
  expect(answer.status()).toBe(200)
  await visit.page.goto(`${origin}/docs/`)
  expect(await visit.page.locator('[data-openapi]').getAttribute('href')).toBe(
    `${origin}/api/v1/openapi.json`,
  )
})

it('the page asks no other server for anything, and has no error', () => {
  expect(visit.requests.length).toBeGreaterThan(2)
  expect(visit.requests.filter((url) => !url.startsWith(`${origin}/`))).toEqual([])
  expect(visit.complaints).toEqual([])
})

it.each([
  ['dark', { colorScheme: 'dark', viewport: { width: 1360, height: 900 } }],
  ['narrow', { viewport: { width: 390, height: 844 } }],
  ['without scripts', { javaScriptEnabled: false, viewport: { width: 1024, height: 800 } }],
] as const)('can be read %s', async (name, options) => {
  const other = await openChromium(options)
  try {
    await other.page.goto(`${origin}/docs#tasks.create`)
    await other.page.screenshot({ path: join(shots, `${name.replace(' ', '-')}.png`) })
    expect(await other.page.locator('article.operation').count()).toBeGreaterThan(15)
    const { scrollWidth, clientWidth } = await other.page.evaluate(() => {
      const { scrollWidth: all, clientWidth: shownWidth } = document.documentElement
      return { scrollWidth: all, clientWidth: shownWidth }
    })
    expect(scrollWidth).toBeLessThanOrEqual(clientWidth)
    expect(other.complaints).toEqual([])
  } finally {
    await other.close()
  }
})

it('the contrast is enough in light and dark, and each control has a name', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await visit.page.emulateMedia({ colorScheme })
    await visit.page.goto(`${origin}/docs`)
    const faint = await visit.page.evaluate(() => {
      const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
      if (!canvas) throw new Error('no canvas')
      const luminance = (color: string) => {
        canvas.fillStyle = color
        canvas.fillRect(0, 0, 1, 1)
        const [r = 0, g = 0, b = 0] = [...canvas.getImageData(0, 0, 1, 1).data].map((value) =>
          value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
        )
        return 0.2126 * r + 0.7152 * g + 0.0722 * b
      }
      const ground = (element: Element | null): string => {
        if (!element) return getComputedStyle(document.body).backgroundColor
        const color = getComputedStyle(element).backgroundColor
        return color === 'rgba(0, 0, 0, 0)' ? ground(element.parentElement) : color
      }
      return [...document.querySelectorAll('body *')].flatMap((element) => {
        const hasText = [...element.childNodes].some(
          (node) => node.nodeType === Node.TEXT_NODE && (node.textContent ?? '').trim() !== '',
        )
        if (!hasText || element.getClientRects().length === 0) return []
        const [a, b] = [luminance(getComputedStyle(element).color), luminance(ground(element))]
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
        return ratio < 4.5 ? [`${element.tagName}.${element.className} ${ratio.toFixed(2)}`] : []
      })
    })
    expect([colorScheme, [...new Set(faint)]]).toEqual([colorScheme, []])
  }
  const nameless = await visit.page
    .locator('a, button, input, summary')
    .evaluateAll(
      (elements) =>
        elements.filter(
          (element) =>
            (element.getAttribute('aria-label') ?? element.textContent ?? '').trim() === '',
        ).length,
    )
  expect(nameless).toBe(0)
})
