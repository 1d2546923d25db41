import * as fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Json } from '../../src/kernel/json.ts'
import { jsonPieces, jsonWeight } from '../../src/kernel/json-pieces.ts'

test('the pieces together equal the text of JSON.stringify', () => {
  const json = fc.json({ maxDepth: 6 }).map((text): Json => JSON.parse(text))
  fc.assert(
    fc.property(json, (value) => {
      expect([...jsonPieces(value)].join('')).toBe(JSON.stringify(value))
    }),
    { numRuns: 300 },
  )
  const texts = fc
    .array(
      fc.constantFrom('x'.repeat(65_535), '\ud83d\ude00', '"', 'a', '\ud83d', '\n'.repeat(70_000)),
      { maxLength: 8 },
    )
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(texts, (text) => {
      expect([...jsonPieces({ text, list: [text] })].join('')).toBe(
        JSON.stringify({ text, list: [text] }),
      )
    }),
    { numRuns: 60 },
  )
})

test('a long value comes in pieces of bounded length', () => {
  const value = {
    page: '\u0001'.repeat(3_000_000),
    list: Array.from({ length: 50_000 }, (_, index) => index),
    small: Array.from({ length: 20_000 }, (_, index) => ({ at: index, tags: ['a', 'b'] })),
  }
  const pieces = [...jsonPieces(value)]
  expect(pieces.join('')).toBe(JSON.stringify(value))
  expect(pieces.length).toBeGreaterThan(40)
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(600_000)
})

test('the size of a value is counted only up to the wanted number', () => {
  let looked = 0
  const list = new Proxy<string[]>(
    Array.from({ length: 1_000 }, () => 'x'.repeat(100)),
    {
      get: (target, key) => {
        if (key !== 'length') looked++
        return Reflect.get(target, key)
      },
    },
  )
  expect(jsonWeight([list, { list }, list], 5_000)).toBeGreaterThanOrEqual(5_000)
  expect(looked).toBeLessThan(60)
})

test('a long text is not copied where it is its own JSON', () => {
  const stringify = vi.spyOn(JSON, 'stringify')
  onTestFinished(() => stringify.mockRestore())
  const callsFor = (text: string): number => {
    stringify.mockClear()
    for (const piece of jsonPieces(text)) expect(piece.length).toBeGreaterThan(0)
    return stringify.mock.calls.length
  }
  expect(callsFor('some words, é and €. '.repeat(50_000))).toBe(0)
  expect(callsFor(`${'x'.repeat(500_000)}"${'x'.repeat(500_000)}`)).toBe(1)
})
