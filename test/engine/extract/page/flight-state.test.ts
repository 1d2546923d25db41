import { expect, test } from 'vitest'
import { PageBudget } from '../../../../src/engine/extract/page/page-budget.ts'
import { PageContent, START } from '../../../../src/engine/extract/page/page-content.ts'
import { flightParts } from '../../../../src/engine/extract/page/flight-state.ts'
import { atOnce } from '../../../../src/engine/extract/page/in-turns.ts'
import { found } from '../../../support/found-list.ts'

const readFlight = (stream: string, most: number, budget: PageBudget) =>
  atOnce(flightParts(stream, most, budget, false))

// Proves that the stream of data in pages of Next.js is read.

const GOODS = [
  { name: 'Cup', price: 4.5, text: '$1f' },
  { name: 'Plate', price: 6, text: 'A flat one' },
  { name: 'Bowl', price: 7, text: '$$ 7 of them' },
]
const TEXT = 'A cup for tea,\n2 € each, 😀'
const STREAM =
  '1:"$Sreact.fragment"\n2:I[123,["45","static/chunks/45.js"],"List"]\n:HL["/style.css","style"]\n' +
  `1f:T${new TextEncoder().encode(TEXT).length.toString(16)},${TEXT}` +
  `0:["$","main",null,{"className":"a","children":[["$","h1",null,{"children":"All"}],` +
  `["$","$L2",null,{"goods":${JSON.stringify(GOODS)},"since":"$D2026-01-02T00:00:00.000Z","more":"$undefined","next":"$L9"}]]}]\n` +
  '9:{"total":3}\n'
const DATA = [
  { name: 'Cup', price: 4.5, text: TEXT },
  { name: 'Plate', price: 6, text: 'A flat one' },
  { name: 'Bowl', price: 7, text: '$ 7 of them' },
]

/** The page whose scripts send the stream in chunks of so many characters. */
function page(length: number): string {
  const chunks = STREAM.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? []
  return [
    '(self.__next_f=self.__next_f||[]).push([0])',
    ...chunks.map((chunk) => `self.__next_f.push([1,${JSON.stringify(chunk)}])`),
  ]
    .map((script) => `<script>${script}</script>`)
    .join('')
}

test('rows are read, wherever the chunks are cut', () => {
  for (const length of [7, 50, 10_000]) {
    const body = new TextEncoder().encode(page(length))
    const content = { url: 'https://a.example/', contentType: 'text/html; charset=utf-8', body }
    expect(new PageContent(content, START).state).toEqual([
      ['All', { goods: DATA, since: '2026-01-02T00:00:00.000Z', more: null, next: null }],
      { total: 3 },
    ])
  }
})

test('the rest after a chunk that cannot be read is left out, not put into another row', () => {
  const row = JSON.stringify('0:{"name":"Cup","price":4}\n')
  const half = [JSON.stringify('1:{"name":"Pl'), JSON.stringify('ate"}\n2:{"name":"Bowl"}\n')]
  for (const [first, ...rest] of [
    [`[1,${row}]`, `[1,${half[0]}]`, '[3,"YXRl"]', `[1,${half[1]}]`],
    [`[1,${row}]`, `[1,${half[0]}]`, '[1,window.rest]', `[1,${half[1]}]`],
    [`[1,${row}]`, `[1,${half[0]}]);self.__next_f.push([1,"a"]`, `[1,${half[1]}]`],
  ]) {
    const scripts = [first, ...rest].map((added) => `self.__next_f.push(${added})`)
    const html = scripts.map((script) => `<script>${script}</script>`).join('')
    const body = new TextEncoder().encode(html)
    const content = { url: 'https://a.example/', contentType: 'text/html; charset=utf-8', body }
    expect(new PageContent(content, START).state).toEqual([{ name: 'Cup', price: 4 }])
  }
})

test('a page that only its script shows is the list in its stream', () => {
  const { rows } = found(page(60))
  expect(rows).toMatchObject(DATA.map(({ name, price }) => ({ name, price })))
})

/** An element of HTML around others, as often as that. */
function wrapped(element: string, times: number): string {
  const open = '["$","div",null,{"className":"a","children":['
  return open.repeat(times) + element + ']}]'.repeat(times)
}

test('elements around the data are not levels of it; data that is too deep is null', () => {
  const goods = '["$","$L2",null,{"goods":[{"name":"Cup","price":4}]}]'
  const [block] = readFlight(`0:${wrapped(goods, 60)}\n`, 100, new PageBudget())
  expect(JSON.stringify(block)).toContain('{"goods":[{"name":"Cup","price":4}]}')
  const single = `0:${'["$","div",null,{"children":'.repeat(150)}${goods}${'}]'.repeat(150)}\n`
  expect(readFlight(single, 100, new PageBudget())).toEqual([
    { goods: [{ name: 'Cup', price: 4 }] },
  ])
  const budget = new PageBudget()
  const beside = `0:["$","$L2",null,{"price":4,"more":${wrapped(goods, 64)}}]\n`
  const [rest] = readFlight(beside, 100, budget)
  expect(rest).toMatchObject({ price: 4 })
  expect(JSON.stringify(rest)).not.toContain('Cup')
  expect(budget.handOver().cuts).toEqual([{ what: 'levels of JSON', limit: 64, where: 'page' }])
})

test('rows without data take no place of those that have some', () => {
  const shown =
    '["$","p",null,{"children":["Our cups ",["$","b",null,{"children":"are"}]," blue"]}]'
  const head = '[["$","title","0",{"children":"Cups"}],["$","meta","1",{"name":"a","content":"b"}]]'
  const empty = ['[null,null]', '{"a":"$undefined"}', '["$","$L5",null,{"children":"$L6"}]']
  const items = ['Loading', 'wait'].map((text) => `["$","li",null,{"children":"${text}"}]`)
  const list = `["$","ul",null,{"children":[${items.join(',')}]}]`
  const waiting = `["$","$L5",null,{"fallback":${list},"children":"$L6"}]`
  const rows = [shown, head, waiting, ...empty].flatMap((row) =>
    Array.from({ length: 50 }, () => row),
  )
  const stream = [...rows, '{"name":"Cup"}', '[["red",4]]'].map((row) => `1:${row}\n`).join('')
  const budget = new PageBudget()
  expect(readFlight(stream, 2, budget)).toEqual([{ name: 'Cup' }, [['red', 4]]])
  expect(budget.handOver().cuts).toBeUndefined()
})

test('lists that components are given are data too', () => {
  const props = ['{"rows":[["Pen",2],["Ink",3]]}', '{"ids":["a1","b2"]}', '{"x":{"y":["q"]}}']
  const shown = '["$","$L5",null,{"children":[["a","b"]],"rows":[],"more":["$undefined"]}]'
  const rows = [shown, ...props.map((data) => `["$","$L5",null,${data}]`)]
  const stream = rows.map((row) => `1:${row}\n`).join('')
  expect(readFlight(stream, 100, new PageBudget())).toEqual([
    {
      rows: [
        ['Pen', 2],
        ['Ink', 3],
      ],
    },
    { ids: ['a1', 'b2'] },
    { x: { y: ['q'] } },
  ])
  const within = '["$","$L5",null,{"slot":["$","p",null,{"children":["$","$L2",null,{"sku":7}]}]}]'
  expect(readFlight(`1:${within}\n`, 100, new PageBudget())).toEqual([{ slot: { sku: 7 } }])
})

test('any stream ends, and pays for what it makes', () => {
  expect(() =>
    readFlight('0:[\n'.repeat(100_000), 100, new PageBudget({ steps: 1e6, bytes: 1e9 })),
  ).toThrow(/steps/)
  expect(readFlight('0:{"a":1}\n'.repeat(1_000), 100, new PageBudget())).toHaveLength(100)
  for (const broken of ['1:', ':', '1:T', '1:Tffffffff,a', '1:[', 'x\n\n2:{', '1:T0,2:{}'])
    expect(readFlight(broken, 100, new PageBudget()).length).toBeLessThan(2)
  const long = `1:T2710,${'x'.repeat(10_000)}2:{"a":[${'"$1",'.repeat(10_000)}1]}`
  expect(() => readFlight(long, 100, new PageBudget({ steps: 1e9, bytes: 10_000_000 }))).toThrow(
    /bytes/,
  )
})
