import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { atOnce } from '../../../../src/engine/extract/page/in-turns.ts'
import { jsonParts } from '../../../../src/engine/extract/page/json-parts.ts'
import { PageBudget } from '../../../../src/engine/extract/page/page-budget.ts'
import { parsePageJson, readJson } from '../../../../src/engine/extract/page/parse-json.ts'
import { DEEPEST } from '../../../../src/kernel/json-depth.ts'

/** The value that a reader makes of a text; `refused` for one that it refuses as JSON. */
function outcomeOf(read: () => unknown): unknown {
  try {
    const value = read()
    // The order of members counts, too.
    return { value, written: JSON.stringify(value) }
  } catch (error) {
    if (error instanceof SyntaxError) return 'refused'
    throw error
  }
}

function readInParts(text: string, part: number): unknown {
  const parts = jsonParts(text, { part })
  for (let step = parts.next(); ; step = parts.next()) if (step.done === true) return step.value
}

const blank = fc.constantFrom('', '', '', ' ', '\n\t', '\r', '         ')
const piece = fc.constantFrom(
  'a',
  '1',
  'é',
  '😀',
  ' ',
  ',',
  ':',
  '[',
  '}',
  '\\"',
  '\\\\',
  '\\n',
  '\\u0041',
  '\\ud83d\\ude00',
)
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => `"${pieces.join('')}"`)
const word = fc.constantFrom('0', '-1.5e3', '123456789', '1e999', 'true', 'false', 'null')
const name = fc.oneof(text, fc.constantFrom('"a"', '"b"', '"7"', '"__proto__"', '"constructor"'))

/** JSON texts with blanks, escapes, and names that occur twice. */
const { json } = fc.letrec<{ json: string; list: string; object: string }>((tie) => {
  const spaced = fc.tuple(blank, tie('json'), blank).map((parts) => parts.join(''))
  const member = fc.tuple(blank, name, blank, spaced)
  return {
    json: fc.oneof({ maxDepth: 6 }, word, text, tie('list'), tie('object')),
    list: fc
      .tuple(fc.array(spaced, { maxLength: 6 }), blank)
      .map(([members, end]) => `[${members.length === 0 ? end : members.join(',')}]`),
    object: fc
      .tuple(fc.array(member, { maxLength: 6 }), blank)
      .map(
        ([members, end]) =>
          `{${members.length === 0 ? end : members.map(([a, b, c, d]) => `${a}${b}${c}:${d}`).join(',')}}`,
      ),
  }
})

/** One sign taken out, put in, or in place of the rest. */
const change = fc.record({
  place: fc.nat(1_000),
  without: fc.nat(3),
  sign: fc.constantFrom('', ...',[]{}":0\\ \u00a0\u0001'),
  isCut: fc.boolean(),
})

const part = fc.integer({ min: 1, max: 40 })

describe('JSON that is read in parts', () => {
  test('is what JSON.parse makes of it', () => {
    fc.assert(
      fc.property(json, blank, part, (value, around, length) => {
        const whole = `${around}${value}${around}`
        expect(outcomeOf(() => readInParts(whole, length))).toEqual(
          outcomeOf(() => JSON.parse(whole)),
        )
      }),
      { numRuns: 3_000 },
    )
  })

  test('is refused where JSON.parse refuses it', () => {
    fc.assert(
      fc.property(
        json,
        fc.array(change, { minLength: 1, maxLength: 3 }),
        part,
        (value, changes, length) => {
          const damaged = changes.reduce((before, { place, without, sign, isCut }) => {
            const start = place % (before.length + 1)
            return before.slice(0, start) + sign + (isCut ? '' : before.slice(start + without))
          }, value)
          expect(outcomeOf(() => readInParts(damaged, length))).toEqual(
            outcomeOf(() => JSON.parse(damaged)),
          )
        },
      ),
      { numRuns: 5_000 },
    )
  })

  test('keeps a name that is longer than a part, and a member without an end', () => {
    const long = 'x'.repeat(100)
    const whole = `{"${long}" : {"${long}" :"${long}" , "n" : ${'1'.repeat(100)}}, "e":[${' '.repeat(90)}]}`
    expect(readInParts(whole, 10)).toEqual(JSON.parse(whole))
    expect(() => readInParts(whole.slice(0, -1), 10)).toThrow(SyntaxError)
  })
})

test('a part ends in time where blanks keep its window without a comma', () => {
  const whole = `[${`"${'x'.repeat(15)}"${' '.repeat(8)},`.repeat(50)}0]`
  const ends = [0, ...jsonParts(whole, { part: 20 })]
  expect(ends.length).toBeGreaterThan(40)
  const lengths = ends.slice(1).map((end, index) => end - (ends[index] ?? 0))
  expect(Math.min(...lengths)).toBeGreaterThan(0)
  expect(Math.max(...lengths)).toBeLessThan(60)
})

test('a list behind many blanks may not be too deep either', () => {
  const behind = (list: string): string => `${'['.repeat(DEEPEST - 1)}${' '.repeat(30)}${list}`
  const close = ']'.repeat(DEEPEST - 1)
  expect(readInParts(behind(`[]${close}`), 10)).toEqual(JSON.parse(behind(`[]${close}`)))
  expect(() => readInParts(behind(`[${' '.repeat(30)}[]]${close}`), 10)).toThrow(SyntaxError)
})

/** Long enough to be read in parts. */
const items = Array.from({ length: 40_000 }, (_, index) => ({ index, name: `Pen ${index}` }))
const deep = `${'['.repeat(65)}${']'.repeat(65)}`

describe('a long document in parts', () => {
  const longJson = JSON.stringify(items)
  test.each([
    ['valid JSON', longJson],
    ['JSON that ends early', longJson.slice(0, -1)],
    ['JSON that is too deep', `[${deep},${longJson}]`],
    ['JSON that is too deep behind an error', `[,${longJson},${deep}]`],
    ['one text', JSON.stringify('a"é\n'.repeat(200_000))],
  ])('%s costs the same, and reports the same, as at once', (_, whole) => {
    const [one, other] = [new PageBudget(), new PageBudget()]
    const value = atOnce(readJson(whole, one, true))
    expect(value).toEqual(parsePageJson(whole, other))
    expect(one.spent).toEqual(other.spent)
    expect(one.losses).toEqual(other.losses)
    // All that was paid is done, and for some names of objects nobody pays.
    expect(one.stepsDone).toBeGreaterThanOrEqual(one.spent.steps)
    expect(one.stepsDone).toBeLessThan(1.001 * one.spent.steps)
  })

  test.each([
    ['steps', { steps: longJson.length - 1, bytes: 10_000_000 }],
    ['bytes', { steps: 10_000_000, bytes: 1_000 }],
  ])('ends at the same limit of %s', (_, limits) => {
    const [one, other] = [new PageBudget(limits), new PageBudget(limits)]
    expect(() => atOnce(readJson(longJson, one, true))).toThrow(/used up/)
    expect(() => parsePageJson(longJson, other)).toThrow(/used up/)
    expect(one.overrun).toEqual(other.overrun)
  })
})
