import { gunzipSync } from 'node:zlib'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { describe, expect, it } from 'vitest'
import { createClient } from '../../../src/client.ts'
import { FORMAT_NAMES } from '../../../src/engine/export/formats.ts'
import { chooseColumns } from '../../../src/features/common/export-rows.ts'
import type { Row } from '../../../src/kernel/json.ts'
import { noisySegments } from '../../support/fakes/noisy-rows.ts'
import { createServiceHost } from '../../support/worlds/service-host.ts'
import { unzip } from '../../support/unzip.ts'

const rowsFrom = (from: number, count: number): Row[] =>
  Array.from({ length: count }, (_, i) => ({ title: `Thing ${from + i}`, price: from + i }))

describe('rows', () => {
  it('come a page at a time, over any segments', async () => {
    const sizes = [1, 5, 0, 3, 30, 1]
    let from = 0
    const segments = sizes.map((size) => rowsFrom((from += size) - size, size))
    const { executionWith, call } = await createServiceHost()
    const { id } = await executionWith(segments)
    for (const limit of [3, 20, 39]) {
      const titles: number[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const page: { items: { price: number }[]; columns: string[]; nextCursor: string | null } = (
          await call(
            'GET',
            `/api/v1/executions/${id}/results?limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`,
          )
        ).body.data
        expect(page.columns).toEqual(['title', 'price'])
        titles.push(...page.items.map(({ price }) => price))
        cursor = page.nextCursor
        if (cursor !== null) expect(page.items).toHaveLength(limit)
      }
      expect(titles).toEqual(Array.from({ length: 40 }, (_, i) => i))
    }
  })

  it('can be read while more are written, and a cursor continues at its place', async () => {
    const { executionWith, addSegment, call } = await createServiceHost()
    const { id } = await executionWith([rowsFrom(0, 2), rowsFrom(2, 1)])
    const read = (query: string) => call('GET', `/api/v1/executions/${id}/results?limit=2${query}`)
    const first = (await read('')).body.data
    expect(first.items).toEqual(rowsFrom(0, 2))
    expect((await read(`&cursor=${first.nextCursor}`)).body.data).toEqual({
      items: rowsFrom(2, 1),
      nextCursor: null,
      columns: ['title', 'price'],
    })
    await addSegment(id, rowsFrom(3, 4))
    const second = (await read(`&cursor=${first.nextCursor}`)).body.data
    expect(second.items).toEqual(rowsFrom(2, 2))
    expect((await read(`&cursor=${second.nextCursor}`)).body.data.items).toEqual(rowsFrom(4, 2))
  })

  it('have their provenance over HTTP, if it is known', async () => {
    const { executionWith, call } = await createServiceHost()
    const { id } = await executionWith([rowsFrom(0, 1)])
    const results = `/api/v1/executions/${id}/results`
    const unknown = { _page: null, _fetchedAt: null, _digest: null, _sources: null }
    expect((await call('GET', `${results}?provenance=true&fields=price`)).body.data).toEqual({
      items: [{ price: 0, ...unknown }],
      nextCursor: null,
      columns: ['price', ...Object.keys(unknown)],
    })
    expect((await call('GET', `${results}?provenance=false`)).body.data.items).toEqual(
      rowsFrom(0, 1),
    )
    expect((await call('GET', `${results}?provenance=yes`)).body.error.issues).toMatchObject([
      { path: 'provenance' },
    ])
  })

  it('have only the wanted fields, in the wanted order', async () => {
    const { executionWith, call } = await createServiceHost()
    const { id } = await executionWith([
      [
        { title: 'a', price: 1 },
        { title: 'b', price: null },
      ],
    ])
    const answer = await call('GET', `/api/v1/executions/${id}/results?fields=price,title`)
    expect(answer.body.data).toEqual({
      items: [
        { price: 1, title: 'a' },
        { price: null, title: 'b' },
      ],
      nextCursor: null,
      columns: ['price', 'title'],
    })
    expect(Object.keys(answer.body.data.items[0])).toEqual(['price', 'title'])
    const wrong = await call('GET', `/api/v1/executions/${id}/results?fields=price,colour,size`)
    expect([wrong.status, wrong.body.error.issues]).toEqual([
      400,
      [{ path: 'fields', message: 'unknown: colour, size; columns: title, price' }],
    ])
    expect((await call('GET', `/api/v1/executions/${id}/results?fields=price,price`)).status).toBe(
      400,
    )
    expect((await call('GET', `/api/v1/executions/${id}/results?fields=`)).status).toBe(400)
  })

  it.each([
    ['price, net', ['price, net']],
    ['name,price, net,name,first', ['name', 'price, net', 'name,first']],
    ['a,b', ['a', 'b']],
    ['a,b,c,d', ['a', 'b', 'c,d']],
    ['c,d,b', ['c,d', 'b']],
    ['name, net', null],
    ['name,first', ['name,first']],
    ['price, net,price, net', null],
    ['"a,b"', ['a,b']],
    ['a,"a,b",b', ['a', 'a,b', 'b']],
    ['"a,b,c",name,"name,first"', ['a,b,c', 'name', 'name,first']],
    ['"name","a,b"', ['name', 'a,b']],
    ['"5\\" x, 7\\""', ['5" x, 7"']],
    ['"a,b', null],
    ['"a,b",a,b,"a,b"', null],
  ])('have columns with commas in their names: %s', (fields, columns) => {
    const all = ['name', 'price, net', 'name,first', 'a', 'b', 'a,b', 'a,b,c', 'c,d', '5" x, 7"']
    const choose = () => chooseColumns(all, fields.split(','))
    if (columns === null) expect(choose).toThrow(expect.objectContaining({ status: 400 }))
    else expect(choose()).toEqual(columns)
  })

  it('are chosen by the client by names with commas, whatever other columns there are', async () => {
    const { executionWith, http, key } = await createServiceHost()
    const names = ['a', 'b', 'a,b', 'a,b,"c"']
    const fieldsOf = <T>(value: T) => Object.fromEntries(names.map((name) => [name, value]))
    const { id } = await executionWith([[fieldsOf(1)]], { fields: fieldsOf('h1') })
    const { results } = createClient({ baseUrl: 'http://host.test', apiKey: key, fetch: http })
    for (const fields of [['a,b'], ['a,b,"c"', 'b'], ['a', 'b'], ['b', 'a,b', 'a']])
      expect(Object.keys((await results.list(id, { fields })).items[0] ?? {})).toEqual(fields)
  })

  it('refuse a cursor of other fields', async () => {
    const { executionWith, call } = await createServiceHost()
    const { id } = await executionWith([rowsFrom(0, 3)])
    const { nextCursor } = (await call('GET', `/api/v1/executions/${id}/results?limit=1`)).body.data
    expect(
      (await call('GET', `/api/v1/executions/${id}/results?fields=title&cursor=${nextCursor}`))
        .status,
    ).toBe(400)
  })
})

describe.each(['export', 'download'])('%s', (name) => {
  it.each([
    [
      '',
      'text/csv; charset=utf-8; header=present',
      'csv',
      'title,price\r\nThing 0,0\r\nThing 1,1\r\n',
    ],
    [
      '?format=csv&fields=price',
      'text/csv; charset=utf-8; header=present',
      'csv',
      'price\r\n0\r\n1\r\n',
    ],
    [
      '?format=jsonl',
      'application/x-ndjson',
      'jsonl',
      '{"title":"Thing 0","price":0}\n{"title":"Thing 1","price":1}\n',
    ],
    [
      '?format=json',
      'application/json',
      'json',
      '[\n{"title":"Thing 0","price":0},\n{"title":"Thing 1","price":1}\n]',
    ],
  ])('an export as %s is a file', async (query, type, extension, text) => {
    const { executionWith, send } = await createServiceHost()
    const { id } = await executionWith([rowsFrom(0, 1), rowsFrom(1, 1)], { name: 'My shop' })
    const response = await send('GET', `/api/v1/executions/${id}/results/${name}${query}`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe(type)
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="My-shop-${id}.${extension}"; filename*=UTF-8''My-shop-${id}.${extension}`,
    )
    expect(response.headers.get('x-request-id')).toMatch(/^req_/)
    expect(await response.text()).toBe(text)
  })

  it.each([
    ['csv', 'title,price\r\n'],
    ['jsonl', ''],
    ['json', '[]'],
  ])('of no rows is a valid %s file', async (format, text) => {
    const { executionWith, send } = await createServiceHost()
    const { id } = await executionWith([])
    const response = await send('GET', `/api/v1/executions/${id}/results/${name}?format=${format}`)
    expect([response.status, await response.text()]).toEqual([200, text])
  })

  it('an error is in the envelope', async () => {
    const { executionWith, call } = await createServiceHost()
    const { id } = await executionWith([rowsFrom(0, 1)])
    const path = `/api/v1/executions/${id}/results/${name}`
    expect((await call('GET', `${path}?format=xls`)).body).toEqual({
      success: false,
      error: {
        code: 'BAD_REQUEST',
        message:
          'The request is invalid: format: unknown format; known ones: csv, jsonl, json, xlsx, parquet, xml, html',
        issues: [
          {
            path: 'format',
            message: 'unknown format; known ones: csv, jsonl, json, xlsx, parquet, xml, html',
          },
        ],
      },
    })
    expect((await call('GET', `${path}?fields=colour`)).status).toBe(400)
    expect((await call('GET', `/api/v1/executions/none/results/${name}`)).body).toEqual({
      success: false,
      error: { code: 'NOT_FOUND', message: 'Execution not found' },
    })
  })
})

describe('an export', () => {
  const fields = {
    name: 'h1',
    since: { css: 'time', as: 'date' },
    price: { css: '.price', as: 'number' },
    sku: { jsonld: '$..sku' },
  } as const
  const rows: Row[] = [
    { name: '=A', since: '2026-01-05', price: 5, sku: 7 },
    { name: 'b', since: null, price: null, sku: 'x' },
  ]

  it('has the column types of the recipe, and infers the others', async () => {
    const { executionWith, send } = await createServiceHost()
    const { id } = await executionWith([rows.slice(0, 1), rows.slice(1)], { fields })
    const parquet = await (
      await send('GET', `/api/v1/executions/${id}/results/export?format=parquet`)
    ).arrayBuffer()
    expect(
      parquetMetadata(parquet)
        .schema.slice(1)
        .map(({ name, type, converted_type: kind, logical_type: logical }) => [
          name,
          kind ?? logical?.type ?? type,
        ]),
    ).toEqual([
      ['name', 'UTF8'],
      ['since', 'TIMESTAMP'],
      ['price', 'DOUBLE'],
      ['sku', 'JSON'],
    ])
    expect(await parquetReadObjects({ file: parquet })).toEqual([
      { name: '=A', since: new Date('2026-01-05'), price: 5, sku: 7 },
      { name: 'b', since: null, price: null, sku: 'x' },
    ])
    const sheet = unzip(
      new Uint8Array(
        await (
          await send(
            'GET',
            `/api/v1/executions/${id}/results/export?format=xlsx&fields=price,since,name`,
          )
        ).arrayBuffer(),
      ),
    ).get('xl/worksheets/sheet1.xml')
    expect(sheet?.toString()).toContain(
      '<row r="2"><c r="A2"><v>5</v></c><c r="B2" s="1"><v>46027</v></c>' +
        '<c r="C2" s="4" t="inlineStr"><is><t xml:space="preserve">=A</t></is></c></row>',
    )
  })

  it('of rows with fewer or more columns is the same as before', async () => {
    const { executionWith, send } = await createServiceHost()
    const { id } = await executionWith(
      [[{ sku: 1, name: 'other order' }, { ...rows[0], more: true }, ...rows]],
      { fields },
    )
    const lines = (
      await (await send('GET', `/api/v1/executions/${id}/results/export?format=jsonl`)).text()
    )
      .trim()
      .split('\n')
    expect(lines).toEqual(
      [{ name: 'other order', since: null, price: null, sku: 1 }, ...rows.slice(0, 1), ...rows].map(
        (row) => JSON.stringify(row),
      ),
    )
  })

  it('with inferred types has the rows from the time when it began', async () => {
    const { executionWith, addSegment, send, blobs } = await createServiceHost()
    // Too long for the thread that serves.
    const { id } = await executionWith([[...rows, { name: 'x'.repeat(20_000) }]], {
      fields: { name: 'h1', sku: { jsonld: '$..sku' } },
    })
    const get = blobs.get
    let reads = 0
    blobs.get = async (name) => {
      // Between the pass that infers types and the one that writes.
      if (reads++ === 0) await addSegment(id, [{ name: 'late', sku: true }])
      return get(name)
    }
    const file = await (
      await send('GET', `/api/v1/executions/${id}/results/export?format=parquet`)
    ).arrayBuffer()
    expect(parquetMetadata(file).num_rows).toBe(3n)
    expect(reads).toBe(3)
  })
})

describe('an export stream', () => {
  const LONG = 40
  const long = noisySegments(LONG, 250)

  it('reads rows only as it is read, and stops when it is cancelled', async () => {
    const { executionWith, send, blobs } = await createServiceHost()
    const { id } = await executionWith(long)
    const response = await send('GET', `/api/v1/executions/${id}/results/export`)
    const reader = response.body?.getReader()
    const first = await reader?.read()
    expect(first?.value?.length).toBeGreaterThan(60_000)
    // The current part, the next one, and a read of the number of rows.
    expect(blobs.reads.length).toBeLessThanOrEqual(LONG / 4)
    await reader?.cancel()
    const { length } = blobs.reads
    await new Promise((resolve) => setImmediate(resolve))
    expect(blobs.reads.length).toBe(length)
  })

  it('breaks off if rows are missing, and never looks complete', async () => {
    const { executionWith, send, blobs, logged } = await createServiceHost()
    const { id } = await executionWith(long.slice(0, 12))
    await blobs.remove(`rows/${id}/9.jsonl`)
    for (const format of FORMAT_NAMES) {
      const response = await send('GET', `/api/v1/executions/${id}/results/export?format=${format}`)
      expect(response.status).toBe(200)
      await expect(response.text()).rejects.toThrow(
        `The response ended early (request ${response.headers.get('x-request-id')})`,
      )
      expect(
        String(
          logged.at(-1)?.fields &&
            JSON.stringify(logged.at(-1)?.fields, (_, value) =>
              value instanceof Error ? value.message : value,
            ),
        ),
      ).toContain('missing')
    }
  })

  it('that cannot begin is a 500 in the envelope', async () => {
    const { executionWith, call, blobs, logged } = await createServiceHost()
    const { id } = await executionWith([rowsFrom(0, 5)])
    await blobs.put(`rows/${id}/0.jsonl`, new TextEncoder().encode('[0,{"title":"only one"}]'))
    const answer = await call('GET', `/api/v1/executions/${id}/results/export`)
    expect([answer.status, answer.body.error.code]).toEqual([500, 'INTERNAL_SERVER_ERROR'])
    expect(JSON.stringify(answer.body)).not.toContain('rows/')
    expect(logged).toHaveLength(1)
  })

  it('is compressed if the request accepts it', async () => {
    const { executionWith, send } = await createServiceHost()
    const { id } = await executionWith([rowsFrom(0, 1000)])
    const ask = (format: string, headers: Record<string, string>, method = 'GET') =>
      send(method, `/api/v1/executions/${id}/results/export?format=${format}`, { headers })
    for (const format of FORMAT_NAMES) {
      const plain = await ask(format, {})
      const bytes = Buffer.from(await plain.arrayBuffer())
      const response = await ask(format, { 'Accept-Encoding': 'gzip, br' })
      const isText = format !== 'xlsx' && format !== 'parquet'
      expect([plain.headers.get('content-encoding'), plain.headers.get('vary')]).toEqual([
        null,
        'Accept-Encoding',
      ])
      expect([response.headers.get('content-encoding'), response.headers.get('vary')]).toEqual([
        isText ? 'gzip' : null,
        'Accept-Encoding',
      ])
      const sent = Buffer.from(await response.arrayBuffer())
      expect((isText ? gunzipSync(sent) : sent).equals(bytes)).toBe(true)
      const head = await ask(format, { 'Accept-Encoding': 'gzip' }, 'HEAD')
      expect([
        head.status,
        await head.text(),
        head.headers.get('content-encoding'),
        head.headers.get('vary'),
        head.headers.get('content-type'),
      ]).toEqual([
        200,
        '',
        isText ? 'gzip' : null,
        'Accept-Encoding',
        plain.headers.get('content-type'),
      ])
    }
    expect((await ask('csv', { 'Accept-Encoding': 'identity;q=0' })).status).toBe(406)
    expect((await ask('xlsx', { Accept: 'text/csv', 'Accept-Encoding': 'gzip' })).status).toBe(406)
    const wrong = await ask('xls', { 'Accept-Encoding': 'gzip' })
    expect([
      wrong.status,
      wrong.headers.get('content-encoding'),
      wrong.headers.get('content-type'),
    ]).toEqual([400, null, 'application/json; charset=utf-8'])
  })
})
