import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readDocx } from '../../../../adapters/common/office/read-docx.ts'
import { readXlsx } from '../../../../adapters/common/office/read-xlsx.ts'
import { PageBudget } from '../../../../src/engine/extract/page/page-budget.ts'
import {
  makeDocx,
  makeXlsx,
  paragraph,
  sheetRows,
  wordTable,
} from '../../../support/fakes/make-office.ts'
import { mutatePage, pageChanges } from '../../../support/mutate-page.ts'

const openBudget = () => PageBudget.forDocument()

/** Bytes of a file that a bad line, or an attacker, has changed. */
const bytes = fc.array(
  fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), to: fc.nat(255) }),
  {
    minLength: 1,
    maxLength: 20,
  },
)

function changed(file: Uint8Array, changes: readonly { at: number; to: number }[]): Uint8Array {
  const copy = file.slice()
  for (const { at, to } of changes) copy[Math.floor(at * (copy.length - 1))] = to
  return copy
}

const BODY = [
  paragraph('Tides', 'Heading1'),
  paragraph('The tide turned at noon.'),
  wordTable([
    ['Port', 'Tide'],
    ['Bergen', '1.2'],
  ]),
].join('')
const SHEET = sheetRows([
  ['Port', 'Tide'],
  ['Bergen', 1.2],
])

/** Reads a damaged file: it is refused with an error, or the result is a document and nothing else. */
async function readsOrRefuses(read: () => Promise<object>): Promise<void> {
  const outcome = await read().catch((error: unknown) => error)
  if (outcome instanceof Error) expect(outcome.message).not.toBe('')
  else expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcome)
}

test('a file whose bytes have changed is read or refused', async () => {
  const [docx, xlsx] = [await makeDocx(BODY), await makeXlsx([{ name: 'Tides', rows: SHEET }])]
  await fc.assert(
    fc.asyncProperty(bytes, async (changes) => {
      await readsOrRefuses(() => readDocx(changed(docx, changes), openBudget))
      await readsOrRefuses(() => readXlsx(changed(xlsx, changes), openBudget))
    }),
    { numRuns: 100 },
  )
})

test('a file whose XML has changed is read or refused', async () => {
  await fc.assert(
    fc.asyncProperty(pageChanges, async (changes) => {
      const docx = await makeDocx(mutatePage(BODY, changes).toWellFormed())
      await readsOrRefuses(() => readDocx(docx, openBudget))
      const xlsx = await makeXlsx([
        { name: 'Tides', rows: mutatePage(SHEET, changes).toWellFormed() },
      ])
      await readsOrRefuses(() => readXlsx(xlsx, openBudget))
    }),
    { numRuns: 60 },
  )
})
