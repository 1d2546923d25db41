import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mutatePage, pageChanges } from '../support/mutate-page.ts'
import { PARSERS, type Parser } from '../support/text-parsers.ts'
import { IS_SHORT, leastTime } from './measure.ts'

// Proves that damage makes no parser stall: a megabyte of it costs a small multiple of the time in
// which the runtime reads a megabyte of JSON, 5 ms on an idle core.

const SIZE = 256 * 1024
const MOST = 20
/** The same for what may be many short lines: robots.txt, lists of addresses, cookies. */
const MOST_OF_LINES = 10
/** Measures, in turns with JSON, of what seems too dear. */
const TRIES = 8
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
  const most = parser.isOfLines === true ? MOST_OF_LINES : MOST
  const problems: string[] = []
  for (const text of damagedTexts(parser)) {
    const long = text.repeat(Math.ceil(SIZE / text.length)).slice(0, SIZE)
    const problem = await dearness(parser, long, most)
    if (problem !== null) problems.push(`${JSON.stringify(text)}: ${problem}`)
  }
  return problems
}

/** Says what a text costs. `null`: no more than so many times the price of JSON. */
async function dearness(parser: Parser, text: string, most: number): Promise<string | null> {
  let price = Infinity
  let json = Infinity
  // Other work on the machine makes a run longer, and never shorter.
  for (let tries = 0; tries < TRIES; tries++) {
    price = Math.min(price, await priceOf(text, () => parser.read(text, PICK)))
    json = Math.min(json, await priceOf(JSON_TEXT, readJson))
    if (price <= most * json) return null
  }
  return `${price.toFixed()} ns of ${(most * json).toFixed()}`
}

const readJson = (): unknown => JSON.parse(JSON_TEXT)

test.each(PARSERS.filter(({ isShort }) => isShort !== true))(
  'damage makes no parser stall: $name',
  async (parser) => {
    expect((await tooDear(parser)).join('\n')).toBe('')
  },
)

/** Texts of which each line is another one: nothing of them can be remembered. */
const LINES: readonly (readonly [parser: string, line: (index: number) => string])[] = [
  ['robots.txt', (index) => `Disallow: /a*b${index}$`],
  ['robots.txt', (index) => `Sitemap: /${index}.xml`],
  ['sitemaps and feeds', (index) => `https://a.example/${index}`],
  ['sitemaps and feeds', (index) => `<url><loc>https://a.example/${index}</loc></url>`],
  ['cookies', (index) => `a${index}=b; expires=1 jan 2030 1:1:1,`],
]

test.each(LINES)('different lines make no parser stall: %s, %s', async (name, line) => {
  const parser = PARSERS.find((one) => one.name === name)
  if (parser === undefined) throw new Error(`There is no parser of ${name}`)
  const lines = Array.from({ length: SIZE / 16 }, (_, index) => line(index)).join('\n')
  expect(await dearness(parser, lines.slice(0, SIZE), MOST)).toBeNull()
})

test('planted: the measure notices a pattern that is tried from each space', async () => {
  const planted: Parser = {
    name: 'planted',
    samples: [`a${' '.repeat(500)}`],
    read: (text) => void new RegExp(String.raw`\s+$`).exec(`${text}a`),
  }
  expect(await tooDear(planted)).not.toEqual([])
})
