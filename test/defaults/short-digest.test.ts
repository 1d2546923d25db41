import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shortDigest as nodeDigest } from '../../adapters/node/short-digest.ts'
import { shortDigest } from '../../src/defaults/short-digest.ts'
import { sha256Hex } from '../../src/kernel/crypto.ts'
import { codePoint } from '../support/any-text.ts'

test.for(Object.entries({ portable: shortDigest, 'of Node': nodeDigest }))(
  '%s: the digest is the one that WebCrypto makes',
  async ([, digest]) => {
    expect(digest('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: codePoint, maxLength: 300 }), async (text) => {
        expect(digest(text)).toBe(await sha256Hex(text))
      }),
    )
  },
)
