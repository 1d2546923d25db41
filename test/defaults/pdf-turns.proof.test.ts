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
