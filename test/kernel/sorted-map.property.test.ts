import { expect, it } from 'vitest'
import { SortedMap } from '../../src/kernel/table/entry-table.ts'
import { seededRandom } from '../support/fakes/seeded-random.ts'

/** Random numbers below 2^24. */
function numbers(seed: number): () => number {
  const random = seededRandom(seed)
  return () => random(3).reduce((sum, byte) => sum * 256 + byte, 0)
}

const keyOf = (n: number): string => String(n).padStart(8, '0')

function check(
  map: SortedMap<number>,
  model: ReadonlyMap<string, number>,
  over: string,
  under: string,
): void {
  const expected = [...model]
    .filter(([key]) => key > over && key < under)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  expect([...map.ascending(over, under)]).toEqual(expected)
  expect([...map.descending(over, under)]).toEqual(expected.toReversed())
  expect(map.size).toBe(model.size)
}

it.each([1, 2, 3, 4])('keys are iterated in order after many random writes (seed %i)', (seed) => {
  const next = numbers(seed)
  const map = new SortedMap<number>()
  const model = new Map<string, number>()
  for (let round = 0; round < 12; round++) {
    // It grows, and then shrinks to almost nothing, over many chunks.
    const deleting = round >= 6
    for (let i = 0; i < 1_500; i++) {
      const key = keyOf(next() % 6_000)
      if (deleting ? next() % 5 !== 0 : next() % 5 === 0) {
        map.delete(key)
        model.delete(key)
      } else {
        map.set(key, i)
        model.set(key, i)
      }
    }
    const [a, b] = [keyOf(next() % 6_000), keyOf(next() % 6_000)]
    check(map, model, a < b ? a : b, a < b ? b : a)
    check(map, model, '', '\u{7f}')
    expect(map.get(a)).toBe(model.get(a))
  }
  for (const key of model.keys()) map.delete(key)
  check(map, new Map(), '', '\u{7f}')
  map.set('a', 1)
  check(map, new Map([['a', 1]]), '', '\u{7f}')
})

it.each(['ascending', 'descending'] as const)(
  'keys are iterated in order if they are added %s',
  (direction) => {
    const map = new SortedMap<number>()
    const model = new Map<string, number>()
    for (let i = 0; i < 5_000; i++) {
      const key = keyOf(direction === 'ascending' ? i : 10_000 - i)
      map.set(key, i)
      model.set(key, i)
    }
    check(map, model, '', '\u{7f}')
    map.clear()
    expect(map.size).toBe(0)
    check(map, new Map(), '', '\u{7f}')
  },
)
