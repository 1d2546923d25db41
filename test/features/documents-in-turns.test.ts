import { expect, it } from 'vitest'
import { OPEN_PLAN } from '../../src/features/ledger/plans.ts'
import { inTurns } from '../../src/platform/web-access.ts'
import type { DocumentReader } from '../../src/ports/document-reader.ts'

// Proves that documents of one account delay another account only by those that are being read.

const KNOWN = { title: null, author: null, date: null, language: null, pages: 1, pagesRead: 1 }

/** A reader that ends a document on demand. */
function setUp() {
  const begun: number[] = []
  const ends: (() => void)[] = []
  const read: DocumentReader = async ([mark = 0]) => {
    begun.push(mark)
    await new Promise<void>((resolve) => void ends.push(resolve))
    return { ...KNOWN, text: String(mark), texts: [] }
  }
  const documentsOf = inTurns(read, async () => OPEN_PLAN)
  const start = (account: string, mark: number, signal = new AbortController().signal) =>
    documentsOf(account)(new Uint8Array([mark]), 'pdf', signal)
  return { begun, ends, start }
}
const turn = () => new Promise<void>((resolve) => void setImmediate(resolve))

it('the next place goes to another account, however many documents the first one has', async () => {
  const { begun, ends, start } = setUp()
  const many = Array.from({ length: 10 }, (_, index) => start('busy', index))
  const other = start('other', 99)
  await turn()
  expect(begun).toEqual([0, 1])
  ends[0]?.()
  await turn()
  ends[1]?.()
  await turn()
  expect(begun).toContain(99)
  for (let index = 2; index < 11; index++) {
    ends[index]?.()
    await turn()
  }
  expect(await Promise.all([...many, other])).toHaveLength(11)
})

it('an account whose plan is slow to read holds no place meanwhile', async () => {
  const begun: string[] = []
  const documentsOf = inTurns(
    async () => ({ ...KNOWN, text: '', texts: [] }),
    (account) => (account === 'slow' ? new Promise(() => {}) : Promise.resolve(OPEN_PLAN)),
  )
  const { signal } = new AbortController()
  const read = (account: string) => documentsOf(account)(new Uint8Array(1), 'pdf', signal)
  for (let index = 0; index < 2; index++) void read('slow').then(() => begun.push('slow'))
  await turn()
  void read('other').then(() => begun.push('other'))
  await turn()
  expect(begun).toEqual(['other'])
})

it('an abort rejects with its reason, and frees the place', async () => {
  const { begun, ends, start } = setUp()
  const first = [start('a', 0), start('a', 1)]
  const stop = new AbortController()
  const waiting = start('a', 2, stop.signal)
  stop.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  const last = start('b', 3)
  ends[0]?.()
  ends[1]?.()
  await turn()
  expect(begun).toEqual([0, 1, 3])
  ends[2]?.()
  await Promise.all([...first, last])
})
