import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileGlob } from '../../../src/engine/plan/compile-scope.ts'

test('a glob matches the same paths as its regular expression', () => {
  const text = (alphabet: string, maxLength: number) =>
    fc.array(fc.constantFrom(...alphabet.split(' ')), { maxLength }).map((parts) => parts.join(''))
  // Also long globs, whose states exceed the bits of a machine word.
  const long = fc.constantFrom('', 'c'.repeat(25), 'c'.repeat(61))
  fc.assert(
    fc.property(text('* ** a b /', 8), text('a b /', 10), long, (end, rest, head) => {
      const [glob, path] = [head + end, head + rest]
      const pattern = glob.replace(/\*+|[^*]/g, (part) =>
        part.length > 1 ? '.*' : part === '*' ? '[^/]*' : part,
      )
      expect(compileGlob(`x://${glob}`)(`x://${path}`), `${glob} on ${path}`).toBe(
        new RegExp(`^${pattern}$`, 's').test(path),
      )
    }),
    { numRuns: 20_000 },
  )
})
