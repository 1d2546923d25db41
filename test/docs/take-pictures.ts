import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { startCommand, temporaryFolder } from '../support/command.ts'
import { root } from '../support/sources/sources.ts'
import { startDocsSite } from '../support/worlds/docs-site.ts'

// Takes the pictures of README and docs from the built console: npm run pictures

const site = await startDocsSite()
const folder = temporaryFolder()
const server = startCommand(
  ['serve', '--port', '0', '--data', folder.path, '--allow-private-network'],
  folder.path,
)
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
})
try {
  const { 1: link = '' } = await server.until('stdout', /^console (\S+)\n/m)
  const page = await browser.newPage({ viewport: { width: 1100, height: 620 } })
  const take = (name: string) => page.screenshot({ path: join(root, `docs/pictures/${name}.png`) })
  await page.goto(link)
  await page.getByLabel('Address of a page').fill(`${site.url}/category/pens`)
  await page.keyboard.press('Enter')
  const choose = page.getByRole('button', { name: 'Choose rows and columns' })
  await choose.waitFor()
  await page.waitForLoadState('networkidle')
  await take('table')
  await choose.click()
  await page.frameLocator('iframe').locator('h1').waitFor()
  await page.waitForLoadState('networkidle')
  await take('console')
} finally {
  await browser.close()
  server.child.kill('SIGTERM')
  await server.ended
  await site.close()
  folder.remove()
}
