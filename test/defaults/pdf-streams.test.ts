import { deflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { overlongStream } from '../../src/defaults/pdf-streams.ts'
import { makePdf, makePdfOf, objectsOf } from '../support/fakes/make-pdf.ts'
import type { PdfObject } from '../support/fakes/make-pdf.ts'

const here = new AbortController().signal
const MIB = 1_048_576

const packed = (bytes: number, dictionary = ''): PdfObject => ({
  dictionary: `${dictionary} /Filter /FlateDecode`,
  stream: deflateSync(Buffer.alloc(bytes, ' ')).toString('latin1'),
})
const picture = (bytes: number): PdfObject => packed(bytes, '/Type /XObject /Subtype /Image')
const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'))
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')
const pdfOf = (parts: readonly PdfObject[]): Uint8Array =>
  makePdfOf([...objectsOf(['']), ...parts], 3, { packed: false })

it('a file of usual parts and pictures is read', async () => {
  for (const body of [
    makePdf(Array.from({ length: 50 }, (_, index) => [`Page ${index}`])),
    pdfOf([packed(MIB), picture(20 * MIB), packed(MIB)]),
    new TextEncoder().encode('%PDF-1.7 stream\n\u0078\u009c and nothing more'),
    new Uint8Array(),
  ])
    expect(await overlongStream(body, here)).toBeNull()
})

it.each([
  ['a part', pdfOf([packed(3 * MIB)]), '2097152 bytes'],
  ['a picture', pdfOf([packed(MIB), picture(33 * MIB)]), '33554432 bytes'],
  ['all parts', pdfOf(Array.from({ length: 17 }, () => packed(MIB))), '16777216 bytes'],
  ['all pictures', pdfOf(Array.from({ length: 3 }, () => picture(22 * MIB))), '67108864 bytes'],
  [
    'very many parts',
    new Uint8Array(
      Buffer.from(`stream\n${deflateSync('').toString('latin1')}`.repeat(20_000), 'latin1'),
    ),
    '16777216 bytes',
  ],
])('a file is refused for the bytes that %s would unpack to', async (_, body, bound) => {
  expect(await overlongStream(body, here)).toContain(`more than ${bound}`)
})

it('a part ends where its packed bytes do, whatever the file says', async () => {
  const content = Buffer.alloc(3 * MIB, ' ')
  content.write('endstream endobj\n', 100)
  const stored = deflateSync(content, { level: 0 })
  expect(stored.includes('endstream endobj')).toBe(true)
  for (const dictionary of [flate, `/Length 20 ${flate}`])
    expect(await overlongStream(fileWith(stored, dictionary), here)).toContain('2097152')
})

/** A file with one part, whose content is 3 MiB of spaces. */
function fileWith(stream: string | Buffer, dictionary: string, line = '\n'): Uint8Array {
  const content = typeof stream === 'string' ? stream : stream.toString('latin1')
  return bytesOf(
    `%PDF-1.7\n1 0 obj\n<< ${dictionary} >>\nstream${line}${content}\nendstream endobj\n`,
  )
}
const once = deflateSync(Buffer.alloc(3 * MIB, ' '))
const flate = '/Filter /FlateDecode'

it.each(['\n', '\r\n', ' \n', '\t \r', ' % comment\n', '(x)\n'])(
  'a part is found after the line of its word, whatever else is on it: %j',
  async (line) => {
    expect(await overlongStream(fileWith(once, flate, line), here)).toContain('2097152')
  },
)

it.each([
  ['[/FlateDecode /FlateDecode]', deflateSync(once)],
  ['[ /Fl/Fl ]', deflateSync(once)],
  ['/#46lateDecode %\n/Filter [/Fl#61teDecode %\n/FlateDecode]', deflateSync(once)],
  ['[/ASCIIHexDecode /FlateDecode]', `${once.toString('hex')}>`],
  ['7 0 R', deflateSync(once)],
  ['[7 0 R]', deflateSync(once)],
  ['%\n[/FlateDecode /FlateDecode]', deflateSync(once)],
])('a part whose filters may be more than one is refused: %s', async (filter, stream) => {
  const reason = 'a part of it is packed more than once'
  expect(await overlongStream(fileWith(stream, `/Filter ${filter}`), here)).toBe(reason)
  for (const length of [65_400, 65_530, 66_000, 67_000, 67_500]) {
    const file = Buffer.from(fileWith(stream, `${' '.repeat(length)} /Filter ${filter}`))
    expect(await overlongStream(new Uint8Array(file), here), `${length}`).toBe(reason)
  }
})

it.each([
  '/Filter /LZWDecode',
  '/Filter [/RunLengthDecode]',
  '/Filter /RL',
  '/Filter /ASCII#48exDecode',
  '/Filter /DCTDecode',
  '/F [/Fl /Fl]',
  '/F 7 0 R',
  `${flate} /F /LZWDecode`,
  `/Filter /LZWDecode %/Subtype /Image\n`,
])('a part whose size cannot be measured is refused, but a picture: %s', async (dictionary) => {
  const file = fileWith('anything', dictionary)
  expect(await overlongStream(file, here)).toContain('says nothing of its size')
  const drawn = fileWith('anything', `/Subtype /Image ${dictionary}`)
  expect(await overlongStream(drawn, here)).toBeNull()
})

it('a part is a picture by its own dictionary alone', async () => {
  for (const body of [
    fileWith(once, `${flate} %/Subtype /Image\n`),
    bytesOf(`2 0 obj << /Subtype /Image >> endobj\n${textOf(fileWith(once, flate))}`),
    bytesOf(`%/Subtype /Image\n${textOf(fileWith(once, flate))}`),
  ])
    expect(await overlongStream(body, here)).toContain('2097152')
})

it('the search ends with its caller', async () => {
  const leaving = AbortSignal.abort(new Error('gone'))
  await expect(overlongStream(pdfOf([packed(MIB)]), leaving)).rejects.toThrow('gone')
})
