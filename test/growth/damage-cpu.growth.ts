import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mutatePage, pageChanges } from '../support/mutate-page.ts'
import { PARSERS, type Parser } from '../support/text-parsers.ts'
import { IS_SHORT, leastTime } from './measure.ts'

// Proves that damage makes no parser stall: a megabyte of it costs a small multiple of the time in
// which the runtime reads a megabyte of JSON, 5 ms on an idle core.

const SIZE = 256 * 1024
const MOST = 20
/** The same for lists of short addresses. */
const MOST_OF_ADDRESSES = 40
const DAMAGES = IS_SHORT ? 4 : 100
/** A number to choose by, which the fuzz changes. */
const PICK = 3

const JSON_TEXT = JSON.stringify(
  Array.from({ length: 4_000 }, (_, id) => ({
    id,
    name: `Item ${id}`,
    price: id / 8,
    tags: ['a'],
  })),
)

/** The CPU of a character, in ns. */
async function priceOf(text: string, read: () => unknown): Promise<number> {
  return ((await leastTime(read)) * 1_000_000) / text.length
}

function damagedTexts({ samples }: Parser): readonly string[] {
  const damaged = fc
    .tuple(fc.constantFrom(...samples), pageChanges)
    .map(([text, changes]) => mutatePage(text, changes))
  return [...samples, ...fc.sample(damaged, DAMAGES)].filter((text) => text !== '')
}

async function tooDear(parser: Parser): Promise<string[]> {
  const most = parser.isOfAddresses === true ? MOST_OF_ADDRESSES : MOST
  const problems: string[] = []
  for (const text of damagedTexts(parser)) {
    const long = text.repeat(Math.ceil(SIZE / text.length)).slice(0, SIZE)
    const price = await priceOf(long, () => parser.read(long, PICK))
    const limit = most * (await priceOf(JSON_TEXT, readJson))
    if (price > limit)
      problems.push(`${JSON.stringify(text)}: ${price.toFixed()} ns of ${limit.toFixed()}`)
  }
  return problems
}

const readJson = (): unknown => JSON.parse(JSON_TEXT)

test.each(PARSERS.filter(({ isShort }) => isShort !== true))(
  'damage makes no parser stall: $name',
  async (parser) => {
    expect((await tooDear(parser)).join('\n')).toBe('')
  },
)

test('planted: the measure notices a pattern that is tried from each space', async () => {
  const planted: Parser = {
    name: 'planted',
    samples: [`a${' '.repeat(500)}`],
    read: (text) => void new RegExp(String.raw`\s+$`).exec(`${text}a`),
  }
  expect(await tooDear(planted)).not.toEqual([])
})
