import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startShop } from '../../examples/demo/shop.ts'
import type { Shop } from '../../examples/demo/shop.ts'
import { root } from '../support/sources/sources.ts'
import { openChromium } from './chromium.ts'
import type { Visit } from './chromium.ts'
import { writeRecipe } from './console-world.ts'

// People who point at a page: a newcomer with the mouse, one with the keyboard alone, and a page that
// tries to get out of its frame. The command is the built one.
let shop: Shop
let hostile: Server
let folder: string
let server: ChildProcess
let visit: Visit
let base = ''
const paths: string[] = []

const HOSTILE = `<!doctype html><title>Trap</title>
<base href="/elsewhere/" target="_top"><meta http-equiv="refresh" content="0;url=/refreshed">
<style>@import url(/import.css);h1{background:url(/style.png);color:red}
.over{position:fixed;inset:0;background:url(/over.png);z-index:9999}</style>
<link rel="stylesheet" href="/sheet.css"><script src="/script.js"></script>
<script>top.ran = true</script><h1 onclick="top.ran = true">Trap</h1>
<img src="/picture.png" onerror="top.ran = true" srcset="/set.png 2x" name="querySelector">
<iframe src="/frame.html"></iframe><iframe srcdoc="<script>top.ran = true</script>"></iframe>
<object data="/object.swf"></object><embed src="/embed.swf"><video src="/video.mp4" autoplay></video>
<form action="/form"><input autofocus onfocus="top.ran = true" name="x"><button>Go</button></form>
<a id="out" href="javascript:top.ran = true">Script</a> <a href="/left" target="_top">Leave</a>
<svg><image href="/svg.png"/><use href="/use.svg#a"/><style>@import url(/svg.css)</style>
<script>top.ran = true</script></svg><noscript><img src="/noscript.png"></noscript>
<p style="background:url(/inline.png)">Text</p><div class="over"></div>
<template><img src=/template.png onerror="top.ran = true"></template>
<math><mtext></p><style><!--</style><img title="--&gt;&lt;img src=/mutated.png onerror=top.ran=1&gt;"></math>`

beforeAll(async () => {
  shop = await startShop()
  hostile = createServer((request, response) => {
    paths.push(request.url ?? '')
    response.writeHead(request.url === '/robots.txt' ? 404 : 200, { 'content-type': 'text/html' })
    response.end(HOSTILE)
  })
  await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve))
  folder = await mkdtemp(join(tmpdir(), 'seine-builder-'))
  server = spawn(
    process.execPath,
    [
      'dist/command/main.js',
      'serve',
      '--port',
      '0',
      '--data',
      folder,
      '--allow-private-network',
      '--no-rate-limit',
    ],
    { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const link = await printedLink(server)
  visit = await openChromium({ viewport: { width: 1280, height: 800 } })
  await visit.page.goto(link)
  await visit.page.getByLabel('Address of a page').waitFor()
  base = visit.page.url()
})

afterAll(async () => {
  await visit.close()
  const exited = new Promise((resolve) => server.once('exit', resolve))
  server.kill()
  await exited
  await shop.close()
  await new Promise((resolve) => hostile.close(resolve))
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

/** Takes a picture of the screen if `PICTURES` names a folder. */
async function picture(name: string): Promise<void> {
  const to = process.env['PICTURES']
  if (to === undefined) return
  for (const scheme of ['light', 'dark'] as const)
    for (const width of [1280, 390]) {
      await visit.page.emulateMedia({ colorScheme: scheme })
      await visit.page.setViewportSize({ width, height: width === 390 ? 844 : 800 })
      await visit.page.screenshot({
        path: join(to, `${name}-${scheme}-${width}.png`),
        fullPage: true,
      })
    }
  await visit.page.setViewportSize({ width: 1280, height: 800 })
}

async function show(address: string): Promise<void> {
  const { page } = visit
  await page.goto(base)
  await page.getByLabel('Address of a page').fill(address)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Choose rows and columns' }).waitFor()
}

const framed = () => visit.page.frameLocator('iframe')

/** Clicks where an element of the kept page is: the layer over the frame takes the click. */
async function pointAt(selector: string, nth = 0): Promise<void> {
  const { page } = visit
  const element = framed().locator(selector).nth(nth)
  await element.scrollIntoViewIfNeeded()
  const box = await element.boundingBox()
  if (!box) throw new Error(`${selector} is not seen`)
  await page.mouse.click(box.x + box.width / 2, box.y + Math.min(8, box.height / 2))
  await page.getByRole('region', { name: 'What you pointed at' }).waitFor()
}

/** Opens the list of pens in the builder, at its columns, with the buttons that remove them. */
async function openColumns() {
  const { page } = visit
  await show(`${shop.url}/category/pens`)
  await page.getByRole('button', { name: 'Choose rows and columns' }).click()
  await framed().locator('.product-link').first().waitFor()
  await page.getByRole('tab', { name: 'Columns' }).click()
  await page.getByRole('listitem').first().waitFor()
  const removers = page.getByRole('button', { name: /^Remove/ })
  return { removers, before: await removers.count() }
}

it('a newcomer with a mouse comes from an address to a saved task that has run', async () => {
  const { page } = visit
  await show(`${shop.url}/category/pens`)
  await picture('start')
  await page.getByRole('button', { name: 'Choose rows and columns' }).click()
  await framed().locator('body').waitFor()
  await page.getByRole('tab', { name: 'Columns' }).click()
  await page.getByRole('listitem').first().waitFor()
  // The proposal is removed, and the columns are chosen by hand.
  for (let left = await page.getByRole('button', { name: /^Remove/ }).count(); left > 0; left--)
    await page
      .getByRole('button', { name: /^Remove/ })
      .first()
      .click()
  await page.getByText('No columns yet').waitFor()
  await pointAt('.price', 1)
  await picture('pointed')
  await page
    .getByRole('button', { name: /^Make a table of \d+ rows/ })
    .first()
    .click()
  await page.getByText(/filled, 100 %/).waitFor()
  await picture('columns')
  await page.getByRole('tab', { name: 'Table' }).click()
  await page.getByRole('columnheader', { name: 'price' }).waitFor()
  // The table of the one row that was pointed at stays until the rows have been read.
  await expect.poll(() => page.getByRole('row').count()).toBeGreaterThan(5)
  await picture('builder')
  await page.getByRole('button', { name: 'Run now' }).click()
  await page.getByText('The run is done').waitFor()
  // A reload loses nothing.
  await page.reload()
  await page.getByRole('columnheader', { name: 'price' }).waitFor()
  const origin = new URL(base).origin
  expect(
    visit.requests.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('about:')),
  ).toEqual([])
  expect(visit.complaints).toEqual([])
})

it('a list is joined with the pages behind its links by pointing alone', async () => {
  const { page } = visit
  const { before } = await openColumns()
  await pointAt('.product-link', 1)
  await page.getByRole('button', { name: /^Open this link for each row/ }).click()
  await page.getByText('This is the page behind a row').waitFor()
  await framed().locator('.sku').waitFor()
  expect(await page.getByText('It comes from the list').count()).toBe(before)
  await pointAt('.sku')
  await page.getByRole('button', { name: /^Add as column/ }).click()
  await page.getByRole('tab', { name: 'Table' }).click()
  await page.getByRole('columnheader', { name: 'sku' }).waitFor()
  await page
    .getByRole('cell', { name: /^PN-12\d$/ })
    .first()
    .waitFor()
  // A row has the values of the list and those of its own page.
  const row = page.getByRole('row').filter({ hasText: 'PN-121' })
  expect(await row.textContent()).toContain('Fountain pen in matte black')
  await picture('details')

  // The list can be pointed at again. What is added there is carried to the rows.
  await page.getByRole('combobox', { name: 'Page' }).selectOption({ index: 0 })
  await page.getByText('Click on a value in one of the rows').waitFor()
  await page.reload()
  await page.getByRole('columnheader', { name: 'sku' }).waitFor()
  await page.getByRole('button', { name: 'Run now' }).click()
  await page.getByText('The run is done').waitFor()
  expect(visit.complaints).toEqual([])
})

it('the keyboard alone is enough to build a recipe', async () => {
  const { page } = visit
  await show(`${shop.url}/category/pens`)
  await page.getByRole('button', { name: 'Choose rows and columns' }).focus()
  await page.keyboard.press('Enter')
  const layer = page.getByRole('application')
  await framed().locator('h1, h2').first().waitFor()
  await layer.focus()
  for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key)
  await page.getByRole('region', { name: 'What you pointed at' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('region', { name: 'What you pointed at' }).waitFor({ state: 'detached' })
  await page.getByRole('tab', { name: 'Table' }).focus()
  await page.keyboard.press('ArrowLeft')
  await page.getByLabel('Recipe as JSON').waitFor()
  await writeRecipe(page, '{')
  await page.getByRole('alert').filter({ hasText: /JSON/ }).waitFor()
  const recipe = {
    start: { urls: [`${shop.url}/category/pens`] },
    extract: { fields: { top: 'h1' } },
  }
  await writeRecipe(page, JSON.stringify(recipe))
  await page.getByRole('tab', { name: 'JSON' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.getByRole('columnheader', { name: 'top' }).waitFor()
  await page.getByRole('button', { name: 'Undo' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('columnheader', { name: 'top' }).waitFor({ state: 'detached' })
  await page.getByLabel('Name of the task').fill('By keys')
  await page.keyboard.press('Enter')
  await page.getByText('Saved as').waitFor()
  expect(visit.complaints).toEqual([])
})

/** Holds the calls to a path until they are let go. */
async function hold(path: string): Promise<{ held: Promise<void>; letGo: () => Promise<void> }> {
  const { page } = visit
  const met = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  await page.route(path, async (route) => {
    met.resolve()
    await gate.promise
    await route.continue()
  })
  const letGo = async () => {
    const answered = page.waitForResponse(path)
    gate.resolve()
    await (await answered).finished()
    await page.unroute(path)
  }
  return { held: met.promise, letGo }
}

it('a recipe that is edited while it is saved is not the saved one', async () => {
  const { page } = visit
  const { removers, before } = await openColumns()
  const { held, letGo } = await hold('**/api/v1/tasks')
  await page.getByRole('button', { name: 'Save as task' }).click()
  await held
  await removers.last().click()
  await expect.poll(() => removers.count()).toBe(before - 1)
  await letGo()
  await expect.poll(() => new URL(page.url()).searchParams.get('task')).not.toBeNull()
  expect(await page.getByText('Saved as').count()).toBe(0)
  // A run is one of the edited recipe, which is saved first.
  const saving = page.waitForRequest((request) => request.method() === 'PATCH')
  await page.getByRole('button', { name: 'Run now' }).click()
  const { recipe } = (await saving).postDataJSON()
  expect(Object.keys(recipe.extract.fields)).toHaveLength(before - 1)
  await page.getByText('Saved as').waitFor()
  await page.getByText('The run is done').waitFor()
  // A saved recipe is saved again after an edit, and is the saved one if the edit is taken back.
  await removers.last().click()
  await page.getByText('Saved as').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Saved as').waitFor()
  expect(visit.complaints).toEqual([])
})

it('a choice does nothing after a cancel, and leaves an edit as it is', async () => {
  const { page } = visit
  const { removers, before } = await openColumns()
  const opens = page.getByRole('button', { name: /^Open this link for each row/ })
  await pointAt('.product-link', 1)
  await opens.waitFor()
  /** Pages that are fetched for the draft. */
  let fetches = 0
  page.on('request', (request) => {
    if (request.postData()?.includes('"keep":true')) fetches++
  })
  const cancelled = await hold('**/api/v1/snapshots/*/candidates')
  await opens.click()
  await cancelled.held
  await page.keyboard.press('Escape')
  await cancelled.letGo()
  await pointAt('.product-link', 1)
  await opens.waitFor()
  expect(fetches).toBe(0)
  const edited = await hold('**/api/v1/snapshots/*/candidates')
  await opens.click()
  await edited.held
  await removers.last().click()
  await expect.poll(() => removers.count()).toBe(before - 1)
  await edited.letGo()
  await page.getByText('This is the page behind a row').waitFor()
  await expect.poll(() => page.getByText('It comes from the list').count()).toBe(before - 1)
  expect(fetches).toBe(1)
  expect(visit.complaints).toEqual([])
})

it('nothing of a hostile page runs or leaves its frame, and the browser loads nothing for it', async () => {
  const { page } = visit
  const { port } = hostile.address() as { port: number }
  await show(`http://127.0.0.1:${port}/trap`)
  const before = visit.requests.length
  await page.getByRole('button', { name: 'Choose rows and columns' }).click()
  await framed().getByText('Text').waitFor()
  // The layer of the hostile page is at that place.
  await page.getByRole('application').click()
  await page.getByRole('region', { name: 'What you pointed at' }).waitFor()
  expect(await page.evaluate(() => 'ran' in window)).toBe(false)
  expect(new URL(page.url()).origin).toBe(new URL(base).origin)
  expect(page.frames()).toHaveLength(2)
  const own = new URL(base).origin
  expect(
    visit.requests
      .slice(before)
      .filter((url) => !url.startsWith(`${own}/`) && url !== 'about:srcdoc'),
  ).toEqual([])
  // The server asks for the files that the page names. The browser asks for nothing.
  expect([...new Set(paths)].toSorted()).toEqual([
    '/picture.png',
    '/robots.txt',
    '/sheet.css',
    '/trap',
  ])
  expect(visit.complaints).toEqual([])
  await picture('hostile')
})

it('the builder fits 390 pixels', async () => {
  const { page } = visit
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
})

it('a recipe that is half typed as JSON leaves the builder usable, also after a reload', async () => {
  const { page } = visit
  await page.setViewportSize({ width: 1280, height: 800 })
  await show(`${shop.url}/category/pens`)
  await page.getByRole('button', { name: 'Choose rows and columns' }).click()
  await page.getByRole('tab', { name: 'JSON' }).click()
  for (const typed of [
    { follow: [''] },
    { follow: [1] },
    { follow: {} },
    { extract: null },
    { page: { render: 'browser', actions: {} } },
    { page: { actions: [null, { click: {} }] } },
    { extract: { fields: { a: null } } },
  ]) {
    await writeRecipe(page, JSON.stringify(typed))
    await page.getByRole('tab', { name: 'Columns' }).click()
    await page.reload()
    await page.getByRole('tab', { name: 'JSON' }).click()
    await page.getByLabel('Recipe as JSON').waitFor()
  }
  await page.getByRole('tab', { name: 'Columns' }).click()
  await page.getByText('null', { exact: true }).waitFor()
  expect(visit.complaints.filter((text) => !/status of 4(?:00|22)/.test(text))).toEqual([])
})
