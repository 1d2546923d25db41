import { deflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { checkPdf } from '../../src/defaults/pdf-streams.ts'
import { cpuMs } from '../support/cpu-ms.ts'
import { makePdfOf, objectsOf } from '../support/fakes/make-pdf.ts'
import type { PdfObject } from '../support/fakes/make-pdf.ts'

// Without threads the parts that a page lists are read in one turn, however often it lists them.

const here = new AbortController().signal
const A_LIST = 'parts of it that one list names have more than 102400 bytes'
const ALL = 'the parts that it lists have more than 16777216 bytes'
const LINE = '1 1 m 2 2 l n\n'
const FORM = '/Type /XObject /Subtype /Form /BBox [0 0 600 800]'

/** Why a file is not read, or `null`. */
async function refusalOf(body: Uint8Array): Promise<string | null> {
  const checked = await checkPdf(body, here)
  return 'refused' in checked ? checked.refused : null
}

/** A page with this list of parts, and these objects, numbered from 6. */
function pageWith(
  contents: string,
  parts: readonly PdfObject[],
  { packed = false } = {},
): Uint8Array {
  const objects = objectsOf(['']).map(({ dictionary, ...rest }) => ({
    dictionary: dictionary.replace('/Contents 5 0 R', `/Contents ${contents}`),
    ...rest,
  }))
  return makePdfOf([...objects, ...parts], 3, { packed })
}

const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'))
/** A file with more at its end. */
const joined = (body: Uint8Array, more: Uint8Array): Uint8Array =>
  new Uint8Array(Buffer.concat([body, more]))

/** A part whose stream is packed, whatever the others are. */
const packedPart = (dictionary: string, text: string): PdfObject => {
  const stream = deflateSync(text).toString('latin1')
  return { dictionary: `${dictionary} /Filter /FlateDecode`, stream }
}
const text = (bytes: number): PdfObject => ({
  dictionary: '',
  stream: LINE.repeat(Math.ceil(bytes / LINE.length)),
})

it.each([true, false])(
  'a part counts as often as a page lists it, packed or not: %s',
  async (packed) => {
    const listed = (times: number): Uint8Array =>
      pageWith(`[${'6 0 R '.repeat(times)}]`, [text(10_000)], { packed })
    expect(await refusalOf(listed(9))).toBeNull()
    expect(await refusalOf(listed(11))).toBe(A_LIST)
  },
)

it('many parts without a byte count too', async () => {
  expect(await refusalOf(pageWith(`[${'6 0 R '.repeat(2_000)}]`, [text(0)]))).toBe(A_LIST)
})

it('parts of a page count together, and not with those of other lists', async () => {
  const parts = [text(60_000), text(60_000)]
  expect(await refusalOf(pageWith('[6 0 R 7 0 R]', parts))).toBe(A_LIST)
  expect(await refusalOf(pageWith('6 0 R /X [7 0 R] /Y [6 0 R]', parts))).toBeNull()
})

it('a list of an object that is packed with others counts', async () => {
  const list = packedPart('/Type /ObjStm /N 1 /First 4', `8 0 [${'6 0 R '.repeat(20)}]`)
  expect(await refusalOf(pageWith('8 0 R', [text(10_000), list]))).toBe(A_LIST)
})

it.each([
  '6  0\nR',
  '006 0 R',
  '6 0R',
  '6.0 0 R',
  '6+0 R',
  '6 % of\n0 R',
  '6 0 %\nR',
  '6 0 %[\nR',
  '6 0 %9 9\nR',
  '6 0 %endobj 9 9\n\nR',
  `6 0 %${'a'.repeat(60)} 9 9\rR`,
  `6${' '.repeat(10)}0 R`,
  `6${' '.repeat(60)}0 R`,
  `6 0${'\n'.repeat(10)}R`,
  `6 0${' '.repeat(60)}R`,
  '<(> 6 0 %9 9\nR',
  '/Name 6 0 R',
  '%<<\n/Name 6 0 R',
  '<<>>/Name 6 0 R',
  '(]) 6 0 R',
  '[] 6 0 R',
])('a list counts however its references are written: %s', async (reference) => {
  const page = pageWith(`[${`${reference} `.repeat(20)}]`, [text(10_000)])
  expect(await refusalOf(page)).toBe(A_LIST)
})

it.each([
  '(endobj) 6 0 R',
  '(stream\n) 6 0 R',
  'endobj 6 0 R',
  '%]\n 6 0 R',
  '%(\n 6 0 R %)\n',
  '<]> 6 0 R',
  '/a\\( ] ) 6 0 R',
  '%\\\n 6 0 R',
])('no string, comment or word hides what a list goes on with: %s', async (reference) => {
  const page = pageWith('5 0 R', [text(10_000), { dictionary: '' }])
  const list = bytesOf(`9 0 obj [${`${reference} `.repeat(20)}] endobj\n`)
  expect(await refusalOf(joined(page, list))).toBe(A_LIST)
})

it.each([
  ['a string', '(', ')'],
  ['a string in hexadecimal', '<', '>'],
  ['a comment', '%', '\n'],
  ['a list', '[', ']'],
  ['a stream', '<<>>stream\n', ' endstream'],
])('references after an object that begins in %s count as one list', async (_, begin, end) => {
  const page = pageWith('5 0 R', [text(10_000)])
  const hidden = (object: string): Uint8Array =>
    joined(page, bytesOf(`${begin}${object}${end}\n${'[6 0 R] () [6 0 R] '.repeat(10)}`))
  expect(await refusalOf(hidden('9 0 obj'))).toBe(A_LIST)
  expect(await refusalOf(hidden('9 0 object'))).toBeNull()
})

it('references within strings count as one list, wherever their objects begin', async () => {
  const page = pageWith('5 0 R', [text(10_000)])
  expect(await refusalOf(joined(page, bytesOf('([6 0 R]) '.repeat(9))))).toBeNull()
  expect(await refusalOf(joined(page, bytesOf('([6 0 R]) '.repeat(11))))).toBe(A_LIST)
})

it.each([
  ['at its first object', '/N 1 /First 4', '8 0 ', null],
  ['within a string', '/N 1 /First 4', '8 1 ', A_LIST],
  ['at objects of which one is within a string', '/N 2 /First 8', '8 0 9 1 ', A_LIST],
  ['where another object says', '/N 1 /First 7 0 R', '8 0 ', A_LIST],
  ['at objects that are not all numbered', '/N 2 /First 4', '8 0 ', A_LIST],
  ['twice', '/N 1 /First 4 /First 5', '8 0 ', A_LIST],
])('an object stream that begins %s', async (_, dictionary, header, refused) => {
  const objects = `${header}([) ${'() 6 0 R '.repeat(20)}`
  const list = packedPart(`/Type /ObjStm ${dictionary}`, objects)
  expect(await refusalOf(pageWith('8 0 R', [text(10_000), list]))).toBe(refused)
})

it('letters of packed bytes that could begin an object begin none', async () => {
  const page = pageWith('6 0 R', [text(100)])
  const hidden = (letters: string): Uint8Array =>
    joined(page, bytesOf(`(\x80${letters}\x81)\n${'[6 0 R] () [6 0 R] '.repeat(1_000)}`))
  expect(await refusalOf(hidden('obj'))).toBeNull()
  expect(await refusalOf(hidden('7 0 obj'))).toBe(A_LIST)
})

it('many objects in one stream take time in proportion', async () => {
  const count = 12_000
  const header = Array.from({ length: count }, (_, index) => `1 ${index} `).join('')
  const list = packedPart(`/Type /ObjStm /N ${count} /First 1`, header)
  const file = pageWith('6 0 R', [text(100), list])
  const begin = cpuMs()
  expect(await refusalOf(file)).not.toBe(ALL)
  // For each object it read all of the stream, in seconds.
  expect(cpuMs() - begin).toBeLessThan(2_000)
})

it('an object stream that is not only packed is refused', async () => {
  const refused = 'a part with objects is not packed, or has parameters'
  const keys = '/Type /ObjStm /N 1 /First 4'
  const plain = { dictionary: keys, stream: '8 0 [6 0 R]' }
  expect(await refusalOf(pageWith('5 0 R', [plain]))).toBe(refused)
  const coded = packedPart(`${keys} /DecodeParms << /Predictor 12 >>`, '8 0 [6 0 R]')
  expect(await refusalOf(pageWith('5 0 R', [coded]))).toBe(refused)
})

it('a part has any number if what is before its dictionary is not certain', async () => {
  const part = 'obj null endobj 7. 0 obj << /Length 20000 >> stream\n'
  const page = pageWith(`[${'7 0 R '.repeat(6)}]`, [])
  const file = joined(page, bytesOf(`9 0 ${part}${LINE.repeat(1_428)}\nendstream endobj\n`))
  expect(await refusalOf(file)).toBe(A_LIST)
})

it('a picture that a page lists as its text counts as often', async () => {
  const picture = { dictionary: '/Subtype /Image', stream: ' '.repeat(50_000) }
  expect(await refusalOf(pageWith('[6 0 R]', [picture]))).toBeNull()
  expect(await refusalOf(pageWith('[6 0 R 6 0 R 6 0 R]', [picture]))).toBe(A_LIST)
})

it('a letterhead that each page names is read', async () => {
  const names = '<< /X 6 0 R >> '.repeat(400)
  const letterhead = packedPart(FORM, LINE.repeat(7_000))
  expect(await refusalOf(pageWith(`5 0 R /Y [${names}]`, [letterhead]))).toBeNull()
})

it('glyphs that are drawn count as often as fonts list them', async () => {
  const font = (key: string): PdfObject => ({
    dictionary: `/${key} << ${'/a 6 0 R '.repeat(200)} >>`,
  })
  const letter = packedPart('', LINE.repeat(7_000))
  const parts = (key: string): Uint8Array => pageWith('5 0 R', [letter, font(key)])
  expect(await refusalOf(parts('CharProcs'))).toBe(ALL)
  expect(await refusalOf(parts('Char#50rocs'))).toBe(ALL)
  expect(await refusalOf(parts('Other'))).toBeNull()
})

it('letters that are not packed have few bytes together', async () => {
  const font = (key: string): PdfObject => ({
    dictionary: `/${key} << /a 6 0 R /b 7 0 R /c [] /d 7 0 R >>`,
  })
  const letters = (bytes: number): PdfObject[] => [text(bytes), text(bytes)]
  const refused = 'unpacked letters of it may have more than 102400 bytes'
  expect(await refusalOf(pageWith('5 0 R', [...letters(40_000), font('CharProcs')]))).toBe(refused)
  expect(await refusalOf(pageWith('5 0 R', [...letters(30_000), font('CharProcs')]))).toBeNull()
  expect(await refusalOf(pageWith('5 0 R', [...letters(40_000), font('Other')]))).toBeNull()
})

it('letters that may draw a part that is not packed are refused', async () => {
  const font = { dictionary: '/Type /Font /Subtype /Type3 /CharProcs << /a 5 0 R >>' }
  const plain = { dictionary: FORM, stream: LINE }
  const refused = 'its letters may draw a part that is not packed'
  expect(await refusalOf(pageWith('5 0 R', [font, plain]))).toBe(refused)
  const parameters = packedPart(`${FORM} /DecodeParms << /Predictor 2 >>`, LINE)
  expect(await refusalOf(pageWith('5 0 R', [font, parameters]))).toBe(refused)
  expect(await refusalOf(pageWith('5 0 R', [font, packedPart(FORM, LINE)]))).toBeNull()
  const facts = { dictionary: '/Type /Metadata /Subtype /XML', stream: '<x/>' }
  expect(await refusalOf(pageWith('5 0 R', [font, facts]))).toBeNull()
  const both = { ...facts, dictionary: `${facts.dictionary} /Subtype /Form` }
  expect(await refusalOf(pageWith('5 0 R', [font, both]))).toBe(refused)
})

it('a pattern whose dictionary is not certain is refused', async () => {
  const pattern = { dictionary: '/X (%) /PatternType 1', stream: LINE }
  expect(await refusalOf(pageWith('5 0 R', [pattern]))).toBe(
    'the size of a part of it is not certain',
  )
})
