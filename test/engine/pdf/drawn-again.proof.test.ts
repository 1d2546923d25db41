import { expect, test } from 'vitest'
import { readPdf } from '../../../src/engine/pdf/read-pdf.ts'
import { cpuFactor } from '../../support/cpu-ms.ts'
import { makePdfOf, objectsOf } from '../../support/fakes/make-pdf.ts'
import { longestTurn } from '../../support/longest-turn.ts'

// A part of a page may be drawn again and again, and draw other parts so.

const here = new AbortController().signal
const drawing = (bytes: number): string => '1 1 m 2 2 l n\n'.repeat(bytes / 14)
const textAt = (x: number, y: number, text: string): string =>
  `BT /F 12 Tf ${x} ${y} Td (${text}) Tj ET\n`
/** The words of a table, for whose lines the operators of the page are looked at. */
const TABLE = Array.from({ length: 40 }, (_, cell) =>
  textAt(50 + (cell % 4) * 120, 700 - Math.floor(cell / 4) * 20, `cell ${cell}`),
).join('')
const DRAW = '/X Do\n'

/** A page whose part draws the next one some times, and so on; `last` is what the last one draws. */
function nested(page: string, levels: number, draws: number, last: string): Uint8Array {
  const first = 6
  const forms = Array.from({ length: levels }, (_, level) => ({
    dictionary:
      '/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /Font << /F 1 0 R >> ' +
      `/XObject << /X ${first + level + 1} 0 R >> >>`,
    stream: level === levels - 1 ? last : DRAW.repeat(draws),
  }))
  const objects = [...objectsOf([page], `/XObject << /X ${first} 0 R >>`), ...forms]
  return makePdfOf(objects, 3, { packed: false })
}

test('a part that draws for long, and has little text, leaves turns each time that it is drawn', async () => {
  const factor = cpuFactor()
  await readPdf(nested(DRAW, 1, 1, textAt(50, 700, 'warm')), here)
  const body = nested(DRAW.repeat(40), 1, 1, drawing(280_000) + textAt(50, 700, 'a'))
  // One drawing takes some 12 ms. All of them in one turn took 450 ms.
  const most = 120 * factor
  let least = Infinity
  // The least of some times counts, as garbage may be collected during one of them.
  for (let time = 0; time < 3 && least > most; time++) {
    const texts: string[] = []
    const turn = await longestTurn(async () => void texts.push((await readPdf(body, here)).text))
    expect(texts[0]?.replaceAll(/\s/g, '')).toBe('a'.repeat(40))
    least = Math.min(least, turn)
  }
  expect(least).toBeLessThan(most)
})

test('parts that draw each other ten times on ten levels end with the budget of the page', async () => {
  const limits = { steps: 400_000, bytes: 1_000_000 }
  const texts = await readPdf(nested(DRAW, 10, 10, textAt(50, 700, 'a')), here, limits)
  expect(texts.spent?.steps).toBeGreaterThan(190_000)
  expect(texts.text.length).toBeGreaterThan(1_000)
  const lines = await readPdf(nested(TABLE + DRAW, 10, 10, drawing(280)), here, limits)
  expect(lines.spent?.steps).toBeGreaterThan(190_000)
  expect(lines.text).toContain('cell 39')
  const paths = await readPdf(
    nested(TABLE + DRAW, 10, 10, `${'1 1 m 2 2 l\n'.repeat(1_000)}n`),
    here,
    limits,
  )
  expect(paths.spent?.steps).toBeGreaterThan(190_000)
})

test('a caller leaves at once while the lines of a page are read', async () => {
  const caller = new AbortController()
  const reading = readPdf(nested(TABLE + DRAW, 10, 10, drawing(280)), caller.signal)
  setTimeout(() => caller.abort(new Error('gone')), 200)
  await expect(reading).rejects.toThrow('gone')
})
