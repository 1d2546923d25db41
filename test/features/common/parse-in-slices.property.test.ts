import fc from 'fast-check'
import { expect, it, onTestFinished, vi } from 'vitest'
import { parseInSlices } from '../../../src/features/common/parse-in-slices.ts'
import type { Json } from '../../../src/kernel/json.ts'
import { Pace, SliceScheduler } from '../../../src/kernel/pace.ts'

/** Pauses between slices take no turns of the event loop. */
const pace = () => new Pace({ scheduler: new SliceScheduler(async () => {}) })
const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc
    .array(fc.constantFrom('"', '\\', '\\u', '\n', '\u0001', 'é', '😀', '\ud800', 'x'), {
      maxLength: 100,
    })
    .map((parts) => parts.join('')),
)
const { value: json } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    text,
    fc.constantFrom(null, true, false, 0, -1.5, 1e21),
    fc.array(tie('value'), { maxLength: 8 }),
    fc.dictionary(fc.oneof(text, fc.constantFrom('__proto__', '1', 'a')), tie('value'), {
      maxKeys: 8,
    }),
  ),
}))

it('the result equals that of JSON.parse, wherever the pieces end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(json), fc.integer({ min: 30, max: 300 }), async (value, piece) => {
      const bytes = bytesOf(value)
      const parsed: Json = JSON.parse(new TextDecoder().decode(bytes))
      expect(await parseInSlices(bytes, { piece, pace: pace() })).toStrictEqual(parsed)
    }),
    { numRuns: 200 },
  )
})

it('a text without an end is refused', async () => {
  for (const cut of ['["a', '{"a":"b', '["a\\', '[["a"]', `["${'a'.repeat(100)}`, '[1'])
    await expect(
      parseInSlices(new TextEncoder().encode(cut), { piece: 30 }),
    ).rejects.toBeInstanceOf(SyntaxError)
})

it('a text that is not UTF-8 is refused, and does not hold its reader for good', async () => {
  const bytes = new TextEncoder().encode(`["${'a'.repeat(100)}"]`)
  await expect(parseInSlices(bytes.fill(0x80, 2, 102), { piece: 30 })).rejects.toBeInstanceOf(
    SyntaxError,
  )
})

it.each<[what: string, value: Json]>([
  ['one long text', ['x"\n'.repeat(1_000_000)]],
  ['many short texts', [Array.from({ length: 300_000 }, (_, index) => `text ${index}`)]],
  [
    'many small objects',
    [Array.from({ length: 100_000 }, (_, index) => ({ at: index, a: ['x'] }))],
  ],
  ['a deep list of long texts', [[[['y'.repeat(500_000), ['z'.repeat(500_000)]]]]]],
])('no step parses or decodes much: %s', async (_, value) => {
  const bytes = bytesOf(value)
  const parse = vi.spyOn(JSON, 'parse')
  const decode = vi.spyOn(TextDecoder.prototype, 'decode')
  onTestFinished(() => void [parse, decode].forEach((spy) => spy.mockRestore()))
  const parsed = await parseInSlices(bytes)
  const largest = Math.max(...parse.mock.calls.map(([part]) => part.length))
  const longest = Math.max(...decode.mock.calls.map(([part]) => part?.byteLength ?? 0))
  expect([largest <= 70_000, longest <= 262_144]).toEqual([true, true])
  expect(parsed).toEqual(value)
})
