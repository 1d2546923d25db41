import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Frame, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Visit } from './chromium.ts'
import { openScreen } from './console-world.ts'

/**
 * Returns what axe finds wrong on a page, or in a frame. It is put in by the debugger, so the
 * page's policy stays.
 */
export async function findingsOf(page: Page | Frame): Promise<unknown> {
  const source = await readFile(createRequire(import.meta.url).resolve('axe-core'), 'utf8')
  await page.evaluate(source)
  return page.evaluate(`axe.run(document, { iframes: false }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).slice(0, 3).join(' ')))`)
}

/**
 * Expects of each screen that it has one heading and no error, that axe finds nothing, that it does
 * not scroll sideways on a phone, and that nothing was asked of another origin.
 *
 * @param screens The address of each, below that of the console.
 */
export async function expectUsable(
  { page, requests, complaints }: Visit,
  url: string,
  screens: ReadonlyMap<string, string>,
): Promise<void> {
  for (const [name, address] of screens) {
    await page.setViewportSize({ width: 1280, height: 900 })
    await openScreen(page, url + address)
    expect([name, await page.getByRole('heading', { level: 1 }).count()]).toEqual([name, 1])
    expect([name, await page.getByRole('alert').allTextContents()]).toEqual([name, []])
    expect([name, await findingsOf(page)]).toEqual([name, []])
    await page.setViewportSize({ width: 390, height: 900 })
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect([name, width]).toEqual([name, 390])
  }
  await page.setViewportSize({ width: 1280, height: 900 })
  const { origin } = new URL(url)
  expect(requests.filter((request) => !request.startsWith(`${origin}/`))).toEqual([])
  expect(complaints).toEqual([])
}
