import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sha256Hex } from '../../src/kernel/digest.ts'
import { shortDigest } from '../../src/kernel/short-digest.ts'

test('is the digest that WebCrypto makes', async () => {
  expect(shortDigest('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 300 }), async (text) => {
      expect(shortDigest(text)).toBe(await sha256Hex(text))
    }),
  )
})
