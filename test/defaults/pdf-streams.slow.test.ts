import { deflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { checkPdf } from '../../src/defaults/pdf-streams.ts'
import { readPdf } from '../../src/engine/pdf/read-pdf.ts'
import { makePdf, makePdfOf, objectsOf } from '../support/fakes/make-pdf.ts'
import type { PdfObject } from '../support/fakes/make-pdf.ts'

const here = new AbortController().signal

/** Why a file is not read, or `null`. */
async function overlongStream(body: Uint8Array, signal: AbortSignal): Promise<string | null> {
  const checked = await checkPdf(body, signal)
  return 'refused' in checked ? checked.refused : null
}
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
    pdfOf([packed(102_400), picture(40 * MIB), picture(40 * MIB), packed(102_400)]),
    new TextEncoder().encode('%PDF-1.7 stream\n\u0078\u009c and nothing more'),
    new Uint8Array(),
  ])
    expect(await overlongStream(body, here)).toBeNull()
})

it.each([
  ['a part', pdfOf([packed(3 * MIB)]), '102400 bytes'],
  ['all parts', pdfOf(Array.from({ length: 170 }, () => packed(102_400))), '16777216 bytes'],
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
    expect(await overlongStream(fileWith(stored, dictionary), here)).toContain('102400')
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
    expect(await overlongStream(fileWith(once, flate, line), here)).toContain('102400')
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
  // One that begins with a filter that is not measured is refused for that.
  const reason = /^a part of it is packed (?:more than once|in a way that hides its size)$/
  expect(await overlongStream(fileWith(stream, `/Filter ${filter}`), here)).toMatch(reason)
  for (const length of [65_400, 65_530, 66_000, 67_000, 67_500]) {
    const file = Buffer.from(fileWith(stream, `${' '.repeat(length)} /Filter ${filter}`))
    expect(await overlongStream(new Uint8Array(file), here), `${length}`).toMatch(reason)
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
  expect(await overlongStream(file, here)).toContain('hides its size')
  const drawn = fileWith('anything', `/Subtype /Image /Length 8 ${dictionary}`)
  expect(await overlongStream(drawn, here)).toBeNull()
})

it('a part is a picture by its own dictionary alone', async () => {
  for (const body of [
    fileWith(once, `${flate} %/Subtype /Image\n`),
    bytesOf(`2 0 obj << /Subtype /Image >> endobj\n${textOf(fileWith(once, flate))}`),
    bytesOf(`%/Subtype /Image\n${textOf(fileWith(once, flate))}`),
  ])
    expect(await overlongStream(body, here)).toContain('102400')
})

it('the search ends with its caller', async () => {
  const leaving = AbortSignal.abort(new Error('gone'))
  await expect(overlongStream(pdfOf([packed(MIB)]), leaving)).rejects.toThrow('gone')
})

const pictureWith = (dictionary: string, stream = 'the bytes of it'): Uint8Array =>
  fileWith(stream, `/Subtype /Image ${dictionary}`)

it.each([
  '/Length 15 /Filter [/FlateDecode /DCTDecode]',
  '/Length 9 0 R /Filter [ /FlateDecode /DCTDecode ]',
  '/Length 9 0 R /Filter [/Fl%\n/DCT]',
  '/Length 9 0 R /Filter /JPXDecode',
  '/Filter /Flate#44ecode',
  '/Length 15 /Filter [/ASCII85Decode /CCITTFaxDecode]',
  '/Length 15 /Filter 7 0 R /DecodeParms << /K -1 >>',
  '/Length 15',
])(
  'a picture is empty for whoever reads the file, however it is packed: %s',
  async (dictionary) => {
    const body = pictureWith(dictionary)
    const before = textOf(body)
    const checked = await checkPdf(body, here)
    const after = 'body' in checked ? textOf(checked.body) : checked.refused
    // All else is where it was.
    expect(after).toBe(before.replace('the bytes of it', '\0'.repeat(15)))
    // The bytes of the page are kept, and have a digest.
    expect(textOf(body)).toBe(before)
  },
)

it('a picture is empty to the end that it says it has, whatever is in it', async () => {
  const stream = 'endstream endobj 5 0 obj << /Filter [/Fl /Fl] >> stream\nx'
  const checked = await checkPdf(pictureWith(`/Length ${stream.length} /Filter /LZW`, stream), here)
  expect('body' in checked && textOf(checked.body)).toContain('\0'.repeat(stream.length))
})

it.each([
  '/Filter /LZWDecode',
  '/Length 9 0 R /Filter /CCITTFaxDecode',
  `/Length 15${' '.repeat(70)}0 R /Filter /LZWDecode`,
  '/Length 14 /Filter /LZWDecode',
  '/Length 15 /Length 9 0 R /Filter /LZWDecode',
  '/Length 9 0 R /DecodeParms << /Length 15 >> /Filter /LZWDecode',
  '/Length 9 0 R /F /LZW',
  '/Length 9 0 R /Filter 7 0 R',
  '/Length 9 0 R /Filter [7 0 R /FlateDecode]',
  '/Length1 15 /Filter [/RunLengthDecode /FlateDecode]',
])('a picture that could go on after its end, and unpack, is refused: %s', async (dictionary) => {
  expect(await overlongStream(pictureWith(dictionary), here)).toContain('the end of a picture')
})

it('a picture that a page names as its text draws nothing', async () => {
  const text = 'BT /F 12 Tf 50 700 Td (drawn) Tj ET '
  for (const [dictionary, drawn] of [
    ['', 'drawn'],
    ['/Subtype /Image', ''],
  ] as const) {
    const objects = objectsOf(['', ''])
    const contents = objects.map((object, index) =>
      index === 4 ? { dictionary, stream: text } : object,
    )
    for (const isPacked of [true, false]) {
      const checked = await checkPdf(makePdfOf(contents, 3, { packed: isPacked }), here)
      if ('refused' in checked) throw new Error(checked.refused)
      expect((await readPdf(checked.body, here)).text).toBe(drawn)
    }
  }
})

it.each([
  ['', 'more than 102400 bytes'],
  ['/Length 300000', 'more than 102400 bytes'],
  ['/Length 10', 'more than 102400 bytes'],
  ['/Length 9 0 R', 'more than 102400 bytes'],
  ['/Length1 1 /Length 9 0 R', 'more than 102400 bytes'],
  ['/Type /Metadata /Length 9 0 R', 'more than 102400 bytes'],
  ['/Resources << /Length 10 >> /Length 300000', 'more than 102400 bytes'],
  ['/Filter /Unknown /Length 300000', 'more than 102400 bytes'],
  ['/X (5 0 obj << /Filter /FlateDecode /Length 10) /Length 300000', 'not certain'],
  ['/Length 300000 /X (5 0 obj << /Filter /FlateDecode /Length 10)', 'not certain'],
  ['/Length 300000 % 5 0 obj << /Filter /FlateDecode\n', 'not certain'],
])(
  'a large part that is not packed is refused, whatever its dictionary says: %s',
  async (dictionary, reason) => {
    const content = 'x\u009c endstream 1 1 m 2 2 l n'.padEnd(300_000, ' 1 1 m 2 2 l n')
    expect(await overlongStream(fileWith(content.slice(12), dictionary), here)).toContain(reason)
    expect(await overlongStream(fileWith(content.slice(0, 60_000), dictionary), here)).toBeNull()
  },
)

it('a part that looks like a picture without a filter is refused if its length is wrong', async () => {
  const dictionary = '/Length 300000 /X (5 0 obj << /Subtype /Image /Length 10)'
  const large = fileWith(' 1 1 m 2 2 l n'.repeat(30_000), dictionary)
  expect(await overlongStream(large, here)).toContain('not certain')
  const small = fileWith(' 1 1 m 2 2 l n'.repeat(4_000), dictionary)
  expect(await overlongStream(small, here)).toContain('the end of a picture')
})

it('a dictionary within a text in hexadecimal is not taken for that of the stream', async () => {
  const stream = 'BT /F 12 Tf 50 700 Td (drawn) Tj ET '
  const objects = objectsOf(['', '']).map((object, index) =>
    index === 4 ? { dictionary: '/X <5 0 obj << /Filter /FlateDecode /A <41>', stream } : object,
  )
  const body = makePdfOf(objects, 3, { packed: false })
  expect((await readPdf(body, here)).text).toBe('drawn')
  const checked = await checkPdf(body, here)
  if ('refused' in checked) throw new Error(checked.refused)
  expect((await readPdf(checked.body, here)).text).toBe('')
})

it('a file that is encrypted is refused', async () => {
  for (const key of ['/Encrypt 9 0 R', '/#45ncrypt << /V 1 >>']) {
    const body = makePdf([['text']], { trailer: key })
    expect(await overlongStream(body, here)).toContain('encrypted')
  }
})

it('a large font is left out, and the text is read', async () => {
  const font = packed(4 * MIB, '/Length1 4194304')
  const objects = [...objectsOf(['BT /F 12 Tf 50 700 Td (letters) Tj ET '])].map((object, index) =>
    index === 0
      ? {
          dictionary:
            '/Type /Font /Subtype /TrueType /BaseFont /Own /Encoding /WinAnsiEncoding ' +
            '/FirstChar 32 /LastChar 32 /Widths [500] /FontDescriptor 6 0 R',
        }
      : object,
  )
  const descriptor = {
    dictionary: '/Type /FontDescriptor /FontName /Own /Flags 32 /FontFile2 7 0 R',
  }
  const body = makePdfOf([...objects, descriptor, font], 3, { packed: false })
  const checked = await checkPdf(body, here)
  if ('refused' in checked) throw new Error(checked.refused)
  expect((await readPdf(checked.body, here)).text).toBe('letters')
})
