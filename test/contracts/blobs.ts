import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Blobs } from '../../src/ports/blobs.ts'

/** The blobs to test: empty, and used by nobody else. */
export interface BlobsSubject {
  readonly blobs: Blobs
  /** Opens the written blobs again after a close; left out if nothing outlives the object. */
  readonly reopen?: () => Promise<Blobs>
}

const text = (words: string): Uint8Array => new TextEncoder().encode(words)

/**
 * The tests that every adapter of the Blobs port must pass. `make` is called once for each test.
 *
 * @example
 *   import { mkdtemp } from 'node:fs/promises'
 *   import { createFileBlobs } from 'seine/unstorage'
 *
 *   blobsContract('My blobs', async () => ({
 *     blobs: createFileBlobs({ dir: await mkdtemp('/tmp/blobs-') }),
 *   }))
 */
export function blobsContract(subject: string, make: () => Promise<BlobsSubject>): void {
  describe(`${subject} keeps the Blobs contract`, () => {
    it('gives the same bytes back, whatever they are', async () => {
      const { blobs } = await make()
      const all = Uint8Array.from({ length: 256 }, (_, i) => i)
      const values = [
        all,
        new Uint8Array(0),
        text('true'),
        text('null'),
        text('{"json":1}'),
        text('12'),
        text('base64:AAAA'),
        text('\ufeffé'),
        new Uint8Array(3_000_000).fill(7),
      ]
      for (const [i, value] of values.entries()) await blobs.put(`v/${i}`, value)
      for (const [i, value] of values.entries()) {
        const back = await blobs.get(`v/${i}`)
        expect(back).toBeInstanceOf(Uint8Array)
        expect(
          back?.length === value.length && back.every((byte, index) => byte === value[index]),
        ).toBe(true)
      }
      await blobs.close()
    })

    it('tells absent blobs from empty ones, and replaces and removes blobs', async () => {
      const { blobs } = await make()
      expect(await blobs.get('a/b')).toBe(null)
      await blobs.remove('a/b')
      await blobs.put('a/b', text('one'))
      await blobs.put('a/b', text('2'))
      expect(await blobs.get('a/b')).toEqual(text('2'))
      await blobs.remove('a/b')
      expect(await blobs.get('a/b')).toBe(null)
      expect(await blobs.list('')).toEqual([])
      await blobs.close()
    })

    it('shares no buffer with writers and readers', async () => {
      const { blobs } = await make()
      const bytes = text('abc')
      await blobs.put('a', bytes)
      bytes[0] = 0
      const back = await blobs.get('a')
      expect(back).toEqual(text('abc'))
      back?.fill(0)
      expect(await blobs.get('a')).toEqual(text('abc'))
      await blobs.put('part', new Uint8Array(text('xabcx').buffer, 1, 3))
      expect(await blobs.get('part')).toEqual(text('abc'))
      await blobs.close()
    })

    it('gives a plain Uint8Array of any length, whose slice is a copy', async () => {
      const { blobs } = await make()
      for (const length of [3, 200_000]) {
        await blobs.put('plain', new Uint8Array(length).fill(7))
        const bytes = (await blobs.get('plain')) ?? new Uint8Array()
        const copy = bytes.slice()
        copy.fill(1)
        expect([bytes.length, bytes[0], copy.buffer === bytes.buffer]).toEqual([length, 7, false])
      }
      await blobs.close()
    })

    it('tells names apart that a file system or a separator could confuse', async () => {
      const { blobs } = await make()
      const names = [
        'a',
        'a/b',
        'a/b/c',
        'A',
        'A/b',
        'a:b',
        'a%2fb',
        'a=2fb',
        'a_b',
        'a__b',
        'a_B',
        'ab.blob',
        'ab',
        'ab.blob/x',
        '.git/x',
        'node_modules/x',
        'con',
        'CON',
        'nul/x',
        'x$',
        'é',
        'e\u0301',
        '\u{1f41f}/1',
        ' a',
        'a ',
        '...',
        '-',
        'a?x#y',
        'C:',
        '~',
      ]
      for (const name of names) await blobs.put(name, text(name))
      for (const name of names) expect(await blobs.get(name)).toEqual(text(name))
      expect((await blobs.list('')).toSorted()).toEqual(names.toSorted())
      await blobs.close()
    })

    it('lists names by prefix, which may end within a segment', async () => {
      const { blobs } = await make()
      for (const name of [
        'rows/01J/0',
        'rows/01J/1',
        'rows/01J/10',
        'rows/01K/0',
        'rowsx',
        'pages/01J/0',
      ])
        await blobs.put(name, text(name))
      const list = async (prefix: string): Promise<string[]> =>
        (await blobs.list(prefix)).toSorted()
      expect(await list('rows/01J/')).toEqual(['rows/01J/0', 'rows/01J/1', 'rows/01J/10'])
      expect(await list('rows/01J/1')).toEqual(['rows/01J/1', 'rows/01J/10'])
      expect(await list('rows/01')).toHaveLength(4)
      expect(await list('rows')).toHaveLength(5)
      expect(await list('')).toHaveLength(6)
      expect(await list('none/')).toEqual([])
      await blobs.close()
    })

    it('refuses names that lead out of its folder', async () => {
      const { blobs } = await make()
      for (const name of [
        '',
        '.',
        '..',
        '../x',
        'a/../b',
        'a/./b',
        '/etc/x',
        'a//b',
        'a/',
        'a\\b',
        '..\\x',
        'a\0b',
        '\ud800',
        'x'.repeat(513),
      ]) {
        await expect(blobs.put(name, text('x'))).rejects.toThrow(TypeError)
        await expect(blobs.get(name)).rejects.toThrow(TypeError)
        await expect(blobs.remove(name)).rejects.toThrow(TypeError)
      }
      expect(await blobs.list('')).toEqual([])
      await blobs.close()
    })

    it('accepts any well-formed name', async () => {
      // Any character of Unicode.
      const codePoint = fc
        .nat(0x10_ffff - 0x800)
        .map((value) => String.fromCodePoint(value < 0xd800 ? value : value + 0x800))
      const segment = fc
        .string({ unit: codePoint, minLength: 1, maxLength: 12, size: 'max' })
        .filter(
          (part) => !/[\0\\/]/.test(part) && part !== '.' && part !== '..' && part.isWellFormed(),
        )
      const { blobs } = await make()
      await fc.assert(
        fc.asyncProperty(fc.array(segment, { minLength: 1, maxLength: 3 }), async (parts) => {
          const name = parts.join('/')
          await blobs.put(name, text(name))
          expect(await blobs.get(name)).toEqual(text(name))
          expect(await blobs.list(name)).toContain(name)
          await blobs.remove(name)
          expect(await blobs.get(name)).toBe(null)
        }),
        { numRuns: 60 },
      )
      await blobs.close()
    })

    it('can be closed twice, rejects calls afterwards, and has the written blobs when it is opened again', async () => {
      const { blobs, reopen } = await make()
      await blobs.put('a/B', text('kept'))
      await Promise.all([blobs.close(), blobs.close()])
      await expect(blobs.get('a/B')).rejects.toThrow('closed')
      await expect(blobs.put('a/B', text('x'))).rejects.toThrow('closed')
      await expect(blobs.list('')).rejects.toThrow('closed')
      const again = await reopen?.()
      expect(await again?.get('a/B')).toEqual(reopen && text('kept'))
      await again?.close()
    })
  })
}
