import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Visit } from '../chromium.ts'
import { fillWorld, openConsoleWorld, openSignedIn } from '../console-world.ts'
import type { ConsoleWorld } from '../console-world.ts'

// The charts of the console: the figures of a bar for the pointer and for keys, a part of the bars
// by dragging, and their colours. The days of a month are the bars; all credits were spent today.

let world: ConsoleWorld
let visit: Visit

beforeAll(async () => {
  world = await openConsoleWorld()
  const screens = await fillWorld(world)
  visit = await openSignedIn(world.url)
  visit.page.setDefaultTimeout(15_000)
  await visit.page.emulateMedia({ colorScheme: 'light' })
  await visit.page.goto(world.url + (screens.get('usage') ?? ''))
  await visit.page.locator('.plot canvas').waitFor()
})
afterAll(async () => {
  await visit.close()
  await world.close()
})

const plot = () => visit.page.getByRole('application', { name: /^Credits spent in/ })
const readout = () => visit.page.locator('.chart').getByRole('status')
const all = () => visit.page.getByRole('button', { name: 'Show all bars' })

/** A day of this month, in UTC, as the console names it. */
function dayName(day: number): string {
  const now = new Date()
  const date = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), day))
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format(date)
}

/** Chooses the bar of a day by keys. */
async function walkTo(day: number): Promise<void> {
  await plot().focus()
  await visit.page.keyboard.press('Home')
  for (let count = 1; count < day; count++) await visit.page.keyboard.press('ArrowRight')
}

/** The place of the chosen bar in the window: uPlot's own line goes through it. */
async function lineOf(): Promise<{ x: number; y: number }> {
  const line = await plot().locator('.u-cursor-x').boundingBox()
  if (line === null) throw new Error('No bar is chosen')
  return { x: line.x, y: line.y + line.height - 4 }
}

/** All credits are spent today. On the other days there are none. */
const today = new Date().getUTCDate()
const [first = 1, second = 2] = [1, 2, 3].filter((day) => day !== today)

it('keys choose a bar, and its figures are read', async () => {
  await walkTo(first)
  await expect.poll(() => readout().textContent()).toContain(`${dayName(first)} Credits spent 0`)
  await walkTo(today)
  const text = (await readout().textContent()) ?? ''
  expect(text).toContain(dayName(today))
  expect(Number(/Credits spent ([\d,]+)$/.exec(text)?.[1])).toBeGreaterThan(1)
})

it('the pointer chooses a bar, and leaves it', async () => {
  const { page } = visit
  await walkTo(second)
  const { x, y } = await lineOf()
  await walkTo(9)
  await page.mouse.move(x, y)
  await expect.poll(() => readout().textContent()).toContain(`${dayName(second)} Credits spent 0`)
  await page.mouse.move(1, 1)
  await expect.poll(() => readout().textContent()).toContain('Point at a bar')
})

it('dragging and keys show a part of the bars, until all are asked for', async () => {
  const { page } = visit
  await walkTo(10)
  const from = await lineOf()
  await walkTo(20)
  const to = await lineOf()
  // A little before the middle of its bar, so that it is within.
  await page.mouse.move(from.x - 6, from.y)
  await page.mouse.down()
  await page.mouse.move(to.x, to.y, { steps: 4 })
  await page.mouse.up()
  await all().waitFor()
  // Keys stay within what is shown.
  await walkTo(1)
  await expect.poll(() => readout().textContent()).toContain(dayName(10))
  await all().click()
  await expect.poll(() => all().count()).toBe(0)
  await walkTo(5)
  await page.keyboard.press('+')
  await all().waitFor()
  await expect.poll(() => readout().textContent()).toContain(dayName(5))
  await page.keyboard.press('Escape')
  await expect.poll(() => all().count()).toBe(0)
  await walkTo(1)
  await expect.poll(() => readout().textContent()).toContain(dayName(1))
})

it('bars have the colours of the look, also of another that is chosen', async () => {
  const { page } = visit
  await plot().press('Escape')
  await walkTo(new Date().getUTCDate())
  const { x, y } = await lineOf()
  const colour = () =>
    plot()
      .locator('canvas')
      .evaluate(
        (canvas, [left, top]) => {
          if (!(canvas instanceof HTMLCanvasElement)) throw new Error('It is no canvas')
          const { x: from, y: above, width } = canvas.getBoundingClientRect()
          const scale = canvas.width / width
          const data = canvas
            .getContext('2d')
            ?.getImageData((left - from - 3) * scale, (top - above) * scale, 1, 1).data
          return [...(data ?? [])].slice(0, 3)
        },
        [x, y] as const,
      )
  await expect.poll(colour).toEqual([11, 95, 165])
  await page.getByLabel('Look').selectOption('dark')
  await expect.poll(colour).toEqual([109, 179, 242])
  await page.getByLabel('Look').selectOption('system')
  await expect.poll(colour).toEqual([11, 95, 165])
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect.poll(colour).toEqual([109, 179, 242])
})
