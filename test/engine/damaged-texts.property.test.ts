import fc from 'fast-check'
import { test } from 'vitest'
import { codePoint } from '../support/any-text.ts'
import { mutatePage, pageChanges } from '../support/mutate-page.ts'
import { MOST_PICK, PARSERS } from '../support/text-parsers.ts'

// The parsers of short texts, each by itself. Those of whole pages are in `mutated-pages` and
// `mutated-parsers`, and the CPU time of all is in `test/growth`.

/** A text of a parser with damage, or any other. */
const damaged = (samples: readonly string[]): fc.Arbitrary<string> =>
  fc
    .oneof(
      { weight: 3, arbitrary: fc.tuple(fc.constantFrom(...samples), pageChanges) },
      { weight: 1, arbitrary: fc.tuple(fc.string({ unit: codePoint }), fc.constant([])) },
    )
    .map(([text, changes]) => mutatePage(text, changes))

test.each(PARSERS)(
  'no damage of a text makes its parser fail: $name',
  async ({ samples, read }) => {
    await fc.assert(
      fc.asyncProperty(damaged(samples), fc.nat(MOST_PICK), async (text, pick) => read(text, pick)),
      { numRuns: 1_000 },
    )
  },
)
