import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startShop } from '../../examples/demo/shop.ts'
import type { Shop } from '../../examples/demo/shop.ts'
import { root } from '../support/sources/sources.ts'
import { findingsOf } from './axe.ts'
import { openChromium } from './chromium.ts'
import type { Visit } from './chromium.ts'

// A person opens the console of `seine serve` by the link that it prints, types an address, and sees
// the table of its page. The command is the built one.
let shop: Shop
let folder: string
let server: ChildProcess
let link = ''
let visit: Visit

beforeAll(async () => {
  shop = await startShop()
  folder = await mkdtemp(join(tmpdir(), 'seine-console-'))
  server = spawn(
    process.execPath,
    ['dist/command/main.js', 'serve', '--port', '0', '--data', folder, '--allow-private-network'],
    { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  link = await printedLink(server)
  visit = await openChromium({ viewport: { width: 1280, height: 800 } })
})

afterAll(async () => {
  await visit.close()
  const exited = new Promise((resolve) => server.once('exit', resolve))
  server.kill()
  await exited
  await shop.close()
  await rm(folder, { recursive: true })
})

function printedLink({ stdout }: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    stdout?.on('data', (chunk: Buffer) => {
      text += String(chunk)
      const printed = /^console (\S+)\n/m.exec(text)?.[1]
      if (printed !== undefined) resolve(printed)
    })
  })
}

it('the link signs in, the keyboard alone leads to the table of a page, and there is no error', async () => {
  const { page } = visit
  await page.goto(link)
  await page.getByLabel('Address of a page').waitFor()
  expect(page.url()).toBe(link.slice(0, link.indexOf('#')))
  // The link past the sections leads to the content.
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await page.keyboard.type(`${shop.url}/category/pens`)
  await page.keyboard.press('Enter')
  await page.getByRole('table').waitFor()
  expect(await page.getByRole('row').count()).toBeGreaterThan(5)
  const origin = new URL(link).origin
  expect(visit.requests.filter((url) => !url.startsWith(`${origin}/`))).toEqual([])
  expect(visit.complaints).toEqual([])
})

it('a wrong address is explained at once, in words', async () => {
  const { page } = visit
  await page.getByLabel('Address of a page').fill('no address at all')
  await page.getByRole('button', { name: 'Show its table' }).click()
  await page.getByRole('alert').waitFor()
  expect(await page.getByRole('alert').textContent()).toContain('start.urls')
})

it('a link signs in once; after that a key does', async () => {
  const other = await openChromium()
  await other.page.goto(link)
  await other.page.getByRole('alert').waitFor()
  expect(await other.page.getByRole('alert').textContent()).toContain('used before')
  await other.page.getByLabel('API key').fill('svc_sk_wrong')
  await other.page.keyboard.press('Enter')
  await other.page.getByText('does not know this key').waitFor()
  await other.close()
})

/** Signs in where no test before has: the link is good once. */
async function enter(): Promise<void> {
  const { page } = visit
  if (page.url() === 'about:blank') await page.goto(link)
  await page.getByLabel('Address of a page').waitFor()
}

it('the console fits 390 pixels, and keeps its key when it is loaded again', async () => {
  const { page } = visit
  await enter()
  await page.setViewportSize({ width: 390, height: 800 })
  await page.reload()
  await page.getByLabel('Address of a page').waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
})

it('at 390 pixels the header is one line, with the sections behind a button', async () => {
  const { page } = visit
  await enter()
  await page.setViewportSize({ width: 390, height: 800 })
  const height = await page.getByRole('banner').evaluate((header) => header.clientHeight)
  // A button has 44 pixels, and there is some room above and below it.
  expect(height).toBeLessThan(80)
  const sections = page.getByRole('button', { name: 'Sections' })
  expect(await page.getByRole('link', { name: 'Usage' }).isVisible()).toBe(false)
  await sections.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Usage' }).focus()
  expect(await sections.getAttribute('aria-expanded')).toBe('true')
  expect(await findingsOf(page)).toEqual([])
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor()
  expect(await sections.getAttribute('aria-expanded')).toBe('false')
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('menu')
  await page.setViewportSize({ width: 1280, height: 800 })
  expect(await sections.isVisible()).toBe(false)
  expect(await page.getByRole('link', { name: 'Usage' }).isVisible()).toBe(true)
})
