import { Readable } from 'node:stream'
import { createDeflate } from 'node:zlib'
import JSZip from 'jszip'
import { expect, test } from 'vitest'
import { createDocumentReader } from '../../../adapters/node/document-reader.ts'
import { makeDocx, makeXlsx, paragraph, sheetRows } from '../../support/fakes/make-office.ts'
import { makePdf, makePdfOf, objectsOf } from '../../support/fakes/make-pdf.ts'

const here = new AbortController().signal
/** Starting a thread takes long on a busy machine. */
const PATIENT_MS = 200_000

/**
 * Form objects of a PDF, each of which draws the next one ten times: work for 10^10 pages in a few
 * kilobytes.
 */
function laughs(): Uint8Array {
  const first = 6
  const forms = Array.from({ length: 10 }, (_, index) => ({
    dictionary:
      '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Font <' +
      `< /F 1 0 R >> /XObject << /X ${Math.min(first + index + 1, first + 9)} 0 R >> >>`,
    stream: index === 9 ? 'BT /F 12 Tf (ha) Tj ET' : '/X Do '.repeat(10),
  }))
  return makePdfOf(
    [...objectsOf(['/X Do '.repeat(10)], `/XObject << /X ${first} 0 R >>`), ...forms],
    3,
  )
}

test('a file is read in a thread of its own, while other files wait for their turn', async () => {
  const read = createDocumentReader({ atOnce: 1, maxMs: PATIENT_MS })
  const texts = await Promise.all(
    ['one', 'two', 'three'].map((text) => read(makePdf([[text]]), 'pdf', here)),
  )
  expect(texts).toMatchObject([{ text: 'one' }, { text: 'two' }, { text: 'three' }])
  await expect(read(new TextEncoder().encode('%PDF-1.7'), 'pdf', here)).rejects.toMatchObject({
    name: 'DocumentFailure',
    reason: 'malformed',
  })
})

test('the reading of a file that never ends is stopped, and this thread goes on meanwhile', async () => {
  let turns = 0
  const turn = setInterval(() => turns++, 10)
  await expect(createDocumentReader({ maxMs: 2_000 })(laughs(), 'pdf', here)).rejects.toMatchObject(
    {
      reason: 'too_slow',
    },
  )
  clearInterval(turn)
  // Two hundred turns on a machine that does nothing else.
  expect(turns).toBeGreaterThan(10)
})

/**
 * A page of so many million spaces. It is packed piece by piece: memory that this process took to
 * make it, and frees during the test, would hide the memory that reading takes.
 */
async function spaces(millions: number): Promise<Uint8Array> {
  const piece = Buffer.alloc(1_000_000, ' ')
  const parts: Buffer[] = []
  for await (const part of Readable.from(Array.from({ length: millions }, () => piece)).pipe(
    createDeflate(),
  ))
    parts.push(part)
  const objects = objectsOf([''])
  return makePdfOf(
    [
      ...objects.slice(0, -1),
      { dictionary: '/Filter /FlateDecode', stream: Buffer.concat(parts).toString('latin1') },
    ],
    3,
    { packed: false },
  )
}

test('the reading of a file that unpacks to very many bytes is stopped', async () => {
  const bomb = await spaces(250)
  expect(bomb.length).toBeLessThan(500_000)
  await expect(
    createDocumentReader({ maxMs: PATIENT_MS, maxGrowthMb: 100 })(bomb, 'pdf', here),
  ).rejects.toMatchObject({ name: 'DocumentFailure', reason: 'too_large' })
})

test('a file is not stopped because pages and other files make the process grow', async () => {
  const rows = Array.from({ length: 20_000 }, (_, index) => ['Ink', index])
  const file = await makeXlsx([{ name: 'A', rows: sheetRows(rows) }])
  const read = createDocumentReader({ maxMs: PATIENT_MS, maxGrowthMb: 200 })
  const [document, ...others] = await Promise.all([
    read(file, 'xlsx', here),
    // The memory is filled, so that the system really gives it, and held until the file is read.
    ...Array.from({ length: 20 }, async () => Buffer.alloc(20_000_000, 1)),
  ])
  expect(document).toMatchObject({ tables: [{ name: 'A' }] })
  expect(others).toHaveLength(20)
})

test('the reading of a file is stopped once its caller aborts', async () => {
  const hangUp = new AbortController()
  const reading = createDocumentReader()(laughs(), 'pdf', hangUp.signal)
  hangUp.abort(new Error('gone'))
  await expect(reading).rejects.toThrow('gone')
  // A file that waits for its turn is left out as well, and another one has the turn.
  const read = createDocumentReader({ atOnce: 1, maxMs: PATIENT_MS })
  const leaving = new AbortController()
  const texts = [
    read(makePdf([['one']]), 'pdf', here),
    read(makePdf([['two']]), 'pdf', leaving.signal),
    read(makePdf([['three']]), 'pdf', here),
  ]
  leaving.abort(new Error('left'))
  await expect(texts[1]).rejects.toThrow('left')
  expect([await texts[0], await texts[2]]).toMatchObject([{ text: 'one' }, { text: 'three' }])
})

test('Office files are read in threads too', async () => {
  const read = createDocumentReader({ maxMs: PATIENT_MS })
  expect(await read(await makeDocx(paragraph('Ink')), 'docx', here)).toMatchObject({
    html: expect.stringContaining('<p>Ink</p>'),
  })
  const sheet = { name: 'A', rows: sheetRows([['a', 1]]) }
  expect(await read(await makeXlsx([sheet]), 'xlsx', here)).toMatchObject({
    tables: [{ name: 'A', rows: [['a', 1]] }],
  })
  await expect(read(new Uint8Array(9), 'docx', here)).rejects.toMatchObject({
    name: 'DocumentFailure',
    format: 'docx',
    reason: 'malformed',
  })
})

/** The file with so many pieces before the word in one of its parts, packed one by one. */
async function swollen(
  file: Uint8Array,
  part: string,
  millions: number,
  piece = Buffer.alloc(1_000_000, ' '),
): Promise<Uint8Array> {
  const zip = await JSZip.loadAsync(file)
  const text = (await zip.file(part)?.async('string')) ?? ''
  const middle = text.indexOf('Ink')
  const pieces = Array.from({ length: millions }, () => piece)
  zip.file(
    part,
    Readable.from([Buffer.from(text.slice(0, middle)), ...pieces, Buffer.from(text.slice(middle))]),
  )
  return zip.generateAsync({ type: 'uint8array', compression: 'DEFLATE', streamFiles: true })
}

test.each([
  ['docx', 'word/document.xml', () => makeDocx(paragraph('Ink'))],
  ['xlsx', 'xl/worksheets/sheet0.xml', () => makeXlsx([{ name: 'A', rows: sheetRows([['Ink']]) }])],
  ['xlsx', 'xl/sharedStrings.xml', () => makeXlsx([{ name: 'A', rows: '' }], { strings: ['Ink'] })],
] as const)(
  'the reading of an archive that unpacks to very many bytes is stopped: %s, %s',
  async (format, part, make) => {
    const bomb = await swollen(await make(), part, 400)
    expect(bomb.length).toBeLessThan(700_000)
    await expect(
      createDocumentReader({ maxMs: PATIENT_MS, maxGrowthMb: 100 })(bomb, format, here),
    ).rejects.toMatchObject({ name: 'DocumentFailure', format, reason: 'too_large' })
  },
)

/** Work that a small file may make a reader do: each kind has a bound, or ends its thread. */
test.each([
  [
    'cells in far corners',
    'xlsx',
    () =>
      makeXlsx([
        {
          name: 'A',
          rows: '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>',
        },
      ]),
  ],
  [
    'merged cells without end',
    'xlsx',
    () =>
      makeXlsx([
        {
          name: 'A',
          rows: sheetRows(Array.from({ length: 2_000 }, (_, index) => ['a', index])),
          after: `<mergeCells>${'<mergeCell ref="A1:XFD1048576"/>'.repeat(50_000)}</mergeCells>`,
        },
      ]),
  ],
  [
    'sheets without end',
    'xlsx',
    () =>
      makeXlsx(
        Array.from({ length: 2_000 }, (_, index) => ({
          name: `s${index}`,
          rows: sheetRows([['a']]),
        })),
      ),
  ],
  [
    'tables in tables',
    'docx',
    () =>
      makeDocx(
        `${'<w:tbl><w:tr><w:tc>'.repeat(3_000)}${paragraph('a')}${'</w:tc></w:tr></w:tbl>'.repeat(3_000)}`,
      ),
  ],
  [
    'a table of spans',
    'docx',
    () =>
      makeDocx(
        '<w:tbl>' +
          (
            '<w:tr><w:tc><w:tcPr><w:gridSpan w:val="2000000000"/><w:vMerge w:val="continue"/>' +
            `</w:tcPr>${paragraph('a')}</w:tc></w:tr>`
          ).repeat(2_000) +
          '</w:tbl>',
      ),
  ],
  [
    'entities of entities',
    'docx',
    () =>
      makeDocx(paragraph('&a;')).then(async (file) => {
        const zip = await JSZip.loadAsync(file)
        const text = (await zip.file('word/document.xml')?.async('string')) ?? ''
        const entities = Array.from(
          { length: 10 },
          (_, index) =>
            `<!ENTITY ${String.fromCharCode(97 + index)} "` +
            (index === 9 ? 'ha' : `&${String.fromCharCode(98 + index)};`.repeat(10)) +
            '">',
        )
        zip.file('word/document.xml', `<!DOCTYPE x [${entities.join('')}]>${text}`)
        return zip.generateAsync({ type: 'uint8array' })
      }),
  ],
] as const)(
  'the reading of a file with %s ends within bounds, or with a reason',
  async (_, format, make) => {
    const reading = createDocumentReader({ maxMs: 8_000, maxGrowthMb: 400 })(
      await make(),
      format,
      here,
    )
    const outcome = await reading.then(
      (document) => JSON.stringify(document).length,
      (error: unknown) => error,
    )
    if (typeof outcome === 'number') expect(outcome).toBeLessThan(2_000_000)
    else expect(outcome).toMatchObject({ name: 'DocumentFailure', format })
  },
)

test('a workbook of very many cells ends by the budget of its page', async () => {
  const rows = `<row>${'<c><v>1.5</v></c>'.repeat(20)}</row>`.repeat(3_000)
  const file = await makeXlsx([{ name: 'A', rows: 'Ink' }])
  const bomb = await swollen(file, 'xl/worksheets/sheet0.xml', 100, Buffer.from(rows))
  expect(await createDocumentReader({ maxMs: PATIENT_MS })(bomb, 'xlsx', here)).toMatchObject({
    tables: [],
    pagesRead: 0,
    spent: { cuts: [{ what: 'steps of work', limit: 22_500_000, where: 'document' }] },
  })
})
