import { RE2JS } from 're2js'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { patternCost } from '../../../src/engine/recipe/pattern-cost.ts'

const piece = fc.constantFrom(
  'a',
  '\\d',
  '[^,\\]]',
  '(?:ab|c)',
  '(x)',
  '.',
  '\\.',
  '^',
  '$',
  '[[:alpha:]\\]x]',
  '(?P<n>a)',
  '\\pL',
  '|',
)
const counted = fc
  .tuple(piece, fc.constantFrom('', '', '?', '*', '+', '{3}', '{2,}', '{1,20}', '{0,5}?'))
  .map(([one, count]) =>
    one === '|' || (one.length === 1 && '^$'.includes(one)) ? one : one + count,
  )
const pattern = fc
  .array(
    fc.oneof(
      counted,
      fc
        .array(counted, { minLength: 1, maxLength: 4 })
        .map((inner) => `(?:${inner.join('')}){1,4}`),
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((parts) => parts.join('').replaceAll('?P<n>', '?:'))

it('the cost of a pattern is never far below the number of instructions in the engine', () => {
  fc.assert(
    fc.property(pattern, (source) => {
      let size: number
      try {
        size = RE2JS.compile(RE2JS.translateRegExp(source)).programSize()
      } catch {
        return
      }
      expect(patternCost(source).instructions * 1.5 + 10).toBeGreaterThanOrEqual(size)
    }),
    { numRuns: 2_000 },
  )
})
