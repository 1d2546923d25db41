import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeBody } from '../../../../src/engine/extract/page/charset.ts'

const decoded = (...body: Parameters<typeof decodeBody>) => decodeBody(...body).toString()

test('a long text is decoded in parts as in the whole, whatever bytes are at their borders', () => {
  const bytes = fc.array(
    fc.constantFrom(0x41, 0x80, 0xbf, 0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0xff),
    { maxLength: 10 },
  )
  fc.assert(
    fc.property(bytes, bytes, fc.nat(12), (first, second, before) => {
      const body = new Uint8Array(130_000).fill(0x78)
      body.set(first, 60_000 - before)
      body.set(second, 120_000 - before)
      const whole = new TextDecoder().decode(body)
      expect(decodeBody(body, 'text/html', 'html').parts.length).toBeGreaterThanOrEqual(
        whole.includes('\ufffd') ? 1 : 3,
      )
      expect(decoded(body, 'text/html; charset=utf-8', 'html')).toBe(whole)
      const isValid = !whole.includes('\ufffd')
      expect(decoded(body, 'text/html', 'html')).toBe(
        isValid ? whole : new TextDecoder('windows-1252').decode(body),
      )
    }),
    { numRuns: 40 },
  )
})

test('a charset is found without an error for any bytes and header', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.string(),
      fc.constantFrom<'html' | 'xml' | 'json' | 'text'>('html', 'xml', 'json', 'text'),
      (body, header, kind) => {
        expect(typeof decoded(body, header, kind)).toBe('string')
      },
    ),
  )
})
