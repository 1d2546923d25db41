import fc from 'fast-check'
import { expect, test } from 'vitest'
import { GrowingText, replaceEach } from '../../src/kernel/text/long-text.ts'

// Proves that a text that is changed or built in pieces equals the one that JavaScript makes.

const PATTERNS: readonly RegExp[] = [/\s+/g, /[&<>"]/g, /\r\n?/g, /<(?=[a-z/])|_/g, /x*/g]
const parts = fc.array(fc.constantFrom('a', ' ', '\r\n', '<', '<b', '_', '&', 'xx', '😀', 'é'), {
  minLength: 1,
  maxLength: 12,
})

test('replaceEach gives the same as replace, for texts of any length', () => {
  fc.assert(
    fc.property(
      parts,
      fc.constantFrom(1, 500, 3_000),
      fc.constantFrom(...PATTERNS),
      (few, times, pattern) => {
        const text = few.join('').repeat(times)
        const by = (match: string, index: number): string => `${match.length}:${index % 7}`
        expect(replaceEach(text, pattern, '-')).toBe(text.replace(pattern, '-'))
        expect(replaceEach(text, pattern, by)).toBe(text.replace(pattern, by))
      },
    ),
    { numRuns: 100 },
  )
})

test('a growing text equals the joined parts', () => {
  fc.assert(
    fc.property(parts, fc.constantFrom(1, 2_000), (few, times) => {
      const text = new GrowingText()
      for (let time = 0; time < times; time++) for (const part of few) text.add(part)
      expect(text.toString()).toBe(few.join('').repeat(times))
      expect(text.length).toBe(text.toString().length)
    }),
    { numRuns: 100 },
  )
})
