import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TextParts } from '../../src/kernel/text/text-parts.ts'

// Proves that a text in parts gives the same results as the whole text, wherever it is divided.

const parts = fc.array(fc.stringMatching(/^[ab<\s]{0,6}$/), { maxLength: 8 })

describe('a text in parts', () => {
  test('has the length, the slices and the characters of the whole', () => {
    fc.assert(
      fc.property(parts, fc.nat(60), fc.nat(60), (list, start, end) => {
        const text = new TextParts(list)
        const whole = list.join('')
        expect(text.length).toBe(whole.length)
        expect(text.slice(start, end)).toBe(whole.slice(start, end))
        expect(text.toString()).toBe(whole)
        expect(text.slice(start, end)).toBe(whole.slice(start, end))
      }),
    )
  })

  test('has a string or a match of a pattern also across the borders of parts', () => {
    fc.assert(
      fc.property(parts, fc.stringMatching(/^[ab<]{1,5}$/), (list, sought) => {
        const text = new TextParts(list)
        const whole = list.join('')
        expect(text.has(sought)).toBe(whole.includes(sought))
        expect(text.has(/<b?a\s/)).toBe(/<b?a\s/.test(whole))
      }),
    )
  })

  test('has the same characters in parts of at most some length', () => {
    fc.assert(
      fc.property(parts, fc.integer({ min: 1, max: 7 }), (list, most) => {
        const text = new TextParts(list).divided(most)
        expect(text.parts.join('')).toBe(list.join(''))
        expect(Math.max(0, ...text.parts.map(({ length }) => length))).toBeLessThanOrEqual(most)
      }),
    )
  })

  test('has a string of 200 characters across the border of long parts', () => {
    const [first, second] = [`${'x'.repeat(500)}${'a'.repeat(199)}`, `b${'x'.repeat(500)}`]
    expect(new TextParts([first, second]).has(`${'a'.repeat(199)}b`)).toBe(true)
  })
})
