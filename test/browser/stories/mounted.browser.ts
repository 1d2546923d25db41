import { afterAll, beforeAll, expect, it } from 'vitest'
import { serve } from '../../../adapters/node/index.ts'
import { startShop } from '../../../examples/demo/shop.ts'
import type { Shop } from '../../../examples/demo/shop.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import type { Platform } from '../../../src/platform/options.ts'
import type { Visit } from '../chromium.ts'
import { KEY, openSignedIn } from '../console-world.ts'

// Proves that the console works where a host puts it: below a prefix, and at a path of its own.

let shop: Shop
let platform: Platform
let server: Awaited<ReturnType<typeof serve>>
let visit: Visit

beforeAll(async () => {
  shop = await startShop()
  platform = createPlatform({
    basePath: '/data',
    console: { path: '/other', title: 'Pencils' },
    allowPrivateNetwork: true,
    authenticators: [
      async ({ headers }) =>
        headers.get('x-api-key') === KEY ? { account: 'acme', user: 'ann', scopes: ['*'] } : null,
    ],
  })
  server = await serve({ fetch: platform.fetch, port: 0 })
  visit = await openSignedIn(`${server.url}/data/other`)
})
afterAll(async () => {
  await visit.close()
  await server.close()
  await platform.close()
  await shop.close()
})

it('at another path below a prefix a person comes from an address to a saved task', async () => {
  const { page, requests, complaints } = visit
  await page.getByRole('link', { name: 'Pencils' }).waitFor()
  await page.getByLabel('Address of a page').fill(`${shop.url}/category/pens`)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Choose rows and columns' }).click()
  await page.frameLocator('iframe').locator('.product-link').first().waitFor()
  await page.getByLabel('Name of the task').fill('Pens')
  await page.getByRole('button', { name: 'Save as task' }).click()
  await page.getByRole('link', { name: 'Pens' }).click()
  await page.getByRole('heading', { name: 'Pens' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Pens' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/data/other/task')
  await page.getByText('Do the same from a program').first().click()
  const curl = await page.getByRole('region', { name: 'curl' }).first().textContent()
  expect(curl).toContain(`${server.url}/data/api/v1/executions`)
  const outside = requests.filter(
    (url) => !url.startsWith(`${server.url}/data/`) && !url.startsWith('about:'),
  )
  expect(outside).toEqual([])
  expect(complaints).toEqual([])
  expect((await fetch(`${server.url}/data/console`)).status).toBe(404)
})
