import { expect, test } from 'vitest'
import { makeDocx, makeXlsx, paragraph, sheetRows } from '../../support/fakes/make-office.ts'
import { makePdf } from '../../support/fakes/make-pdf.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

const URL_OF_IT = 'https://pens.example.com/it'

/** Reads a file with the tool. Threads read PDFs in real time, not in that of the clock. */
async function read(type: string, body: string | Uint8Array): Promise<unknown> {
  const world = createWorld({ [URL_OF_IT]: { headers: { 'content-type': type }, body } })
  try {
    const { result } = await world.platform.api.agentic.call(OWNER, {
      tool: 'fetch',
      arguments: { id: URL_OF_IT },
    })
    return result
  } finally {
    await world.platform.close()
  }
}

test('a PDF is read, whatever its content type, and found by search', async () => {
  const body = makePdf(
    [['The barrel of a pen holds its ink.'], ['The cap keeps the nib from drying.']],
    { info: { Title: 'On barrels', Author: 'Ann Inkwell', CreationDate: 'D:20260203040506Z' } },
  )
  for (const type of ['application/pdf', 'application/octet-stream']) {
    expect(await read(type, body)).toMatchObject({
      title: 'On barrels',
      text: 'The barrel of a pen holds its ink.\n\n[page 2]\n\nThe cap keeps the nib from drying.',
      metadata: {
        author: 'Ann Inkwell',
        date: '2026-02-03T04:05:06.000Z',
        language: 'en',
        pages: 2,
        wordCount: 17,
      },
    })
  }
})

test('a PDF without readable text is refused with the reason and advice', async () => {
  await expect(read('application/pdf', '%PDF-1.7 and nothing more')).rejects.toThrow(
    /^The page could not be read: it is a PDF that is damaged \(pdf\)\. Look for the same text as a web page$/,
  )
  await expect(read('application/pdf', makePdf([[]]))).rejects.toThrow(
    'It is a document without text (no_text)',
  )
})

test('Word and Excel files are read, whatever their content type', async () => {
  const docx = await makeDocx(
    paragraph('On barrels', 'Title') + paragraph('The barrel of a pen holds its ink.'),
    { core: '<dc:creator>Ann Inkwell</dc:creator>' },
  )
  const xlsx = await makeXlsx([{ name: 'Pens', rows: sheetRows([['Name'], ['Ink']]) }])
  for (const type of ['application/octet-stream', 'text/plain']) {
    expect(await read(type, docx)).toMatchObject({
      title: 'On barrels',
      text: expect.stringContaining('The barrel of a pen holds its ink.'),
      metadata: { author: 'Ann Inkwell' },
    })
    expect(await read(type, xlsx)).toMatchObject({ text: '## Pens\n\n| Name |\n| --- |\n| Ink |' })
  }
})
