import { beforeAll, describe, expect, it } from 'vitest'
import { compileRecipe } from '../../../../src/engine/plan/compile.ts'
import { parseRecipe } from '../../../../src/engine/recipe/parse-recipe.ts'
import { detect } from '../../../../src/engine/extract/auto.ts'
import { preparePage } from '../../../../src/engine/extract/document/prepare-page.ts'
import { contentKind } from '../../../../src/engine/extract/page/content-type.ts'
import { loadRegexEngine } from '../../../../src/engine/extract/value/linear-regex.ts'
import type { Json } from '../../../../src/kernel/json.ts'
import type { PageResult } from '../../../../src/ports/page-processor.ts'
import { cpuMs } from '../../../support/cpu-ms.ts'

await loadRegexEngine()
const URL_OF_IT = 'https://a.example/data/pens.csv'
const PENS =
  'Name,Price,In stock,Page,Since\r\nBall,"1,50",yes,/pens/ball,2025-01-05\r\n' +
  '"Pen, blue",2.50,,https://b.example/blue,2025-02-06\r\n'
const bytes = (body: string | Uint8Array): Uint8Array =>
  typeof body === 'string' ? new TextEncoder().encode(body) : body
const pageOf = (body: string | Uint8Array, contentType = 'text/csv', url = URL_OF_IT) => ({
  url,
  contentType,
  body: bytes(body),
})
const run = (parts: object, page = pageOf(PENS)): PageResult =>
  compileRecipe(parseRecipe({ start: { urls: [URL_OF_IT] }, ...parts })).process(page, {
    label: 'start',
    depth: 0,
    hop: 1,
  })
const rows = (extract: object, page = pageOf(PENS)) => run({ extract }, page).rows

describe('a page of CSV', () => {
  beforeAll(async () => void (await preparePage(pageOf(PENS))))

  it('is a list of objects', () => {
    const fields = {
      name: '$.Name',
      price: { json: '$.Price', as: 'number' },
      stock: { json: "$['In stock']", as: 'boolean' },
      page: { json: '$.Page', as: 'url' },
      since: { json: '$.Since', as: 'date' },
      source: { url: true },
      word: { json: '$.Name', regex: '^\\w+' },
    }
    expect(rows({ items: '$[*]', fields })).toEqual([
      {
        name: 'Ball',
        price: 1.5,
        stock: true,
        page: 'https://a.example/pens/ball',
        since: '2025-01-05',
        source: URL_OF_IT,
        word: 'Ball',
      },
      {
        name: 'Pen, blue',
        price: 2.5,
        stock: null,
        page: 'https://b.example/blue',
        since: '2025-02-06',
        source: URL_OF_IT,
        word: 'Pen',
      },
    ])
    expect(rows({ items: "$[?@['In stock']=='yes']", fields: { name: '$.Name' } })).toEqual([
      { name: 'Ball' },
    ])
  })

  it('can also be one row, and a text', () => {
    expect(
      rows({
        fields: {
          names: { json: '$[*].Name', many: true },
          first: '$[0].Price',
          dates: { regex: '\\d{4}-\\d\\d-\\d\\d', many: true },
          none: 'td',
        },
      }),
    ).toMatchObject([{ names: ['Ball', 'Pen, blue'], first: '1,50', none: null }])
    expect(run({ formats: ['text', 'markdown', 'links', 'metadata', 'html'] }).rows).toEqual([
      {
        url: URL_OF_IT,
        text: PENS.trim(),
        markdown: PENS.trim(),
        links: [],
        metadata: null,
        html: null,
      },
    ])
    expect(rows({ items: 'tr', fields: { name: 'td' } })).toEqual([])
    expect(rows({ fields: { name: 'td' } })).toEqual([])
  })

  it('links to the pages that it lists', () => {
    expect(run({ follow: [{ links: '$[*].Page', as: 'pen' }] }).links).toEqual([
      { url: 'https://a.example/pens/ball', label: 'pen', depth: 1, hop: 1 },
      { url: 'https://b.example/blue', label: 'pen', depth: 1, hop: 1 },
    ])
    expect(run({ crawl: { scope: 'any' } }).links).toEqual([])
  })

  it('is extracted whole if the recipe leaves its fields to the page', () => {
    const proposal = detect(pageOf(PENS))
    expect(proposal).toEqual({
      kind: 'table',
      reason: 'The document is a list of records.',
      extract: {
        items: '$[*]',
        fields: {
          Name: '$.Name',
          Price: '$.Price',
          'In stock': "$['In stock']",
          Page: '$.Page',
          Since: { json: '$.Since', as: 'date' },
        },
      },
      confidence: 0.95,
    })
    const typed = detect(
      pageOf(
        `id,price,"it's",link\n0012,"1,299.00",x,https://a.example/1\n0013,5,y,https://a.example/2\n`,
      ),
    )
    expect(typed.extract.fields).toEqual({
      id: '$.id',
      price: { json: '$.price', as: 'number' },
      "it's": "$['it\\'s']",
      link: { json: '$.link', as: 'url' },
    })
    expect(run({ extract: 'auto' }).rows).toEqual([
      { Name: 'Ball', Price: '1,50', 'In stock': 'yes', Page: '/pens/ball', Since: '2025-01-05' },
      {
        Name: 'Pen, blue',
        Price: '2.50',
        'In stock': null,
        Page: 'https://b.example/blue',
        Since: '2025-02-06',
      },
    ])
    for (const items of [':auto', ':auto(table)']) expect(rows({ items })).toHaveLength(2)
    expect(rows({ items: ':auto', fields: { Name: 'h2' } })).toEqual([])
    expect(detect(pageOf('name,price\n'))).toMatchObject({ kind: 'page', confidence: 0 })
  })

  it('may have more rows than a list of JSON would give to a field', () => {
    const many = `n\n${Array.from({ length: 30_000 }, (_, index) => `r${index}`).join('\n')}`
    const begin = cpuMs()
    expect(rows({ items: '$[*]', fields: { n: '$.n' } }, pageOf(many))).toHaveLength(30_000)
    expect(cpuMs() - begin).toBeLessThan(3_000)
  })

  it.each<[string, string | Uint8Array, string, Json]>([
    ['UTF-8 with a byte order mark', '\ufeffa,b\né,2', 'text/csv', { a: 'é', b: '2' }],
    [
      'UTF-16, as Excel has it',
      Buffer.from('\ufeffa\tb\r\né\t2', 'utf16le'),
      'text/csv',
      { a: 'é', b: '2' },
    ],
    [
      'UTF-16 without a type',
      Buffer.from('\ufeffa\tb\r\né\t2', 'utf16le'),
      'application/octet-stream',
      { a: 'é', b: '2' },
    ],
    [
      'a charset that the header names',
      Uint8Array.of(0x61, 0x0a, 0xa4),
      'text/csv; charset=iso-8859-15',
      { a: '€' },
    ],
    ['windows-1252 where nothing is said', Uint8Array.of(0x61, 0x0a, 0x80), 'text/csv', { a: '€' }],
    ['header=absent', 'a\nb', 'text/csv; header=absent', { c1: 'a' }],
    ['header=present', '1\n2', 'text/csv; charset=utf-8; header="present"', { 1: '2' }],
    ['tabs', 'a,b\tc\n1\t2', 'text/tab-separated-values', { 'a,b': '1', c: '2' }],
  ])('%s', (_, body, type, first) =>
    expect(rows({ items: '$[*]', fields: { row: '$' } }, pageOf(body, type))[0]).toEqual({
      row: first,
    }),
  )
})

describe('JSON Lines', () => {
  beforeAll(async () => void (await preparePage(pageOf(PENS))))
  const lines = (body: string) =>
    rows({ items: '$[*]', fields: { row: '$' } }, pageOf(body, 'application/x-ndjson')).map(
      ({ row }) => row,
    )

  it('are read as a list of documents', () => {
    expect(lines('{"a":1}\r\n\n[2]\n"three"\n{"b":')).toEqual([{ a: 1 }, [2], 'three'])
    expect(lines('{"a":1}')).toEqual([{ a: 1 }])
    expect(lines('')).toEqual([])
    expect(lines('nothing\nof the kind')).toEqual([])
  })

  it('may turn out to be one document', () =>
    expect(rows({ fields: { a: '$.a' } }, pageOf('{\n  "a": 1\n}', 'application/jsonl'))).toEqual([
      { a: 1 },
    ]))

  it('are proposed with their members, and shown as formatted JSON', () => {
    const page = pageOf(
      '{"name":"Ball","price":1.5,"tags":["x"]}\n{"name":"Cup","link":"https://a.example/cup"}',
      'application/jsonl',
    )
    expect(detect(page)).toMatchObject({
      kind: 'table',
      extract: {
        items: '$[*]',
        fields: {
          name: '$.name',
          price: '$.price',
          tags: '$.tags',
          link: { json: '$.link', as: 'url' },
        },
      },
    })
    expect(run({ formats: ['markdown'] }, page).rows[0]?.['markdown']).toMatch(
      /^```json\n\{"name":"Ball"/,
    )
  })

  it.each([
    ['lines that are not JSON', '\n{'.repeat(500_000)],
    ['depth', `${'['.repeat(500_000)}\n`.repeat(2)],
    ['one line', `{"a":"${'x'.repeat(1_000_000)}"}`],
    ['short lines', '1\n'.repeat(500_000)],
    [
      'names of members that every object has',
      '{"__proto__":{"x":1},"constructor":2}\n'.repeat(20_000),
    ],
  ])('are read in time proportional to their size: %s', (_, body) => {
    const begin = cpuMs()
    rows({ items: '$[*]', fields: { row: '$' } }, pageOf(body, 'application/x-ndjson'))
    detect(pageOf(body, 'application/x-ndjson'))
    expect(cpuMs() - begin).toBeLessThan(4_000)
    expect({}).not.toHaveProperty('x')
  })
})

describe('the type of a body', () => {
  const urlOf = (ending: string) => `https://a.example/x${ending}`
  it.each<[string, string, string, string]>([
    ['text/csv; header=present', 'a', '', 'csv'],
    ['application/csv', 'a', '', 'csv'],
    ['text/tab-separated-values', 'a', '', 'csv'],
    ['text/csv', '<p>', '.html', 'csv'],
    ['application/vnd.ms-excel', 'a;b', '', 'csv'],
    ['application/vnd.ms-excel', '<table>', '', 'html'],
    ['application/vnd.ms-excel', '\u00d0\u00cf\u0011\u0000', '.xls', 'other'],
    ['text/plain', 'a', '.csv', 'csv'],
    ['text/plain', 'a', '.TSV?x=1', 'csv'],
    ['text/plain', 'a', '.txt', 'text'],
    ['text/plain', 'a', '.csv.txt', 'text'],
    ['text/plain', '<p>', '', 'text'],
    ['text/markdown', '# a', '.md', 'text'],
    ['application/octet-stream', 'a', '.csv', 'csv'],
    ['', 'a', '.tab', 'csv'],
    ['binary/octet-stream', 'a', '.ndjson', 'lines'],
    ['application/octet-stream', '{}', '.jsonl', 'lines'],
    ['application/octet-stream', '\u0000', '.csv', 'other'],
    ['application/octet-stream', '<p>', '.csv', 'html'],
    ['application/x-ndjson', '', '', 'lines'],
    ['application/jsonl', '', '', 'lines'],
    ['application/json', '{}', '.ndjson', 'lines'],
    ['application/json', '{}', '.json', 'json'],
    ['text/html', 'a', '.csv', 'html'],
    ['application/json', '[1]', '.csv', 'json'],
  ])('%s with %j at %s is %s', (type, body, ending, kind) =>
    expect(contentKind(type, bytes(body), urlOf(ending))).toBe(kind),
  )
})
