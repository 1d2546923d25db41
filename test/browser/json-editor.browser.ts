import { afterAll, beforeAll, expect, it } from 'vitest'
import { findingsOf } from './axe.ts'
import type { Visit } from './chromium.ts'
import { openConsoleWorld, openSignedIn, writeRecipe } from './console-world.ts'
import type { ConsoleWorld } from './console-world.ts'

// The recipe as JSON: an editor that comes when its tab is first shown, completes by the schema of
// recipes, and shows each error at its place.

let world: ConsoleWorld
let visit: Visit

beforeAll(async () => {
  world = await openConsoleWorld()
  visit = await openSignedIn(world.url)
  visit.page.setDefaultTimeout(10_000)
  await visit.page.goto(`${world.url}/build?url=${encodeURIComponent(`${world.shop.url}/prices`)}`)
  await visit.page.getByRole('table').waitFor()
})
afterAll(async () => {
  await visit.close()
  await world.close()
})

const editor = () => visit.page.locator('.cm-content')
/** Recipes as they are written below, with the address of the shop. */
const recipe = (extract: unknown) =>
  JSON.stringify({ start: { urls: [`${world.shop.url}/prices`] }, extract })
const write = (text: string) => writeRecipe(visit.page, text)
const choices = () => visit.page.locator('.cm-tooltip-autocomplete li')
/** Asks for completions until this one is offered: the schema may still be on its way. */
async function offered(choice: string) {
  const offer = choices().filter({ hasText: choice })
  await expect
    .poll(async () => {
      if ((await offer.count()) === 0) await visit.page.keyboard.press('Control+Space')
      return offer.count()
    })
    .toBe(1)
  return offer
}
const scripts = () => visit.requests.filter((url) => url.endsWith('.js')).length

it('the editor is loaded with its tab, and changes go both ways', async () => {
  const { page } = visit
  const before = scripts()
  await page.getByRole('tab', { name: 'JSON' }).click()
  await editor().waitFor()
  expect(scripts()).toBeGreaterThan(before)
  expect(await editor().getAttribute('aria-label')).toBe('Recipe as JSON')
  expect(await page.getByRole('textbox', { name: 'Recipe as JSON' }).count()).toBe(1)
  await write(recipe({ items: 'li', fields: { title: 'b', price: { css: 'i', as: 'number' } } }))
  await page.getByRole('tab', { name: 'Table' }).click()
  await page.getByRole('columnheader', { name: 'title' }).waitFor()
  await page.getByRole('tab', { name: 'Columns' }).click()
  await page.getByLabel('Name', { exact: true }).first().fill('label')
  await page.keyboard.press('Tab')
  await page.getByRole('tab', { name: 'JSON' }).click()
  await expect.poll(() => editor().textContent()).toContain('"label": "b"')
  // The keyboard can leave the editor.
  await editor().focus()
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.shadowRoot === null)).toBe(true)
})

it('names and values are completed by the schema of recipes', async () => {
  const { page } = visit
  await write('{"ex')
  const extract = await offered('"extract"')
  // They also come by themselves while somebody types.
  await page.keyboard.press('Escape')
  await extract.waitFor({ state: 'detached' })
  await page.keyboard.type('t')
  await extract.waitFor()
  expect(await choices().filter({ hasText: '"webhook"' }).count()).toBe(0)
  await extract.click()
  await expect.poll(() => editor().textContent()).toContain('{"extract": ')

  await write(recipe({ items: 'li', fields: { price: { css: 'i', as: 'number' } } }))
  const line = editor().locator('.cm-line').first()
  await line.getByText('"number"').click()
  await offered('"number"')
  await page.keyboard.press('Escape')
})

it('each error is marked at its place; a syntax error of JSON comes first', async () => {
  const { page } = visit
  await write(recipe({ items: 'li', fields: { name: 'b', price: { css: 'i', as: 'numbr' } } }))
  const marked = page.locator('.cm-lintRange-error')
  await expect.poll(async () => (await marked.allTextContents()).join('')).toContain('"numbr"')
  expect((await marked.allTextContents()).join('')).not.toContain('"name"')
  await page.locator('.cm-gutter-lint .cm-lint-marker-error').first().waitFor()
  await write('{ "start": ')
  await expect.poll(() => page.locator('#recipe-problem').textContent()).toMatch(/JSON/)
  await page.locator('.cm-lint-marker-error').first().waitFor()
  await write(recipe({ items: 'li', fields: { name: 'b' } }))
  await expect.poll(() => page.locator('.cm-lint-marker-error').count()).toBe(0)
})

it('a text that is not JSON yet is there after another tab and a reload', async () => {
  const { page } = visit
  const half = '{"extract": {"items": "li", "fie'
  await write(half)
  await page.getByRole('tab', { name: 'Columns' }).click()
  await page.getByRole('tab', { name: 'JSON' }).click()
  await expect.poll(() => editor().textContent()).toBe(half)
  await page.reload()
  await expect.poll(() => editor().textContent()).toBe(half)
  await page.getByText(/Unterminated string|in JSON/).waitFor()
  // It stands for one recipe, and not for the next one.
  await write(recipe({ items: 'li', fields: { whole: 'b' } }))
  await page.reload()
  await expect.poll(() => editor().textContent()).toContain('"whole": "b"')
})

it('axe finds nothing, and the browser reports no error and asks no other server', async () => {
  const { page, requests, complaints } = visit
  // The API refused recipes that were wrong. Chromium itself tries to keep the style of text that
  // is typed over, which the policy forbids; axe copies style sheets later.
  const own = complaints.filter(
    (text) => !text.includes('status of 400') && !text.startsWith('Applying inline style'),
  )
  expect(own).toEqual([])
  expect(await findingsOf(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  const { origin } = new URL(world.url)
  expect(requests.filter((url) => !url.startsWith(`${origin}/`) && url !== 'about:srcdoc')).toEqual(
    [],
  )
})
