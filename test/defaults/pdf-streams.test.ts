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
  const part = packed(3 * MIB)
  const before = 'endstream\nendobj\n'
  const text = Buffer.from(pdfOf([part])).toString('latin1')
  const lying = text.replace(
    part.stream ?? '',
    `${part.stream?.slice(0, 100)}${part.stream?.slice(100)}${before}`,
  )
  expect(await overlongStream(new Uint8Array(Buffer.from(lying, 'latin1')), here)).toContain(
    '2097152',
  )
})

it('the search ends with its caller', async () => {
  const leaving = AbortSignal.abort(new Error('gone'))
  await expect(overlongStream(pdfOf([packed(MIB)]), leaving)).rejects.toThrow('gone')
})
