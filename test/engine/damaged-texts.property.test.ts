import fc from 'fast-check'
import { test } from 'vitest'
import { codePoint } from '../support/any-text.ts'
import { mutatePage, pageChanges } from '../support/mutate-page.ts'
import { MOST_PICK, PARSERS } from '../support/text-parsers.ts'
import type { Parser } from '../support/text-parsers.ts'

// The parsers of short texts, each by itself. Those of whole pages are in `mutated-pages` and
// `mutated-parsers`, and the CPU time of all is in `test/growth`.

/** A text of a parser with damage, one of its letters, or any other. */
const damaged = ({ samples, letters = '' }: Parser): fc.Arbitrary<string> => {
  const unit = letters === '' ? codePoint : fc.constantFrom(...letters)
  return fc
    .oneof(
      { weight: 3, arbitrary: fc.tuple(fc.constantFrom(...samples), pageChanges) },
      { weight: 1, arbitrary: fc.tuple(fc.string({ unit: codePoint }), fc.constant([])) },
      {
        weight: letters === '' ? 0 : 4,
        arbitrary: fc.tuple(fc.string({ unit, maxLength: 60 }), fc.constant([])),
      },
    )
    .map(([text, changes]) => mutatePage(text, changes))
}

test.each(PARSERS)('no damage of a text makes its parser fail: $name', async (parser) => {
  await fc.assert(
    fc.asyncProperty(damaged(parser), fc.nat(MOST_PICK), async (text, pick) =>
      parser.read(text, pick),
    ),
    { numRuns: parser.letters === undefined ? 1_000 : 6_000 },
  )
})
