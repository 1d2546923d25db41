import { describe, expect, it, test } from 'vitest'
import { chosenColumns, textOfColumns } from '../../src/console/app/parts/chosen-columns.ts'
import { nextOpenRow, orderRows, readRows } from '../../src/console/app/parts/read-rows.ts'
import { pictureOf, textOf } from '../../src/console/app/parts/values.ts'

// Proves what the console does with the rows of a file: it reads them wherever the pieces end, finds
// and sorts them, shows the columns that an address names, hides no value, and shows no picture of
// another server.

const rest = async () => undefined
const ORIGIN = 'https://seine.example'
const DIGEST = 'ab'.repeat(32)
const PICTURE = {
  id: `med_${DIGEST}`,
  url: `${ORIGIN}/media/a/${DIGEST}/c.png?token=1`,
  contentType: 'image/png',
  bytes: 70,
  sourceUrl: 'https://shop.example/c.png',
}

function bodyOf(text: string, size: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  const bytes = new TextEncoder().encode(text)
  let sent = 0
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(bytes.slice(sent, (sent += size)))
      if (sent >= bytes.length) controller.close()
    },
  })
}

test('rows are read wherever the pieces of a file end', async () => {
  const rows = [{ name: 'Tüte' }, { name: 'Netz', price: 3 }, { name: '海' }]
  const text = rows.map((row) => JSON.stringify(row)).join('\n')
  for (const end of ['', '\n'])
    for (let size = 1; size < 20; size++)
      expect(await readRows(bodyOf(text + end, size))).toEqual({ rows, isWhole: true })
})

test('a file of very many rows is read in part, and that is said', async () => {
  let pulls = 0
  const line = new TextEncoder().encode('{"a":1}\n'.repeat(1_000))
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      pulls++
      controller.enqueue(line)
    },
  })
  const { rows, isWhole } = await readRows(body)
  expect([rows.length, isWhole]).toEqual([100_000, false])
  expect(pulls).toBeLessThan(110)
})

describe('the rows', () => {
  const rows = [
    { name: 'Pen 10', price: 9, note: null },
    { name: 'pen 9', price: 10, note: 'blue' },
    { name: 'Book', price: null, note: 'Blue' },
  ]
  const columns = ['name', 'price', 'note']
  it.each([
    ['without an order', { find: '', sort: '', isDown: false }, ['Pen 10', 'pen 9', 'Book']],
    ['that have letters in any case', { find: 'BLUE', sort: '', isDown: false }, ['pen 9', 'Book']],
    ['by a number', { find: '', sort: 'price', isDown: false }, ['Pen 10', 'pen 9', 'Book']],
    ['by a number, down', { find: '', sort: 'price', isDown: true }, ['pen 9', 'Pen 10', 'Book']],
    [
      'by words with numbers',
      { find: '', sort: 'name', isDown: false },
      ['Book', 'pen 9', 'Pen 10'],
    ],
    ['found and sorted', { find: 'pen', sort: 'name', isDown: true }, ['Pen 10', 'pen 9']],
  ])('%s', async (_, order, names) => {
    const ordered = await orderRows(rows, columns, order, rest)
    expect(ordered.map(({ name }) => name)).toEqual(names)
  })
  test('are sorted in slices, between which the browser answers, and equal ones keep their order', async () => {
    const many = Array.from({ length: 30_001 }, (_, i) => ({ i, key: `Line ${(i * 7_919) % 997}` }))
    let rests = 0
    const count = async () => void (rests += 1)
    const order = { find: 'line', sort: 'key', isDown: true }
    const ordered = await orderRows(many, ['key'], order, count)
    const { compare } = new Intl.Collator(undefined, { numeric: true })
    expect(ordered).toEqual(many.toSorted((a, b) => -compare(a.key, b.key)))
    // Those of the search, of the parts, and of the four times that all are merged.
    expect(rests).toBeGreaterThan(15 + 15 + 4 * 2)
  })
  test('are not found by a column that is not shown', async () => {
    const order = { find: 'blue', sort: '', isDown: false }
    expect(await orderRows(rows, ['name'], order, rest)).toEqual([])
  })
})

test('a picture of this server is shown, and of no other', () => {
  expect(pictureOf(PICTURE, ORIGIN)).toBe(PICTURE.url)
  for (const value of [
    null,
    PICTURE.url,
    { ...PICTURE, url: 'https://other.example/c.png' },
    { ...PICTURE, url: 'javascript:alert(1)' },
    { ...PICTURE, url: `blob:${PICTURE.url}` },
    { ...PICTURE, url: `${ORIGIN}/sign-out?${DIGEST}` },
    { ...PICTURE, url: `${ORIGIN}/media/a/b/c.png` },
    { ...PICTURE, id: 'c' },
    { url: PICTURE.url, contentType: 'image/png' },
    { ...PICTURE, contentType: 'text/html' },
    { sourceUrl: PICTURE.sourceUrl, error: { code: 'not_found', message: '' } },
  ])
    expect(pictureOf(value, ORIGIN)).toBeNull()
  const below = { ...PICTURE, url: `${ORIGIN}/data/media/a/${DIGEST}/c.png` }
  expect(pictureOf(below, ORIGIN)).toBe(below.url)
})

test('a file that was downloaded is its address, and what only looks like it is shown whole', () => {
  expect(textOf(PICTURE)).toBe(PICTURE.sourceUrl)
  expect(textOf({ ...PICTURE, contentType: 'application/pdf' })).toBe(PICTURE.sourceUrl)
  const { id: _, ...withoutId } = PICTURE
  for (const value of [
    { url: 'https://shop.example/1', sourceUrl: 'https://feed.example/', price: 3 },
    { url: 'https://shop.example/1', sourceUrl: 'https://feed.example/' },
    { ...PICTURE, price: 3 },
    { ...PICTURE, sourceUrl: null },
    { ...PICTURE, bytes: '70' },
    withoutId,
    [PICTURE],
  ]) {
    expect(textOf(value)).toBe(JSON.stringify(value))
    expect(pictureOf(value, ORIGIN)).toBeNull()
  }
})

test('the row that is open stays the same while its table is read again', () => {
  const [first, other] = [{ name: 'Cedar' }, { name: 'Lime' }]
  const open = nextOpenRow(null, 'row 3', first)
  expect(open?.row).toBe(first)
  // Another row has its number now, or none has.
  expect(nextOpenRow(open, 'row 3', other)?.row).toBe(first)
  expect(nextOpenRow(open, 'row 3', undefined)?.row).toBe(first)
  expect(nextOpenRow(open, 'row 4', other)?.row).toBe(other)
  expect(nextOpenRow(open, 'row 4', undefined)).toBeNull()
  expect(nextOpenRow(open, null, first)).toBeNull()
})

describe('the columns that an address names', () => {
  const all = ['name', 'price, net', '50% off', 'größe&?#']
  it('are the same after the way through a URL, whatever their names', () => {
    for (const names of [all, all.slice(1, 3), ['50% off'], ['price, net', 'größe&?#']]) {
      const query = new URLSearchParams({ columns: textOfColumns(names) })
      const text = new URL(`?${query}`, ORIGIN).searchParams.get('columns')
      expect(chosenColumns(all, text)).toEqual(names)
    }
  })
  it.each([
    ['none', null, all],
    ['one by hand', 'name', ['name']],
    ['another order', `${encodeURIComponent('50% off')},name`, ['name', '50% off']],
    ['a percent sign by hand', '50% off', ['50% off']],
    ['one that is gone', 'name,was', ['name']],
    ['only some that are gone', 'was,gone', all],
    ['nothing', '', all],
  ])('%s', (_, text, names) => {
    expect(chosenColumns(all, text)).toEqual(names)
  })
})
