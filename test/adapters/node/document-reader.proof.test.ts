import { Readable } from 'node:stream'
import { createDeflate } from 'node:zlib'
import { expect, test } from 'vitest'
import { createDocumentReader } from '../../../adapters/node/document-reader.ts'
import { makePdf, makePdfOf, objectsOf } from '../../support/fakes/make-pdf.ts'

const here = new AbortController().signal
/** Starting a thread takes long on a busy machine. */
const PATIENT_MS = 200_000

/**
 * Forms that draw the next one ten times each: ten to the tenth pages' worth of work in a few
 * kilobytes.
 */
function laughs(): Uint8Array {
  const first = 6
  const forms = Array.from({ length: 10 }, (_, at) => ({
    dictionary: `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Font << /F 1 0 R >> /XObject << /X ${Math.min(first + at + 1, first + 9)} 0 R >> >>`,
    stream: at === 9 ? 'BT /F 12 Tf (ha) Tj ET' : '/X Do '.repeat(10),
  }))
  return makePdfOf(
    [...objectsOf(['/X Do '.repeat(10)], `/XObject << /X ${first} 0 R >>`), ...forms],
    3,
  )
}

test('a file is read in a thread of its own; others wait their turn', async () => {
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

test('one that never ends is ended, and this thread goes on meanwhile', async () => {
  let turns = 0
  const turn = setInterval(() => turns++, 10)
  await expect(createDocumentReader({ maxMs: 2_000 })(laughs(), 'pdf', here)).rejects.toMatchObject(
    {
      reason: 'too_slow',
    },
  )
  clearInterval(turn)
  // Of two hundred, on a machine that does nothing else.
  expect(turns).toBeGreaterThan(10)
})

/**
 * A page of so many million spaces, packed piece by piece: what this process took to make it, and
 * gives back meanwhile, would hide what reading it takes.
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

test('one that unpacks to very much is ended', async () => {
  const bomb = await spaces(250)
  expect(bomb.length).toBeLessThan(500_000)
  await expect(
    createDocumentReader({ maxMs: PATIENT_MS, maxGrowthMb: 100 })(bomb, 'pdf', here),
  ).rejects.toMatchObject({ name: 'DocumentFailure', reason: 'too_large' })
})

test('nobody waits for a file whose reader has gone', async () => {
  const gone = new AbortController()
  const reading = createDocumentReader()(laughs(), 'pdf', gone.signal)
  gone.abort(new Error('gone'))
  await expect(reading).rejects.toThrow('gone')
  // Nor for a turn, which is then another's.
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
