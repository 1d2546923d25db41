import { expect, test } from 'vitest'
import type { Row } from '../../../src/kernel/json.ts'
import { Pace, SliceScheduler } from '../../../src/kernel/pace.ts'
import { rowLines } from '../../../src/crawl/commit/rows.ts'

const decoder = new TextDecoder()

test('rows are lines of JSON, whatever their length', async () => {
  const rows: [number, Row][] = [
    [1, { a: 'x' }],
    [2, { page: 'é"\n'.repeat(700_000), list: [1, { b: null }] }],
    [3, {}],
  ]
  const lines = decoder.decode(await rowLines(rows)).split('\n')
  expect(lines.length).toBe(3)
  expect(lines.map((line) => JSON.parse(line))).toEqual(rows)
  expect(await rowLines([])).toHaveLength(0)
})

test('the event loop has turns while many rows are written', async () => {
  let now = 0
  let pauses = 0
  const pace = new Pace({
    now: () => (now += 5),
    scheduler: new SliceScheduler(async () => void pauses++),
  })
  await rowLines(
    [
      [1, { page: 'x'.repeat(5_000_000) }],
      ...Array.from({ length: 50_000 }, (_, index): [number, Row] => [
        index,
        { text: 'y'.repeat(40) },
      ]),
    ],
    pace,
  )
  // Each row is weighed in a step, and about a hundred are written in one.
  expect(pauses).toBeGreaterThan(50_050)
})
