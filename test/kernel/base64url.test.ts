import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fromBase64Url, toBase64Url } from '../../src/kernel/base64url.ts'

it('gives back any bytes, in characters that are safe in URLs', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const text = toBase64Url(bytes)
      expect(text).toMatch(/^[\w-]*$/)
      expect(text).toBe(Buffer.from(bytes).toString('base64url'))
      expect([...(fromBase64Url(text) ?? [])]).toEqual([...bytes])
    }),
  )
})

it.each(['A', 'AB', 'AA==', 'AA+A', 'AA/A', 'A A', 'AAA\n', 'é'])('takes no other spelling: %j', (text) => {
  expect(fromBase64Url(text)).toBeNull()
})
