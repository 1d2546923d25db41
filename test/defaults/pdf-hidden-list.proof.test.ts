import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createDefaultDocumentReader } from '../../src/defaults/document-reader.ts'
import { checkPdf } from '../../src/defaults/pdf-streams.ts'
import { readPdf } from '../../src/engine/pdf/read-pdf.ts'
import { makePdfOf, objectsOf } from '../support/fakes/make-pdf.ts'

// A table of a file may point into the number of an object, so that `17 0 obj` is object 7, too.
// What a page lists is then not what was counted.

const here = new AbortController().signal
const HIDDEN = { dictionary: '', stream: '1 1 m 2 2 l n\n'.repeat(7_000) }
const COUNTED = { dictionary: '', stream: ' ' }
const ENTRY_BYTES = 20

/** A page that lists an object so many times: by the count a small one, by the table another. */
function hidingPage(times: number): Uint8Array {
  const objects = objectsOf(['']).map(({ dictionary, ...rest }) => ({
    ...rest,
    dictionary: dictionary.replace('/Contents 5 0 R', `/Contents [${'7 0 R '.repeat(times)}]`),
  }))
  while (objects.length < 16) objects.push(COUNTED)
  const file = Buffer.from(makePdfOf([...objects, HIDDEN], 3))
  const number = file.indexOf('\n17 0 obj') + 2
  const entries = file.indexOf('0000000000 65535 f')
  file.write(String(number).padStart(10, '0'), entries + 7 * ENTRY_BYTES, 'latin1')
  return new Uint8Array(file)
}

it('without threads a hidden list is read in turns, so that the deadline ends it', async () => {
  const body = hidingPage(200)
  expect(await checkPdf(body, here)).not.toHaveProperty('refused')
  let turns = 0
  const readFor = (most: number): Promise<unknown> =>
    createDefaultDocumentReader(readPdf, {
      now: () => 0,
      sleep: async (_, signal) => {
        for (turns = 0; turns < most; turns++) {
          if (signal?.aborted) return
          await turn()
        }
      },
    })(body, 'pdf', here)
  expect(await readFor(Infinity)).toMatchObject({ pages: 1, text: '' })
  // It is read in many turns, and ends at any of them.
  expect(turns).toBeGreaterThan(100)
  await expect(readFor(50)).rejects.toMatchObject({ reason: 'too_slow' })
})
