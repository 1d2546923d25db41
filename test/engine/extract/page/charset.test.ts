import { describe, expect, test } from 'vitest'
import { decodeBody } from '../../../../src/engine/extract/page/charset.ts'

const ascii = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))
const decoded = (...body: Parameters<typeof decodeBody>) => decodeBody(...body).toString()
const utf8 = (text: string) => new TextEncoder().encode(text)
const join = (...parts: readonly Uint8Array[]) =>
  Uint8Array.from(parts.flatMap((part) => [...part]))

describe('the charset', () => {
  test.each<[string, string, Uint8Array, string]>([
    ['of the header', 'text/html; charset=windows-1251', Uint8Array.of(0xcf, 0xf0), 'Пр'],
    ['of the header, quoted', 'text/html; charset="Shift_JIS"', Uint8Array.of(0x93, 0xfa), '日'],
    [
      'of the byte order mark, against the header',
      'text/html; charset=utf-8',
      Uint8Array.of(0xff, 0xfe, 0x41, 0x00),
      'A',
    ],
    [
      'of the byte order mark of UTF-8',
      'text/html; charset=iso-8859-1',
      Uint8Array.of(0xef, 0xbb, 0xbf, 0xc3, 0xa9),
      'é',
    ],
    [
      'of a meta element',
      'text/html',
      join(ascii('<meta charset=gbk>'), Uint8Array.of(0xc4, 0xe3)),
      '<meta charset=gbk>你',
    ],
    [
      'of a meta http-equiv',
      'text/html',
      join(
        ascii('<meta http-equiv=content-type content="text/html;charset=koi8-r">'),
        Uint8Array.of(0xf0),
      ),
      '<meta http-equiv=content-type content="text/html;charset=koi8-r">П',
    ],
    ['UTF-8 where nothing is said and the bytes are', 'text/html', utf8('é 日'), 'é 日'],
    ['windows-1252 where they are not', 'text/html', Uint8Array.of(0x93, 0xe9, 0x94), '“é”'],
  ])('%s', (_, type, body, expected) => expect(decoded(body, type, 'html')).toBe(expected))

  test.each([
    ['text/html;charset=gbk', '你'],
    ['text/html; x="charset=koi8-r"; charset=GBK', '你'],
    ['text/html;charset="\\g\\bk', '你'],
    ['text/html;charset=gbk;charset=koi8-r', '你'],
    ['text/html;;charset;charset=gbk', '你'],
    ['text/html;charset =gbk', 'Äã'],
    ["text/html;charset='gbk'", 'Äã'],
    ['text/html;\fcharset=gbk', 'Äã'],
    ['text/html;charset="";charset=gbk', 'Äã'],
  ])('of %s is the one that a browser uses', (type, expected) =>
    expect(decoded(Uint8Array.of(0xc4, 0xe3), type, 'html')).toBe(expected),
  )

  test('comes from a meta element beyond the first kilobyte if the bytes are not UTF-8', () => {
    const page = ascii(`<!--${'x'.repeat(20_000)}--><meta charset=gbk>`)
    expect(decoded(join(page, Uint8Array.of(0xc4, 0xe3)), 'text/html', 'html')).toMatch(/你$/)
    expect(decoded(join(page, utf8('你')), 'text/html', 'html')).toMatch(/你$/)
  })

  test('comes from an XML declaration', () => {
    const declaration = '<?xml version="1.0" encoding="iso-8859-2"?>'
    expect(decoded(join(ascii(declaration), Uint8Array.of(0xb1)), 'text/xml', 'xml')).toBe(
      `${declaration}ą`,
    )
  })

  test.each([
    'utf-7',
    'iso-2022-kr',
    'x-user-defined',
    'replacement',
    'no-such',
    '\u0000',
    'utf-16',
    'hz-gb-2312',
  ])('%s never throws', (label) => {
    expect(typeof decoded(utf8('plain'), `text/html; charset=${label}`, 'html')).toBe('string')
    expect(typeof decoded(ascii(`<meta charset="${label}">plain`), 'text/html', 'html')).toBe(
      'string',
    )
  })

  test.each([
    ['valid UTF-8', 1, [0xe2, 0x82, 0xac], [0xf0, 0x9f, 0x98, 0x80]],
    ['bytes that are none', 3, [0xff, 0xe2, 0x82], [0xc3]],
  ])('of a long text with %s at borders is decoded as in the whole', (_, before, first, second) => {
    const body = new Uint8Array(130_000).fill(0x78)
    body.set(first, 60_000 - before)
    body.set(second, 120_000 - before)
    const whole = new TextDecoder().decode(body)
    const isValid = !whole.includes('\ufffd')
    expect(decodeBody(body, 'text/html', 'html').parts.length).toBeGreaterThanOrEqual(
      isValid ? 3 : 1,
    )
    expect(decoded(body, 'text/html; charset=utf-8', 'html')).toBe(whole)
    expect(decoded(body, 'text/html', 'html')).toBe(
      isValid ? whole : new TextDecoder('windows-1252').decode(body),
    )
  })

  test('a byte order mark within a long text stays', () => {
    const marks = join(ascii('x'.repeat(60_000)), Uint8Array.of(0xef, 0xbb, 0xbf), ascii('y'))
    for (const type of ['text/html', 'text/html; charset=utf-8'])
      expect(decoded(marks, type, 'html')).toMatch(/x\ufeffy$/)
  })
})
