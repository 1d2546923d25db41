import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { KEY, openConsoleWorld, openSignedIn, writeRecipe } from '../console-world.ts'
import type { ConsoleWorld } from '../console-world.ts'
import { findingsOf } from '../axe.ts'
import type { Visit } from '../chromium.ts'

// Proves that the editor of a column needs no JSON for formats, steps and the key of a row, and
// that candidates are tried on the other kept pages.

const LINES = [
  ['Cedar', '1.234,50 EUR', '03/04/2026'],
  ['Lime', '2.50 EUR', '05/04/2026'],
  ['Lime', '2.50 EUR', '05/04/2026'],
]
const list = (next: string) =>
  `<h1>Goods</h1><ul>${LINES.map(
    ([name, price, day]) => `<li><b>${name}</b> <i>${price}</i> <time>${day}</time></li>`,
  ).join('')}</ul>${next}`
/** The second page has no class for its price. */
const card = (id: number, price: string) =>
  `<h1>Thing ${id}</h1><dl><dt>Price</dt><dd${id === 1 ? ' class="price"' : ''}>${price}</dd></dl>` +
  (id === 1 ? '<a rel="next" href="/thing2">next</a>' : '')

let world: ConsoleWorld
let visit: Visit

beforeAll(async () => {
  world = await openConsoleWorld({
    pages: {
      '/goods': () => list(''),
      '/thing1': () => card(1, '12'),
      '/thing2': () => card(2, '13'),
    },
  })
  visit = await openSignedIn(world.url, KEY)
})
afterAll(async () => {
  await visit.close()
  await world.close()
})

/** Clicks where an element of the kept page is. */
async function pointAt(selector: string): Promise<void> {
  const element = visit.page.frameLocator('iframe').locator(selector).first()
  await element.waitFor()
  const box = await element.boundingBox()
  if (box === null) throw new Error(`${selector} is not seen`)
  await visit.page.mouse.click(box.x + 10, box.y + 5)
}

/** Holds requests back, until their answers are let go; they have been shown when `end` is over. */
function holdAnswers(page: Page, pattern: string, isHeld: (body: string) => boolean) {
  const [release, first] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const answers: Promise<unknown>[] = []
  return {
    begin: () =>
      page.route(pattern, async (route) => {
        if (!isHeld(route.request().postData() ?? '')) return route.fallback()
        const answer = route
          .request()
          .response()
          .then(async (response) => response?.finished())
        answers.push(answer)
        first.resolve()
        await release.promise
        return route.continue()
      }),
    first: () => first.promise,
    async end() {
      release.resolve()
      await Promise.all(answers)
      await page.unroute(pattern)
      // Two frames later the screen has what the answers have changed.
      await page.evaluate(
        () => new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown))),
      )
    },
  }
}

async function build(path: string, recipe: object, tab: string): Promise<void> {
  const { page } = visit
  await page.goto(`${world.url}/build?url=${encodeURIComponent(world.shop.url + path)}&tab=json`)
  await page.frameLocator('iframe').locator('h1').waitFor()
  await writeRecipe(page, JSON.stringify({ start: { urls: [world.shop.url + path] }, ...recipe }))
  await page.getByRole('tab', { name: tab }).click()
}

it('format, steps and identity of a column are chosen in its editor', async () => {
  const { page } = visit
  const fields = { name: 'b', price: 'i', day: 'time' }
  await build('/goods', { extract: { items: 'li', fields } }, 'Columns')
  const column = (nth: number) => page.locator('.columns > li').nth(nth)
  const price = column(1)
  await price.getByText('First: 1.234,50 EUR').waitFor()
  await price.getByText('2 different of 3.').waitFor()
  await price.getByRole('combobox', { name: /^Type/ }).selectOption('number')
  await price.getByRole('combobox', { name: /^Written as/ }).selectOption(',')
  await price.getByText('First: 1234.5').waitFor()
  await price.locator('summary').first().click()
  await price.getByLabel('Change the text …').selectOption('replace')
  await price.getByLabel('text', { exact: true }).fill('2.50')
  await price.getByLabel('by', { exact: true }).fill('99')
  await price.getByLabel('by', { exact: true }).press('Tab')
  await column(2).getByRole('combobox', { name: /^Type/ }).selectOption('date')
  await column(2)
    .getByRole('combobox', { name: /^Written as/ })
    .selectOption('dmy')
  await column(2).getByText('First: 2026-04-03').waitFor()
  await column(0)
    .getByLabel(/identifies a row/)
    .check()
  // Axe looks at the open editor, and the page fits a narrow screen.
  expect(await findingsOf(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.getByRole('tab', { name: 'Table' }).click()
  await page.getByRole('cell', { name: '99', exact: true }).first().waitFor()
  const json = page.getByLabel('Recipe as JSON').first()
  await page.getByRole('tab', { name: 'JSON' }).click()
  await json.waitFor()
  const draft = await page.evaluate(() => sessionStorage.getItem('seine.typed draft'))
  const { recipe } = JSON.parse(draft ?? '{}')
  expect(recipe.extract.fields).toEqual({
    name: 'b',
    price: { css: 'i', transform: [{ replace: ['2.50', '99'] }], as: { number: { decimal: ',' } } },
    day: { css: 'time', as: { date: { order: 'dmy' } } },
  })
  expect(recipe.output).toEqual({ unique: ['name'] })
  // A column that is renamed still identifies the row; one that is removed does not.
  await page.getByRole('tab', { name: 'Columns' }).click()
  await column(0).getByLabel('Name', { exact: true }).fill('title')
  await column(0).getByLabel('Name', { exact: true }).press('Tab')
  await column(0).getByRole('button', { name: 'Remove column title' }).waitFor()
  const unique = () =>
    page.evaluate(
      () => JSON.parse(sessionStorage.getItem('seine.typed draft') ?? '{}').recipe.output,
    )
  expect(await unique()).toEqual({ unique: ['title'] })
  await column(0).getByRole('button', { name: 'Remove column title' }).click()
  await expect.poll(unique).toBeUndefined()
})

it('an error that the server reports of a column is shown at the column', async () => {
  const { page } = visit
  await build('/goods', { extract: { items: 'li', fields: { name: 'b', price: 'i' } } }, 'Columns')
  const price = page.locator('.columns > li').nth(1)
  // Until the preview of this recipe is there, columns of the last one may be shown.
  await price.getByText('First: 1.234,50 EUR').waitFor()
  await price.locator('summary').first().click()
  await price.getByLabel('Selector').fill('i[')
  await price.getByLabel('Selector').press('Tab')
  await price.getByRole('alert').waitFor()
  expect(await page.locator('.columns > li').first().getByRole('alert').count()).toBe(0)
  await price.getByLabel('Selector').fill('.//i')
  await price.getByLabel('Selector').press('Tab')
  await price.getByRole('alert').waitFor({ state: 'detached' })
  await price.getByText('First: 1.234,50 EUR').waitFor()
})

it('a name that is being typed stays when the table of an earlier change comes', async () => {
  const { page } = visit
  await build('/goods', { extract: { items: 'li', fields: { name: 'b', price: 'i' } } }, 'Columns')
  const price = page.locator('.columns > li').nth(1)
  await price.getByText('First: 1.234,50 EUR').waitFor()
  const held = holdAnswers(page, '**/api/v1/tasks/preview', () => true)
  await held.begin()
  await price.getByRole('combobox', { name: /^Type/ }).selectOption('html')
  await held.first()
  const name = price.getByLabel('Name', { exact: true })
  await name.focus()
  await name.press('End')
  await name.pressSequentially(' in eu')
  await held.end()
  await price.getByText('First: <i>1.234,50 EUR</i>').waitFor()
  expect(await name.inputValue()).toBe('price in eu')
  await name.pressSequentially('ros')
  await name.press('Tab')
  await page.getByRole('button', { name: 'Remove column price in euros' }).waitFor()
})

it('candidates by the text beside them are offered, and all are tried on the other page', async () => {
  const { page } = visit
  await page.goto(
    `${world.url}/build?url=${encodeURIComponent(`${world.shop.url}/thing1`)}&tab=json`,
  )
  await page.frameLocator('iframe').locator('h1').waitFor()
  // The next page is visited once, and kept, too.
  const follow = [{ next: 'a[rel=next]' }]
  const { snapshots } = await page.evaluate(
    async ({ recipe, key }) => {
      const answer = await fetch('/api/v1/tasks/preview', {
        method: 'POST',
        headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
        body: JSON.stringify({ recipe, keep: true }),
      })
      const { data } = await answer.json()
      const pages = data.pages.map(({ snapshot, url, label }: Record<string, string>) => ({
        snapshot,
        url,
        label,
      }))
      const draft = {
        url: recipe.start.urls[0],
        recipe,
        snapshot: pages[0].snapshot,
        pages,
      }
      sessionStorage.setItem('seine.typed draft', JSON.stringify(draft))
      return { snapshots: pages.length }
    },
    {
      key: KEY,
      recipe: {
        start: { urls: [`${world.shop.url}/thing1`] },
        follow,
        extract: { fields: { title: 'h1' } },
      },
    },
  )
  expect(snapshots).toBe(2)
  await page.reload()
  await page.frameLocator('iframe').locator('dd').waitFor()
  const pointed = page.getByRole('region', { name: 'What you pointed at' })
  const trials = holdAnswers(page, '**/tasks/preview', (body) => body.includes('"source0"'))
  await trials.begin()
  await pointAt('dd')
  // The answer is there before it was tried elsewhere.
  await pointed.getByRole('button', { name: /^Add as column/ }).waitFor()
  expect(await pointed.getByText('on the other pages').count()).toBe(0)
  await trials.end()
  // The candidate that finds the price on both pages comes first; the class is on one alone.
  await pointed
    .getByRole('button', { name: /^Add as column .* 1 of 1 on the other pages/ })
    .waitFor()
  await pointed.getByText('Other selectors').click()
  await pointed
    .getByRole('button', { name: /^dd\.price 1 match · 0 of 1 on the other pages/ })
    .waitFor()
  const byText = pointed.getByRole('button', { name: /normalize-space.*Price/ })
  await byText.click()
  await page.getByRole('tab', { name: 'Table' }).click()
  await page.getByRole('cell', { name: '13', exact: true }).waitFor()
})

it('a refusal to try candidates elsewhere is said, and what was pointed at stays', async () => {
  const { page } = visit
  await page.route('**/tasks/preview', (route) =>
    route.request().postData()?.includes('"source0"') === true
      ? route.fulfill({
          status: 400,
          json: { error: { code: 'BAD_REQUEST', message: 'Not now', requestId: 'req_1' } },
        })
      : route.fallback(),
  )
  await pointAt('h1')
  await page.getByRole('alert').filter({ hasText: 'Not now' }).waitFor()
  expect(await page.getByRole('button', { name: /^Add as column/ }).count()).toBe(1)
  await page.unroute('**/tasks/preview')
})

it('a late answer changes nothing of a newer click, and nothing after Cancel', async () => {
  const { page } = visit
  await build('/goods', { extract: { items: 'li', fields: {} } }, 'Columns')
  const pointed = page.getByRole('region', { name: 'What you pointed at' })
  let clicks = 0
  const late = holdAnswers(page, '**/candidates', () => ++clicks === 1)
  await late.begin()
  await pointAt('li b')
  await late.first()
  await pointAt('li i')
  await pointed.getByText('1.234,50 EUR').waitFor()
  await late.end()
  expect(await pointed.locator('.quote').textContent()).toBe('1.234,50 EUR')
  const second = holdAnswers(page, '**/candidates', () => true)
  await second.begin()
  await pointAt('li b')
  await second.first()
  await pointed.getByRole('button', { name: 'Cancel' }).click()
  await second.end()
  expect(await pointed.count()).toBe(0)
})

it('the browser reports no error but the refusal of a selector', () => {
  expect(visit.complaints.filter((text) => !/\b400\b/.test(text))).toEqual([])
})
