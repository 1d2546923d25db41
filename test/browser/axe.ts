import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Frame, Page } from 'playwright-core'

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
