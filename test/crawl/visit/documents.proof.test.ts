import { expect, onTestFinished, test } from 'vitest'
import type { Json } from '../../../src/kernel/json.ts'
import { makeDocx, makeXlsx, sheetRows } from '../../support/fakes/make-office.ts'
import { makePdf } from '../../support/fakes/make-pdf.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'
import type { World } from '../../support/worlds/world.ts'
import type { Answer } from '../../support/fakes/fake-web.ts'

const SITE = 'https://shop.example.com'
const typed = (type: string, body: string | Uint8Array): Answer => ({
  headers: { 'content-type': type },
  body,
})

async function run(
  pages: Record<string, Answer>,
  recipe: Json,
): Promise<World & { readonly id: string }> {
  const world = createWorld(pages)
  onTestFinished(() => world.platform.close())
  const id = await world.start(recipe)
  await world.work()
  return { ...world, id }
}

test('the pages that a CSV file lists are visited, at the usual price of pages', async () => {
  const world = await run(
    {
      [`${SITE}/pens.csv`]: typed('text/csv', 'sku;address\n1;/pens/1\n2;/pens/2\n3;/gone\n'),
      [`${SITE}/pens/1`]: '<h1>Ball</h1>',
      [`${SITE}/pens/2`]: '<h1>Gel</h1>',
    },
    {
      start: { urls: [`${SITE}/pens.csv`] },
      follow: [{ links: '$[*].address', as: 'pen' }],
      extract: { on: 'pen', fields: { name: 'h1', list: { page: 'foundOn' } } },
    },
  )
  expect(await world.rows(world.id)).toEqual([
    { name: 'Ball', list: `${SITE}/pens.csv` },
    { name: 'Gel', list: `${SITE}/pens.csv` },
  ])
  expect(
    (await world.receipt(world.id)).map(({ url, outcome }) => [url.slice(SITE.length), outcome]),
  ).toEqual([
    ['/pens.csv', 'fetched'],
    ['/pens/1', 'fetched'],
    ['/pens/2', 'fetched'],
    ['/gone', 'failed'],
  ])
  expect(await world.read(world.id)).toMatchObject({ status: 'succeeded', cost: { credits: 3 } })
})

test('rows come from CSV, JSON Lines and text, and the receipt names the types', async () => {
  const world = await run(
    {
      [`${SITE}/a.csv`]: typed('text/plain', 'name,price\n"Ball, blue",1.50\n'),
      [`${SITE}/b.jsonl`]: typed('application/octet-stream', '{"name":"Gel","price":2}\n'),
      [`${SITE}/c.txt`]: typed('text/plain', 'name: Nib\nprice: 3\n'),
    },
    {
      start: { urls: ['a.csv', 'b.jsonl', 'c.txt'].map((name) => `${SITE}/${name}`) },
      extract: {
        items: '$[*]',
        fields: {
          name: '$.name',
          price: { json: '$.price', as: 'number' },
          type: { page: 'contentType' },
        },
      },
    },
  )
  expect(await world.rows(world.id)).toEqual([
    { name: 'Ball, blue', price: 1.5, type: 'text/plain' },
    { name: 'Gel', price: 2, type: 'application/octet-stream' },
  ])
  expect((await world.receipt(world.id)).map(({ outcome }) => outcome)).toEqual([
    'fetched',
    'fetched',
    'fetched',
  ])
})

const LOCKED =
  '/Encrypt << /Filter /Standard /V 1 /R 2 /O (12345678901234567890123456789012) /U ' +
  '(12345678901234567890123456789012) /P -44 >> /ID [(1234567890123456) (1234567890123456)]'
const pdf = (body: string | Uint8Array): Answer => typed('application/pdf', body)

/**
 * PDFs are read by threads, in real time, while the clock of the world stands still. Each page has
 * a host of its own, so that no page waits.
 */
async function runInTime(
  pages: Record<string, Answer>,
  recipe: object,
  world = createWorld(pages),
): Promise<World & { readonly id: string }> {
  onTestFinished(() => world.platform.close())
  const id = await world.start({ start: { urls: Object.keys(pages) }, ...recipe })
  await world.platform.worker.tick()
  return { ...world, id }
}

test('PDFs are pages; a PDF that cannot be read fails with the reason and costs nothing', async () => {
  const pages = {
    'https://a.example.com/report.pdf': pdf(
      makePdf([['Ink sells'], ['Paper does too']], { info: { Title: 'Report' } }),
    ),
    'https://b.example.com/download': typed('application/octet-stream', makePdf([['No name']])),
    'https://c.example.com/scan.pdf': pdf(makePdf([[]])),
    'https://d.example.com/locked.pdf': pdf(makePdf([['Secret']], { trailer: LOCKED })),
    'https://e.example.com/broken.pdf': pdf('%PDF-1.7 and nothing more'),
  }
  const world = await runInTime(pages, {
    formats: ['text'],
    extract: { failed: true, fields: { title: '$.title', error: { page: 'error' } } },
  })
  expect(
    (await world.receipt(world.id)).map(({ url, outcome, code }) => [
      url.slice(8, 9),
      outcome,
      code,
    ]),
  ).toEqual([
    ['a', 'fetched', null],
    ['b', 'fetched', null],
    ['c', 'fetched', null],
    ['d', 'failed', 'pdf_encrypted'],
    ['e', 'failed', 'pdf_malformed'],
  ])
  const rows = await world.rows(world.id)
  expect(rows.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))).toEqual(
    [
      { title: 'Report', error: null, text: 'Ink sells\n\fPaper does too' },
      { title: null, error: null, text: 'No name' },
      { title: null, error: null, text: null },
      { title: null, error: 'The page could not be read: it is a PDF that is damaged', text: null },
      {
        title: null,
        error: 'The page could not be read: it is a PDF that needs a password',
        text: null,
      },
    ].toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
  )
  expect(await world.read(world.id)).toMatchObject({ status: 'succeeded', cost: { credits: 3 } })
})

test('documents over the budget of their page give what was read until then, with the reason', async () => {
  const pdfUrl = 'https://a.example.com/report.pdf'
  const docxUrl = 'https://b.example.com/report.docx'
  const pages = {
    [pdfUrl]: pdf(makePdf(Array.from({ length: 60 }, (_, index) => [`Page ${index + 1}`]))),
    [docxUrl]: typed('application/octet-stream', await makeDocx('<w:p/>'.repeat(20_000))),
  }
  const plan = { id: 'little', name: 'Little', creditsPerMonth: 1_000, page: { steps: 400_000 } }
  const world = await runInTime(
    pages,
    { extract: { items: '$.pages[*]', fields: { text: '$.text' } } },
    createWorld(pages, { billing: { plans: [plan] } }),
  )
  const receipt = await world.platform.api.executions.pages(OWNER, world.id, { limit: 10 })
  expect(
    receipt.items.map(({ url, outcome, reason }) => [url, outcome, reason?.code, reason?.message]),
  ).toEqual([
    [
      pdfUrl,
      'fetched',
      'page_too_costly',
      expect.stringContaining('more than 200,000 steps of work at document'),
    ],
    [
      docxUrl,
      'failed',
      'page_too_costly',
      'The page used up its 200,000 steps of work at document',
    ],
  ])
  const rows = await world.rows(world.id)
  expect(rows.length).toBeGreaterThan(10)
  expect(rows[0]).toEqual({ text: 'Page 1' })
})

test('a recipe of selectors reads no PDF, so a damaged PDF does not disturb it', async () => {
  const world = await runInTime(
    {
      'https://e.example.com/broken.pdf': pdf('%PDF-1.7 and nothing more'),
      'https://a.example.com/': '<h1>Pens</h1>',
    },
    { extract: { fields: { title: 'h1' } } },
  )
  expect(await world.rows(world.id)).toEqual([{ title: 'Pens' }])
  expect((await world.receipt(world.id)).map(({ outcome }) => outcome)).toEqual([
    'fetched',
    'fetched',
  ])
})

test('a kept PDF is read again by another recipe', async () => {
  const world = await runInTime(
    { 'https://a.example.com/report.pdf': pdf(makePdf([['Ink sells'], ['Paper does too']])) },
    { page: { keep: true }, formats: ['text'] },
  )
  const again = await world.platform.api.executions.extract(OWNER, world.id, {
    recipe: { extract: { items: '$.pages[*]', fields: { text: '$.text' } }, formats: null },
  })
  await world.platform.worker.tick()
  expect(await world.rows(again.id)).toEqual([{ text: 'Ink sells' }, { text: 'Paper does too' }])
  expect(await world.read(again.id)).toMatchObject({ status: 'succeeded', cost: { credits: 0 } })
})

test('a preview reads PDFs, and proposes what to take from one', async () => {
  const url = 'https://a.example.com/report.pdf'
  const world = createWorld({ [url]: pdf(makePdf([['Ink sells']], { info: { Title: 'Report' } })) })
  onTestFinished(() => world.platform.close())
  const preview = await world.platform.api.previews.run(OWNER, {
    recipe: { start: { urls: [url] }, extract: 'auto' },
    scope: 'recipe',
  })
  expect(preview.proposal).toMatchObject({ kind: 'article' })
  expect(preview.rows).toMatchObject([{ title: 'Report', text: 'Ink sells', pages: 1, url }])
})

test('links and tables of Word and Excel files are read, and kept files can be read again', async () => {
  const files = {
    ['https://a.example.com/list']: {
      headers: { 'content-type': 'application/octet-stream' },
      body: await makeDocx(
        '<w:p><w:hyperlink r:id="l"><w:r><w:t>Prices</w:t></w:r></w:hyperlink></w:p>',
        { links: { l: 'https://b.example.com/prices.xlsx' } },
      ),
    },
    ['https://b.example.com/prices.xlsx']: {
      headers: {
        'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      },
      body: await makeXlsx([
        {
          name: 'Pens',
          rows: sheetRows([
            ['Name', 'Price'],
            ['Pen', 2.5],
            ['Ink', 4],
          ]),
        },
      ]),
    },
  }
  const world = await runInTime(files, {
    start: { urls: ['https://a.example.com/list'] },
    follow: [{ links: 'a', as: 'file' }],
    page: { keep: true },
    extract: {
      on: 'file',
      items: '$.tables[*].rows[*]',
      fields: { name: '$.Name', price: '$.Price' },
    },
  })
  expect(await world.rows(world.id)).toEqual([
    { name: 'Pen', price: 2.5 },
    { name: 'Ink', price: 4 },
  ])
  const again = await world.platform.api.executions.extract(OWNER, world.id, {
    recipe: { extract: { on: 'file', items: '$.tables[*]', fields: { name: '$.name' } } },
  })
  await world.platform.worker.tick()
  expect(await world.rows(again.id)).toEqual([{ name: 'Pens' }])
})

test('an Office file that cannot be read fails with its format, at no price', async () => {
  const world = await runInTime(
    {
      'https://a.example.com/report.pdf': {
        headers: {
          'content-type': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
        },
        body: 'no archive',
      },
    },
    { formats: ['text'] },
  )
  expect(await world.read(world.id)).toMatchObject({ cost: { credits: 0 } })
  expect(await world.receipt(world.id)).toMatchObject([
    { outcome: 'failed', code: 'docx_malformed' },
  ])
})
