import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { chromium } from 'playwright-core'
import { KEY, fillOperator, fillWorld, openConsoleWorld } from './console-world.ts'

// Takes a picture of each screen, light and dark, wide and 390 px: npm run console:pictures -- DIR. A
// further word chooses screens by how their names begin.

const to = resolve(process.argv[2] ?? 'console-pictures')
const only = process.argv[3]
mkdirSync(to, { recursive: true })
const world = await openConsoleWorld()
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
})
try {
  const screens = await fillWorld(world)
  const operators = await fillOperator(world)
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1280, 390]) {
      for (const [key, seen] of [
        [KEY, screens],
        [world.operatorKey, operators],
      ] as const) {
        const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } })
        const page = await context.newPage()
        await page.goto(world.url)
        await page.getByLabel('API key').fill(key)
        await page.keyboard.press('Enter')
        await page.getByLabel('Address of a page').waitFor()
        for (const [name, path] of seen) {
          if (only !== undefined && !name.startsWith(only)) continue
          await page.goto(world.url + path)
          await page.waitForLoadState('networkidle')
          await page.screenshot({
            path: join(to, `${name}-${width}-${colorScheme}.png`),
            fullPage: true,
          })
        }
        await context.close()
      }
    }
} finally {
  await browser.close()
  await world.close()
}
process.stdout.write(`The pictures are in ${to}\n`)
