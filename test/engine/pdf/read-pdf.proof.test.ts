import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { readPdf, pdfDate } from '../../../src/engine/pdf/read-pdf.ts'
import { TurnPort } from '../../../src/engine/pdf/turn-port.ts'
import { textOfPage } from '../../../src/engine/pdf/text-of-page.ts'
import { makePdf } from '../../support/fakes/make-pdf.ts'
import type { PdfLine } from '../../support/fakes/make-pdf.ts'

const here = new AbortController().signal

test('text, headings, paragraphs, pages and facts are read', async () => {
  const bytes = makePdf(
    [
      [
        ['On pens', 24],
        'A fountain pen holds its ink in the bar-',
        'rel, and a nib leads it to the paper.',
        '',
        'The cap keeps the nib from drying.',
      ],
      ['Ink is mostly water (with dyes).'],
    ],
    { info: { Title: 'On pens', Author: 'Ann Inkwell', CreationDate: "D:20260102030405+01'00'" } },
  )
  expect(await readPdf(bytes, here)).toEqual({
    title: 'On pens',
    author: 'Ann Inkwell',
    date: '2026-01-02T02:04:05.000Z',
    language: 'en',
    pages: 2,
    pagesRead: 2,
    spent: { steps: 20_855, bytes: 300 },
    text:
      '## On pens\n\nA fountain pen holds its ink in the barrel, and a nib leads it to the ' +
      'paper.\n\nThe cap keeps the nib from drying.\n\n[page 2]\n\n' +
      'Ink is mostly water (with dyes).',
    texts: [
      '## On pens\n\nA fountain pen holds its ink in the barrel, and a nib leads it to the ' +
        'paper.\n\nThe cap keeps the nib from drying.',
      'Ink is mostly water (with dyes).',
    ],
  })
  // The bytes still belong to the caller.
  expect(bytes.length).toBeGreaterThan(500)
})

test('uncompressed streams are read, and a file without metadata', async () => {
  expect(await readPdf(makePdf([['Plain']], { packed: false }), here)).toMatchObject({
    title: null,
    author: null,
    date: null,
    text: 'Plain',
  })
  expect(await readPdf(makePdf([[]]), here)).toMatchObject({ pages: 1, text: '', texts: [''] })
})

describe('the reader reports', () => {
  test('a damaged file', async () => {
    await expect(
      readPdf(new TextEncoder().encode('%PDF-1.7\nnothing more'), here),
    ).rejects.toMatchObject({ name: 'DocumentFailure', reason: 'malformed' })
  })

  test('a file that takes a password', async () => {
    const trailer =
      '/Encrypt << /Filter /Standard /V 1 /R 2 /O (12345678901234567890123456789012) /U ' +
      '(12345678901234567890123456789012) /P -44 >> /ID [(1234567890123456) ' +
      '(1234567890123456)]'
    await expect(readPdf(makePdf([['Secret']], { trailer }), here)).rejects.toMatchObject({
      reason: 'encrypted',
    })
  })

  test('a failure or a text for any bytes', async () => {
    const good = makePdf([['A page'], ['Another']])
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 40 }),
        async (changes) => {
          const bytes = good.slice()
          for (const [index, byte] of changes) bytes[index] = byte
          const outcome = await readPdf(bytes, here).then(
            ({ text }) => typeof text,
            ({ name }: Error) => name,
          )
          expect(['string', 'DocumentFailure']).toContain(outcome)
        },
      ),
      { numRuns: 40 },
    )
  })

  test('an abort of the caller', async () => {
    await expect(
      readPdf(makePdf([['A page']]), AbortSignal.abort(new Error('gone'))),
    ).rejects.toThrow('gone')
  })
})

test('everything else goes on while a file is read, and its caller can leave', async () => {
  const page = Array.from({ length: 400 }, (): PdfLine => ['word '.repeat(20), 0.5])
  const leaving = new AbortController()
  // The first file loads pdf.js, which takes turns by itself.
  await readPdf(makePdf([['One']]), here)
  let turns = 0
  const next = (): void => {
    if (++turns === 20) leaving.abort(new Error('gone'))
    else setImmediate(next)
  }
  setImmediate(next)
  // Far more than can be read in twenty turns.
  const pages = Array.from({ length: 200 }, () => page)
  const reading = readPdf(makePdf(pages, { packed: false }), leaving.signal)
  await expect(reading).rejects.toThrow('gone')
  expect(turns).toBe(20)
})

test('a caller that leaves while pdf.js is loaded is told so', async () => {
  const leaving = new AbortController()
  const reading = readPdf(makePdf([['A page']]), leaving.signal)
  leaving.abort(new Error('gone'))
  await expect(reading).rejects.toThrow('gone')
})

test('an error between the two sides of pdf.js ends the reading', async () => {
  const { addEventListener } = TurnPort.prototype
  const listening = vi
    .spyOn(TurnPort.prototype, 'addEventListener')
    .mockImplementationOnce(function (this: TurnPort, name) {
      addEventListener.call(this, name, () => {
        throw new Error('broken')
      })
    })
  await expect(readPdf(makePdf([['A page']]), here)).rejects.toMatchObject({
    reason: 'malformed',
    cause: { message: 'broken' },
  })
  listening.mockRestore()
})

test('at most 500 pages are read', async () => {
  const { pages, pagesRead, text } = await readPdf(
    makePdf(Array.from({ length: 510 }, (_, index) => [`This is ${index + 1}`])),
    here,
  )
  expect([pages, pagesRead, text.endsWith('This is 500')]).toEqual([510, 500, true])
})

test('at most a million characters are read, and the cut of the last page is reported', async () => {
  // In small letters, as text outside of the page area does not count.
  const page = Array.from({ length: 400 }, (): PdfLine => ['word '.repeat(200), 0.5])
  const { pages, pagesRead, cutAt, texts } = await readPdf(makePdf([page, page, page]), here)
  expect([pages, pagesRead, cutAt]).toEqual([3, 3, 1_000_000])
  expect(texts.reduce((length, text) => length + text.length, 0)).toBe(1_000_000)
  const fitting = await readPdf(makePdf([page, page]), here)
  expect(fitting).not.toHaveProperty('cutAt')
})

test.each([
  ["D:20300131120500+01'00'", '2030-01-31T11:05:00.000Z'],
  ['D:20300131120500Z', '2030-01-31T12:05:00.000Z'],
  ['D:2030', '2030-01-01T00:00:00.000Z'],
  ['20300131', '2030-01-31T00:00:00.000Z'],
  ['D:20309931', null],
  ['yesterday', null],
  [null, null],
])('the date %s is read', (text, date) => {
  expect(pdfDate(text)).toBe(date)
})

test('text that continues at the top of a column begins a new paragraph', () => {
  const run = (text: string, y: number) => ({ text, height: 10, y, ends: true })
  expect(textOfPage([run('left one', 700), run('left two', 688), run('right one', 700)])).toBe(
    'left one\nleft two\n\nright one',
  )
})
