import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitText } from '../../../src/features/agentic/page-memory.ts'

test('a short text is one part', () => {
  expect(splitText('A page.')).toEqual({ pieces: ['A page.'], isCut: false })
  expect(splitText('')).toEqual({ pieces: [''], isCut: false })
})

test.each([
  ['English', 'word ', 24_000],
  ['Greek', 'λέξη ', 13_400],
  ['Chinese', '墨水', 6_000],
  ['emoji', '🖋', 6_000],
])('a part of %s has at most as many characters as 6,000 tokens', (_, word, most) => {
  const { pieces } = splitText(word.repeat(30_000))
  expect(pieces.length).toBeGreaterThan(1)
  for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(most)
  expect(pieces[0]?.length).toBeGreaterThan(most * 0.9)
})

test('parts end with paragraphs, lines or words, and never within a character', () => {
  const paragraph = `${'A sentence about ink. '.repeat(100)}\n\n`
  for (const piece of splitText(paragraph.repeat(40)).pieces)
    expect(piece.endsWith('\n\n')).toBe(true)
  for (const piece of splitText(`x${'🖋'.repeat(20_000)}`).pieces)
    expect(piece.isWellFormed()).toBe(true)
})

test('the parts together are the text, up to the bound', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('word ', '墨', '\n', '\n\n', '🖋', 'λ', 'x'.repeat(5_000)), {
        maxLength: 80,
      }),
      fc.integer({ min: 1, max: 60 }),
      (parts, times) => {
        const text = parts.join('').repeat(times)
        const { pieces, isCut } = splitText(text)
        expect(isCut ? text.startsWith(pieces.join('')) : pieces.join('') === text).toBe(true)
        expect(pieces.length).toBeLessThanOrEqual(40)
      },
    ),
    { numRuns: 50 },
  )
  const { pieces, isCut } = splitText('x'.repeat(2_000_000))
  expect([pieces.length, isCut, pieces.join('').length]).toEqual([40, true, 960_000])
})
