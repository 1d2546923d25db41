import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import type { Json } from '../../../../src/kernel/json.ts'
import { atOnce } from '../../../../src/engine/extract/page/in-turns.ts'
import { PageBudget } from '../../../../src/engine/extract/page/page-budget.ts'
import { compileJsonPath } from '../../../../src/engine/extract/value/json-path.ts'
import { loadRegexEngine } from '../../../../src/engine/extract/value/linear-regex.ts'

const PATHS = [
  '$',
  '$.a',
  '$[*]',
  '$[*].a',
  '$..a',
  '$..*',
  '$..[0, 1]',
  '$[0:3].a[*]',
  '$[::-1]',
  '$[5:1:-2]',
  '$[::0]',
  "$[*]['a', 'b', 'a']",
  '$[?@.a]',
  '$..[?@.a > 1].b',
  '$[?count($..a) > 2]',
  '$..a[?@ == 1]',
  '$..*[?@..a]',
  '$[?@ == $[0] || !@.b]',
  '$..[?@.a != @.b && length(@.a) < 3]',
  '$..[?value(@..a) >= value($..b)]',
  '$[?@[?@.a <= $.b]]',
  '$..[?match(value(@..a), "x.*")]',
].map(compileJsonPath)

// A pattern is paid for when it is first used.
beforeAll(async () => {
  await loadRegexEngine()
  for (const path of PATHS) path([{ a: 'x' }], new PageBudget(), () => false)
})

const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 1, 2, 'x'),
    fc.array(tie('json'), { maxLength: 6 }),
    fc.dictionary(fc.constantFrom('a', 'b', '0', '__proto__'), tie('json'), { maxKeys: 4 }),
  ),
}))

test('a JSONPath finds the same in parts, for the same steps', () => {
  fc.assert(
    fc.property(json, fc.constantFrom(...PATHS), fc.nat(30), (document, path, most) => {
      const [one, other] = [new PageBudget(), new PageBudget()]
      const matchesOf = (list: Json[]) => (match: Json) => list.push(match) > most
      const [parts, whole]: Json[][] = [[], []]
      expect(atOnce(path.parts(document, one, matchesOf(parts ?? [])))).toBe(
        path(document, other, matchesOf(whole ?? [])),
      )
      expect(parts).toEqual(whole)
      expect(one.spent).toEqual(other.spent)
    }),
    { numRuns: 2_000 },
  )
})

test('a search in a large document ends its parts in time, also where nothing is found', () => {
  const document = Array.from({ length: 100_000 }, (_, index) => ({ index, list: [index] }))
  for (const path of ['$[*]', '$..index', '$..nothing', '$[?@.index < 0]', '$[*].list[*]']) {
    const budget = new PageBudget()
    let longest = 0
    let before = 0
    for (const _ of compileJsonPath(path).parts(document, budget, () => false)) {
      longest = Math.max(longest, budget.stepsDone - before)
      before = budget.stepsDone
    }
    expect(longest).toBeGreaterThan(0)
    // To list the members of the document is one part.
    expect(Math.max(longest, budget.stepsDone - before)).toBeLessThan(150_000)
  }
})
