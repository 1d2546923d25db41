import { expect, test } from 'vitest'
import { Pace, SliceScheduler } from '../../../src/kernel/pace.ts'
import { shortKey } from '../../../src/kernel/short-key.ts'
import { emptyOutcome } from '../../../src/crawl/visit/outcome.ts'
import { rowKeys } from '../../../src/crawl/commit/rows.ts'
import { normalUrl } from '../../support/normal-url.ts'

const ENTRY = {
  execution: 'e',
  seq: 0,
  url: normalUrl('https://a.example.com/'),
  label: 'start',
  depth: 0,
  hop: 1,
}

function pageOf(rows: readonly { readonly a: string }[]) {
  return { ...emptyOutcome(ENTRY, 'fetched', null), rows }
}

test.each([
  ['many rows', Array.from({ length: 2_000 }, (_, index) => ({ a: `row ${index}` }))],
  ['a long row', [{ a: 'word 😀 "quoted" '.repeat(400_000) }]],
])('the keys of %s are made in slices, and equal the keys of the whole text', async (_, rows) => {
  let rests = 0
  // Each step takes the time of one slice.
  let now = 0
  const pace = new Pace({
    now: () => (now += 10),
    scheduler: new SliceScheduler(async () => void rests++),
  })
  const keys = await rowKeys([pageOf(rows)], ['a'], pace)
  expect(rows.map((row) => keys.get(row))).toEqual(
    rows.map(({ a }) => shortKey(JSON.stringify([a]))),
  )
  expect(rests).toBeGreaterThan(50)
})

test('no keys are made if no column must be unique', async () => {
  expect((await rowKeys([pageOf([{ a: 'x' }])], null)).size).toBe(0)
})
