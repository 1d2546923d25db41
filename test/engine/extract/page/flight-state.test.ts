import { expect, test } from 'vitest'
import { PageBudget } from '../../../../src/engine/extract/page/page-budget.ts'
import { PageContent, START } from '../../../../src/engine/extract/page/page-content.ts'
import { readFlight } from '../../../../src/engine/extract/page/flight-state.ts'
import { found } from '../../../support/found-list.ts'

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

test('a page that only its script shows is the list in its stream', () => {
  const { rows } = found(page(60))
  expect(rows).toMatchObject(DATA.map(({ name, price }) => ({ name, price })))
})

test('any stream ends, and pays for what it makes', () => {
  for (const broken of ['1:', ':', '1:T', '1:Tffffffff,a', '1:[', 'x\n\n2:{', '1:T0,2:{}'])
    expect(readFlight(broken, new PageBudget()).length).toBeLessThan(2)
  const long = `1:T2710,${'x'.repeat(10_000)}2:{"a":[${'"$1",'.repeat(10_000)}1]}`
  expect(() => readFlight(long, new PageBudget({ steps: 1e9, bytes: 10_000_000 }))).toThrow(/bytes/)
})
