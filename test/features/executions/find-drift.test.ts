import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findDrift } from '../../../src/features/executions/find-drift.ts'
import { emptyProgress } from '../../../src/features/executions/records.ts'
import type { HealthRecord } from '../../../src/features/schedules/records.ts'
import type { ExecutionRecord } from '../../../src/features/executions/records.ts'

const executionOf = (
  id: string,
  recipe = { extract: { fields: { a: 'h1', b: 'h2' } } },
): ExecutionRecord => ({
  id,
  taskId: 't',
  recipe,
  status: 'running',
  reason: null,
  retryOf: null,
  createdAt: 0,
  startedAt: 0,
  finishedAt: null,
  updatedAt: 0,
})
const COLUMNS = ['a', 'b']

/**
 * Takes runs one after the other, each as `[rows, rows with a, rows with b]`; returns the fields
 * that drifted in each.
 */
function runs(...counts: readonly (readonly [rows: number, a: number, b: number])[]): string[][] {
  let health: HealthRecord | null = null
  return counts.map(([rows, a, b], index) => {
    const result = findDrift(
      health,
      executionOf(`e${index}`),
      { ...emptyProgress(`e${index}`), rows, filled: { a, b }, extracted: Math.max(rows, 10) },
      COLUMNS,
      't',
      index,
    )
    health = result.health
    return result.drift.map(({ field }) => field)
  })
}

describe('drift is reported for', () => {
  test('a column that loses its values', () => {
    expect(runs([50, 50, 45], [50, 50, 46], [50, 50, 0])).toEqual([[], [], ['b']])
    expect(runs([50, 50, 45], [50, 50, 46], [50, 20, 45])).toEqual([[], [], ['a']])
  })
  test('every column, if no row is left', () => {
    expect(runs([50, 50, 45], [50, 50, 46], [0, 0, 0])).toEqual([[], [], ['a', 'b']])
  })
  test('each further run, as long as it lasts', () => {
    expect(runs([50, 50, 45], [50, 50, 46], [50, 50, 0], [50, 50, 0], [50, 50, 45])).toEqual([
      [],
      [],
      ['b'],
      ['b'],
      [],
    ])
  })
  test('a single row, if the column always had a value', () => {
    expect(runs([1, 1, 1], [1, 1, 1], [1, 1, 0])).toEqual([[], [], ['b']])
  })
})

describe('drift is not reported for', () => {
  test('a difference after only two executions', () => {
    expect(runs([50, 50, 45], [50, 50, 0])).toEqual([[], []])
  })
  test('a random difference of few rows', () => {
    expect(runs([10, 10, 6], [10, 10, 6], [2, 2, 0])).toEqual([[], [], []])
  })
  test('a column that is usually empty', () => {
    expect(runs([1_000, 1_000, 100], [1_000, 1_000, 120], [1_000, 1_000, 0])).toEqual([[], [], []])
  })
  test('a small drop, however certain', () => {
    expect(
      runs([100_000, 100_000, 90_000], [100_000, 100_000, 90_000], [100_000, 100_000, 80_000]),
    ).toEqual([[], [], []])
  })
  test('columns of another recipe', () => {
    const before = findDrift(
      null,
      executionOf('e0'),
      { ...emptyProgress('e0'), rows: 50, filled: { a: 50, b: 50 }, extracted: 50 },
      COLUMNS,
      't',
      0,
    ).health
    const again = findDrift(
      before,
      executionOf('e1'),
      { ...emptyProgress('e1'), rows: 50, filled: { a: 50, b: 50 }, extracted: 50 },
      COLUMNS,
      't',
      1,
    ).health
    const changed = findDrift(
      again,
      executionOf('e2', { extract: { fields: { a: 'h1', b: 'h3' } } }),
      { ...emptyProgress('e2'), rows: 50, filled: { a: 50 }, extracted: 50 },
      COLUMNS,
      't',
      2,
    )
    expect(changed.drift).toEqual([])
    expect(changed.health.samples).toHaveLength(1)
  })
})

test('executions with equal shares of values never drift, and the number of samples is bounded', () => {
  const shared = fc.record({
    rows: fc.integer({ min: 1, max: 10_000 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    count: fc.integer({ min: 3, max: 40 }),
  })
  fc.assert(
    fc.property(shared, ({ rows, share, count }) => {
      const filled = Math.round(rows * share)
      expect(
        runs(...Array.from({ length: count }, () => [rows, filled, rows] as const)).flat(),
      ).toEqual([])
    }),
  )
})

test('a column may have the name of a property of every object', () => {
  const facts = { ...emptyProgress('e'), rows: 10, filled: {}, extracted: 10 }
  expect(
    findDrift(null, executionOf('e'), facts, ['constructor', 'toString'], 't', 0).health.samples[0]
      ?.filled,
  ).toEqual({ constructor: 0, toString: 0 })
})
