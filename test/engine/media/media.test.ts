import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readDataUrl, withoutData } from '../../../src/engine/media/data-url.ts'
import { imageSize, sniffType } from '../../../src/engine/media/sniff.ts'
import { mapMedia } from '../../../src/engine/media/map-media.ts'
import { mediaName, MEDIA_EXTENSIONS, UNKNOWN_TYPE } from '../../../src/engine/media/media-types.ts'
import { anyUrl, codePoint } from '../../support/any-text.ts'
import { gifOf, jpegOf, pngOf, webpOf } from '../../support/fakes/image-bytes.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)
const latin1 = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0))
const side = fc.integer({ min: 1, max: 16_383 })

describe('the type of bytes', () => {
  it.each([
    ['\x89PNG\r\n\x1a\n', 'text/html', 'image/png'],
    ['\xff\xd8\xff\xe0', '', 'image/jpeg'],
    ['GIF87a', 'image/jpeg', 'image/gif'],
    ['RIFF....WEBPVP8 ', '', 'image/webp'],
    ['....ftypavif', '', 'image/avif'],
    ['....ftypisom', '', 'video/mp4'],
    ['....ftypM4A ', '', 'audio/mp4'],
    ['\x1aE\xdf\xa3', 'audio/webm', 'audio/webm'],
    ['OggS\0', 'video/ogg', 'video/ogg'],
    ['ID3', '', 'audio/mpeg'],
    ['RIFF....WAVE', '', 'audio/wav'],
    ['%PDF-1.4', 'text/html', 'application/pdf'],
    ['\x1f\x8b\x08', 'text/html', 'application/gzip'],
    ['PK\x03\x04', 'application/epub+zip', 'application/epub+zip'],
    ['PK\x03\x04', 'application/vnd.unknown', 'application/zip'],
    ['PK\x03\x04', 'text/html', 'application/zip'],
    ['a,b', 'Text/CSV; charset=utf-8', 'text/csv'],
    ['{}', 'application/json', 'application/json'],
    ['<svg>', 'image/svg+xml', 'image/svg+xml'],
    ['<?xml version="1.0"?><svg/>', 'image/svg+xml', 'image/svg+xml'],
    ['<html><svg>', 'image/svg+xml', UNKNOWN_TYPE],
    ['<svg>', 'text/html', UNKNOWN_TYPE],
    ['<html>', 'text/html', UNKNOWN_TYPE],
    ['<html>', 'image/png', UNKNOWN_TYPE],
    ['alert(1)', 'text/javascript', UNKNOWN_TYPE],
    ['x', 'constructor', UNKNOWN_TYPE],
    ['', '', UNKNOWN_TYPE],
  ])('%j, declared %s: %s', (head, declared, type) => {
    expect(sniffType(latin1(head), declared)).toBe(type)
  })

  it('is one of a closed list, none of which a browser runs outside of a sandbox', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 40 }),
        fc.oneof(
          fc.string(),
          fc.constantFrom(
            'text/html',
            'image/svg+xml',
            'text/xml',
            'application/xhtml+xml',
            'text/javascript',
            'multipart/related',
            '__proto__',
          ),
        ),
        (bytes, declared) => {
          expect([...Object.keys(MEDIA_EXTENSIONS), UNKNOWN_TYPE]).toContain(
            sniffType(bytes, declared),
          )
        },
      ),
    )
    expect(
      Object.keys(MEDIA_EXTENSIONS).filter((type) =>
        /html|\bxml|script|multipart|wasm|flash/.test(type),
      ),
    ).toEqual(['image/svg+xml'])
  })
})

describe('the size of an image', () => {
  it('is read from the head', () => {
    fc.assert(
      fc.property(side, side, (width, height) => {
        const heads = [
          [pngOf(width, height), 'image/png'],
          [gifOf(width, height), 'image/gif'],
          [jpegOf(width, height), 'image/jpeg'],
          [webpOf('VP8 ', width, height), 'image/webp'],
          [webpOf('VP8L', width, height), 'image/webp'],
          [webpOf('VP8X', width, height), 'image/webp'],
        ] as const
        for (const [bytes, type] of heads)
          expect([type, imageSize(bytes, type)]).toEqual([type, { width, height }])
      }),
    )
  })

  it('is unknown for a damaged head, and no bytes make it fail', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 64 }),
        fc.constantFrom(
          'image/png',
          'image/gif',
          'image/jpeg',
          'image/webp',
          'image/bmp',
          'text/plain',
        ),
        (bytes, type) => {
          const size = imageSize(bytes, type)
          expect(size === null || (size.width > 0 && size.height > 0)).toBe(true)
        },
      ),
    )
    expect(imageSize(pngOf(0, 5), 'image/png')).toBeNull()
    expect(imageSize(jpegOf(1, 1).slice(0, 9), 'image/jpeg')).toBeNull()
    expect(imageSize(new Uint8Array(100_000).fill(0xff), 'image/jpeg')).toBeNull()
  })
})

describe('a data URL', () => {
  it.each([
    ['data:,hello%20you', 'text/plain', 'hello you'],
    ['data:text/html;charset=utf-8,%3Cp%3e', 'text/html;charset=utf-8', '<p>'],
    ['DATA:text/plain;base64,aGk=', 'text/plain', 'hi'],
    ['data:text/plain ; BASE64 ,aGk', 'text/plain ', 'hi'],
    ['data:;base64,aG%6b=', 'text/plain', 'hi'],
    ['data:a/b,%zz%4', 'a/b', '%zz%4'],
    ['data:,é', 'text/plain', 'é'],
  ])('%s', (url, contentType, text) => {
    const data = readDataUrl(url)
    expect(data?.contentType.trim()).toBe(contentType.trim())
    expect(new TextDecoder().decode(data?.body)).toBe(text)
  })

  it('without a comma, or of no base64, is none', () => {
    for (const url of ['data:text/plain', 'data:;base64,!', 'http://a,b'])
      expect(readDataUrl(url)).toBeNull()
    expect([
      withoutData('data:image/png;base64,AAAA'),
      withoutData(`data:${'x'.repeat(1_000)},A`).length,
    ]).toEqual(['data:image/png;base64', 100])
  })

  it('gives back any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(
          readDataUrl(`data:x/y;base64,${Buffer.from(bytes).toString('base64')}`)?.body,
        ).toEqual(Uint8Array.from(bytes))
        expect(
          readDataUrl(
            `data:x/y,${[...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')}`,
          )?.body,
        ).toEqual(Uint8Array.from(bytes))
      }),
    )
  })
})

describe('a name', () => {
  it.each([
    ['https://a.example.com/i/Fountain%20pen.JPG?x=1', 'image/jpeg', 'Fountain-pen.jpg'],
    ['https://a.example.com/x.php.html', 'application/pdf', 'x-php.pdf'],
    ['https://a.example.com/', 'image/png', 'media.png'],
    ['https://a.example.com/%E4%BE%8B.png', 'image/png', 'media.png'],
    ['https://a.example.com/caf%C3%A9.svg', 'text/html', 'cafe.bin'],
    ['https://a.example.com/..%2f..%2fetc%2fpasswd', 'image/png', 'etc-passwd.png'],
    ['https://a.example.com/%ff', 'image/png', 'ff.png'],
    ['data:image/png;base64', 'image/png', 'media.png'],
    [`https://a.example.com/${'x'.repeat(120)}.png`, 'image/png', `${'x'.repeat(60)}.png`],
  ])('of %s as %s is %s', (url, type, name) => {
    expect(mediaName(url, type)).toBe(name)
  })

  it('is safe in paths and headers whatever the URL', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: codePoint }),
          anyUrl,
          fc
            .string()
            .map((text) => `https://a.example.com/${encodeURIComponent(text.toWellFormed())}`),
        ),
        fc.constantFrom(...Object.keys(MEDIA_EXTENSIONS), 'text/html'),
        (url, type) => {
          expect(mediaName(url, type)).toMatch(/^[\w-]{1,60}\.[a-z\d]{1,8}$/)
        },
      ),
    )
  })
})

describe('media values in a row', () => {
  const mediaOf = (row: Parameters<typeof mapMedia>[0], ...paths: string[][]) =>
    mapMedia(row, paths, ({ sourceUrl }) => `<${sourceUrl}>`)

  it('are found by their paths, through lists, and nothing else is', () => {
    const value = (url: string) => ({ sourceUrl: url })
    const row = {
      a: value('1'),
      b: [value('2'), null, 'x'],
      c: [{ d: value('3'), e: value('4') }, { d: [value('5')] }],
      f: value('6'),
    }
    expect(mediaOf(row, ['a'], ['b'], ['c', 'd'])).toEqual({
      a: '<1>',
      b: ['<2>', null, 'x'],
      c: [{ d: '<3>', e: { sourceUrl: '4' } }, { d: ['<5>'] }],
      f: { sourceUrl: '6' },
    })
    expect(Object.keys(mediaOf(row, ['b']))).toEqual(['a', 'b', 'c', 'f'])
    expect(mediaOf(row, ['none'], ['a', 'b'], ['c'])).toEqual(row)
    expect(mediaOf({ a: { sourceUrl: 5 } }, ['a'], ['toString'])).toEqual({ a: { sourceUrl: 5 } })
  })
})

it('utf8 and latin1 heads are told apart', () => {
  expect(sniffType(utf8('\ufeff<svg>'), 'image/svg+xml')).toBe('image/svg+xml')
})
