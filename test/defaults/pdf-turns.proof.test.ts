import { expect, it } from 'vitest'
import { checkPdf } from '../../src/defaults/pdf-streams.ts'
import { readPdf } from '../../src/engine/pdf/read-pdf.ts'
import { cpuFactor } from '../support/cpu-ms.ts'
import { makePdfOf, objectsOf } from '../support/fakes/make-pdf.ts'
import { longestTurn } from '../support/longest-turn.ts'

// Without threads, a part of a PDF without text is one step of pdf.js, which no turn of the event
// loop divides. Times are processor times.

const here = new AbortController().signal
const LONGEST_MS = 50
/** The least of some times counts, as garbage may be collected during one of them. */
const TIMES = 3
const textAt = (x: number, y: number, text: string): string =>
  `BT /F 12 Tf ${x} ${y} Td (${text}) Tj ET\n`
/** The words of a table, for whose lines the operators of the page are looked at. */
const TABLE = Array.from({ length: 40 }, (_, cell) =>
  textAt(50 + (cell % 4) * 120, 700 - Math.floor(cell / 4) * 20, `cell ${cell}`),
).join('')
const OPERATORS = ['q Q ', 'n ', '1 1 m 2 2 l n\n', 'BI ID EI ', '/X Do ', '1 1 l ', '/A gs ']

/** A page of as many bytes, of which most draw. */
function pageOf(operator: string, bytes: number, packed: boolean): Uint8Array {
  const count = Math.floor((bytes - TABLE.length) / operator.length)
  return makePdfOf(objectsOf([TABLE + operator.repeat(count)]), 3, { packed })
}

it.each(OPERATORS)('a page of 100 KiB is read in short turns: %j', async (operator) => {
  const factor = cpuFactor()
  await readPdf(pageOf(operator, 4_000, true), here)
  let least = Infinity
  for (let time = 0; time < TIMES && least > LONGEST_MS * factor; time++) {
    const checked = await checkPdf(pageOf(operator, 102_000, false), here)
    if ('refused' in checked) throw new Error(checked.refused)
    const turn = await longestTurn(async () => {
      expect((await readPdf(checked.body, here)).text).toContain('cell 39')
    })
    least = Math.min(least, turn)
  }
  expect(least).toBeLessThan(LONGEST_MS * factor)
})

const FORM = '/Type /XObject /Subtype /Form /BBox [0 0 600 800]'
const WAYS = [0, 1, 2, 3]
const LEVELS = 5
const DRAWS = WAYS.map((way) => `/X${way} Do\n`).join('')
const formsFrom = (first: number): string =>
  `/XObject << ${WAYS.map((way) => `/X${way} ${first + way} 0 R`).join(' ')} >>`
/** Parts without text, from object 6 on, of which each draws all of the next level. */
const NET = Array.from({ length: LEVELS * WAYS.length }, (_, index) => {
  const level = Math.floor(index / WAYS.length)
  return level === LEVELS - 1
    ? { dictionary: FORM, stream: '1 1 m 2 2 l n\n'.repeat(200) }
    : {
        dictionary: `${FORM} /Resources << ${formsFrom(6 + (level + 1) * WAYS.length)} >>`,
        stream: DRAWS,
      }
})

it.each([
  ['by a page', TABLE + DRAWS, formsFrom(6)],
  ['by a pattern', `${TABLE}/Pattern cs /P scn 0 0 9 9 re f`, '/Pattern << /P 26 0 R >>'],
])('parts that draw each other are read in short turns: %s', async (_, page, resources) => {
  const pattern = {
    dictionary:
      '/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 9 9] /XStep 9 ' +
      `/YStep 9 /Resources << ${formsFrom(6)} >>`,
    stream: DRAWS,
  }
  const file = makePdfOf([...objectsOf([page], resources), ...NET, pattern], 3, { packed: false })
  const factor = cpuFactor()
  await readPdf(makePdfOf(objectsOf([TABLE]), 3), here)
  let least = Infinity
  for (let time = 0; time < TIMES && least > LONGEST_MS * factor; time++) {
    const checked = await checkPdf(file, here)
    if ('refused' in checked) throw new Error(checked.refused)
    const turn = await longestTurn(async () => {
      expect((await readPdf(checked.body, here)).text).toContain('cell 39')
    })
    least = Math.min(least, turn)
  }
  expect(least).toBeLessThan(LONGEST_MS * factor)
})

it('parts that draw each other end with the budget of the page, before any text', async () => {
  const file = makePdfOf([...objectsOf([DRAWS], formsFrom(6)), ...NET], 3, { packed: false })
  const { spent, text } = await readPdf(file, here, { steps: 21_000, bytes: 1_000_000 })
  expect(text).toBe('')
  expect(spent?.cuts?.map(({ what }) => what)).toEqual(['steps of work'])
})

it('a page that takes one long turn is refused, packed or not', async () => {
  for (const operator of OPERATORS)
    for (const packed of [true, false])
      expect(await checkPdf(pageOf(operator, 600_000, packed), here), operator).toEqual({
        refused: 'a part of it has more than 102400 bytes, unpacked',
      })
})

it.each([
  ['ends far from each other', 'endstream'],
  ['letters that could begin an end', 'e'.repeat(512)],
])('a file of very many parts is checked in short turns: %s', async (_, filler) => {
  const part = `1 0 obj<</Length 5>>stream\n`
  const block = part.repeat(3_400) + filler
  const file = new TextEncoder().encode(`%PDF-1.7\n${block.repeat(170)}`)
  const factor = cpuFactor()
  const turn = await longestTurn(async () => {
    expect(await checkPdf(file, here)).toHaveProperty('refused')
  })
  expect(turn).toBeLessThan(LONGEST_MS * factor)
})
