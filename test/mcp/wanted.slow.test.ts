import { expect, test } from 'vitest'
import type { Model } from '../../src/ports/model.ts'
import { createWorld } from '../support/worlds/world.ts'
import { connect, keyOf } from './mcp-world.ts'

type Content = Record<string, unknown>

const SHOP = `<html lang="en"><head><title>Pens</title></head><body><main><h1>All pens</h1><div class="list">${Array.from(
  { length: 12 },
  (_, index) =>
    `<div class="card"><h3><a href="/p${index}">Pen ${index}</a></h3><span class="price">` +
    `$${index}.50</span><p class="text">It writes in colour ${index}, for a long time.</p>` +
    `<ul class="tags"><li>ink ${index}</li><li>nib ${index}</li></ul></div>`,
).join('')}</div></main></body></html>`
const url = 'https://shop.example.com/'

/** Calls `extract` with what is wanted. */
async function extract(args: object, model?: Model) {
  const world = createWorld(
    { [url]: SHOP },
    { mount: { mcp: { tools: 'extended' } }, ...(model && { model }) },
  )
  const client = await connect(world.platform.fetch, await keyOf(world, ['mcp:*']))
  const answer = await world.clock.runUntil(
    client.callTool({ name: 'extract', arguments: { url, ...args } }),
  )
  const text = (answer.content as { text: string }[])[0]?.text ?? ''
  const data = (answer.structuredContent ?? {}) as Content
  return { text, data, row: ((data['rows'] ?? []) as Content[])[3] }
}

const PRICE = { anyOf: [{ type: 'number' }, { type: 'null' }] }
const PEN = { type: 'object', properties: { name: { type: 'string' }, price: PRICE } }
const list = { type: 'array', items: { $ref: '#/$defs/Pen' } }

test.each([
  ['a list', { ...list, $defs: { Pen: PEN } }],
  ['a wrapper', { type: 'object', properties: { pens: list }, $defs: { Pen: PEN } }],
  ['the root', { $ref: '#/definitions/a~1b', definitions: { 'a/b': PEN } }],
  ['a choice', { allOf: [{ $ref: '#/$defs/Pen' }], $defs: { Pen: PEN } }],
])('a schema that refers to its row, as libraries write it, is read: %s', async (_, schema) => {
  expect((await extract({ schema })).row).toEqual({ name: 'Pen 3', price: 3.5 })
})

test('values have the types of the schema, whatever detection has taken them for', async () => {
  const properties = {
    price: { type: 'string' },
    title: { type: 'string' },
    url: { type: 'string', format: 'uri' },
    tags: { type: 'array', items: { type: 'string' } },
  }
  const { row, data } = await extract({ schema: { type: 'object', properties } })
  expect([row, data['missing']]).toEqual([
    {
      price: '$3.50',
      title: 'Pen 3',
      url: 'https://shop.example.com/p3',
      tags: ['ink 3', 'nib 3'],
    },
    [],
  ])
  const whole = await extract({ schema: { properties: { price: { type: 'integer' } } } })
  expect(whole.row).toEqual({ price: 3 })
})

test('an object is not filled with the text of a column', async () => {
  const pen = { type: 'object', properties: { title: { type: 'string' } } }
  const { row, data } = await extract({ schema: { properties: { pen, price: {} } } })
  expect([row, data['missing']]).toEqual([{ price: 3.5 }, ['pen']])
})

test('objects in objects are asked for whole, with all of their properties', async () => {
  const text = { type: 'string' }
  const box = { type: 'object', properties: { colour: text, count: { type: 'integer' } } }
  const pen = { type: 'object', properties: { shop: { properties: { box } } } }
  const answer = { pen: { shop: { box: { colour: 'blue', count: 2 } } } }
  const { row } = await extract(
    { schema: { properties: { name: text, pen } } },
    {
      async ask({ text: page }) {
        const parts = page.split(/^=+ part \d+$/m).slice(1)
        const rows = parts.map((_, index) => ({ part: index + 1, ...answer }))
        return { json: { rows }, inputTokens: 1, outputTokens: 1 }
      },
    },
  )
  expect(row).toEqual({ name: 'Pen 3', ...answer })
})

test.each([
  ['all pens with their names and prices', { names: 'Pen 3', prices: 3.5 }],
  ['Name, price in dollars, and the links', { name: 'Pen 3', price: 3.5, links: `${url}p3` }],
  ['title: string, price (text)', { title: 'Pen 3', price: '$3.50' }],
])('words are understood in the plural, and with types: %s', async (words, row) => {
  expect((await extract({ wanted: words })).row).toEqual(row)
})

test('a schema without measure is refused in a few words', async () => {
  const many = (count: number, of: object = {}) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`value${index}`, of]))
  const long = 'x '.repeat(50_000)
  const schemas = [
    [{ properties: many(5_000) }, /^BAD_REQUEST: .* more than 100 properties/],
    [{ properties: many(2_000, { $ref: '#' }) }, /^BAD_REQUEST: .* more than 100 properties/],
    [{ properties: many(100, { $ref: '#' }) }, /^BAD_REQUEST: .* more than 1000 properties in/],
    [{ properties: many(30, { $ref: '#' }) }, /^BAD_REQUEST: .* more than 1000 properties in/],
    [
      { properties: { pen: { $ref: '#' } } },
      /^BAD_REQUEST: .* an object at pen\.pen\.pen\.pen\.pen, within 4 others\. Make /,
    ],
    [{ properties: { [long]: {} } }, /^BAD_REQUEST: .* longer than 128 characters/],
    [
      { properties: { a: { properties: { [long]: {} } } } },
      /^BAD_REQUEST: .* longer than 128 char/,
    ],
    [{ $ref: '#/$defs/A', $defs: { A: { $ref: '#/$defs/A' } } }, /names no properties/],
    [{ $ref: 'https://schemas.example/pen' }, /names no properties/],
  ] as const
  for (const [schema, refusal] of schemas) {
    const { text } = await extract({ schema })
    expect(text).toMatch(refusal)
    expect(text.length).toBeLessThan(700)
  }
})

/** A model that finds the ink in each part of a page; `write`: how it spells what it has found. */
const inkModel = (write: (ink: string) => string): Model => ({
  async ask({ text }) {
    const parts = text.split(/^=+ part \d+$/m).slice(1)
    const rows = parts.map((part, index) => ({
      part: index + 1,
      remark: write(/It writes in [^\n=]*\./.exec(part)?.[0] ?? ''),
    }))
    return { json: { rows }, inputTokens: 1, outputTokens: 1 }
  },
})

test('a value that a model has found in a column is read from there the next time, without the model', async () => {
  const schema = { properties: { name: { type: 'string' }, remark: { type: 'string' } } }
  const { row, data, text } = await extract(
    { schema },
    inkModel((ink) => ink),
  )
  expect([data['columns'], row, data['missing']]).toEqual([
    ['name', 'remark'],
    { name: 'Pen 3', remark: 'It writes in colour 3, for a long time.' },
    [],
  ])
  expect(JSON.stringify(data['recipe'])).not.toContain('model')
  expect(text).not.toContain('A model is asked')
})

test('called again, extract asks no model for what it has found, though it stands in no column', async () => {
  let questions = 0
  const own = inkModel((ink) => `${ink.length} letters`)
  const world = createWorld(
    { [url]: SHOP },
    {
      mount: { mcp: { tools: 'extended' } },
      model: { ask: (request) => (questions++, own.ask(request)) },
    },
  )
  const client = await connect(world.platform.fetch, await keyOf(world, ['mcp:*']))
  const call = async () => {
    const called = client.callTool({
      name: 'extract',
      arguments: { url, wanted: 'name, remark (text)' },
    })
    return (await world.clock.runUntil(called)).structuredContent
  }
  const first = await call()
  expect(first).toMatchObject({ columns: ['name', 'remark'], missing: [] })
  expect([await call(), questions]).toEqual([first, 1])
})

test('values that are in no column are questions again, and the result says that they cost', async () => {
  const schema = { properties: { name: { type: 'string' }, remark: { type: 'string' } } }
  const own = inkModel((ink) => `${ink.length} letters`)
  const { row, data, text } = await extract({ schema }, own)
  expect([data['columns'], row]).toEqual([
    ['name', 'remark'],
    { name: 'Pen 3', remark: '39 letters' },
  ])
  expect(data['recipe']).toMatchObject({
    extract: { fields: { remark: { model: 'The remark' } } },
  })
  expect(text).toContain(
    'A model is asked for remark, which costs credits on each page that it has not read for a week, ' +
      'and nothing on this one.',
  )
  expect(JSON.stringify(data['recipe'])).not.toContain('detected_column')
})
