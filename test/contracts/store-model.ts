import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Key } from '../../src/kernel/key.ts'
import type { StoreSubject } from './store-subject.ts'

const key: fc.Arbitrary<Key> = fc.tuple(
  fc.constant('m'),
  fc.constantFrom<string | number>('', 'a', 'ab', 'é', '\u{1f41f}', '\ue000', -1, 0, 2, 10),
  fc.integer({ min: 0, max: 3 }),
)
// Sums of other numbers would depend on the arithmetic of the store.
const anyValue = fc
  .jsonValue()
  .map((json) => (typeof json === 'number' ? Math.trunc(json % 1_000_000) : json))
const write = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), key, value: anyValue }),
  fc.record({ kind: fc.constant('add' as const), key, value: fc.integer({ min: -9, max: 9 }) }),
  fc.record({ kind: fc.constant('delete' as const), key, value: fc.constant(null) }),
)
const step = fc.record({
  writes: fc.uniqueArray(write, { maxLength: 6, selector: (item) => name(item.key) }),
  checks: fc.array(fc.record({ key, right: fc.boolean() }), { maxLength: 2 }),
  range: fc.record({
    after: fc.option(key, { nil: undefined }),
    before: fc.option(key, { nil: undefined }),
    limit: fc.integer({ min: 1, max: 12 }),
    reverse: fc.boolean(),
  }),
})

interface Known {
  readonly key: Key
  readonly value: unknown
}

/** Compares a store with a plain sorted array, over random commits and ranges. */
export function storeModel(make: () => Promise<StoreSubject>): void {
  describe('model', () => {
    it('answers like a sorted array', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: 1, maxLength: 12, size: 'max' }),
          async (steps) => {
            const { store } = await make()
            let model: Known[] = []
            for (const { writes, checks, range } of steps) {
              const present = await store.get(checks.map((check) => check.key))
              const valid = checks.every((check) => check.right)
              const countable = writes.every(
                (item) => item.kind !== 'add' || typeof amountAt(model, item.key) === 'number',
              )
              const outcome = await store
                .commit({
                  check: checks.map((check, i) => ({
                    key: check.key,
                    version: check.right ? (present[i]?.version ?? null) : 'stale',
                  })),
                  set: writes.flatMap((item) =>
                    item.kind === 'set' ? [{ key: item.key, value: item.value }] : [],
                  ),
                  add: writes.flatMap((item) =>
                    item.kind === 'add' ? [{ key: item.key, amount: item.value }] : [],
                  ),
                  delete: writes.flatMap((item) => (item.kind === 'delete' ? [item.key] : [])),
                })
                .catch((error: unknown) => error instanceof TypeError && 'refused')
              expect(outcome).toBe(valid ? (countable ? true : 'refused') : false)
              if (outcome === true) model = applied(model, writes)
              const { after, before, limit, reverse } = range
              const between = model.filter(
                (entry) =>
                  (!after || compare(entry.key, after) > 0) &&
                  (!before || compare(entry.key, before) < 0),
              )
              const expected = (reverse ? between.toReversed() : between).slice(0, limit)
              const entries = await store.list({
                prefix: ['m'],
                limit,
                reverse,
                ...(after && { after }),
                ...(before && { before }),
              })
              expect(entries.map((entry) => ({ key: entry.key, value: entry.value }))).toEqual(
                expected,
              )
            }
            await store.close()
          },
        ),
        { numRuns: 60 },
      )
    })
  })
}

function applied(
  model: readonly Known[],
  writes: readonly { kind: 'set' | 'add' | 'delete'; key: Key; value: unknown }[],
): Known[] {
  const writtenNames = new Set(writes.map((item) => name(item.key)))
  const next = writes.flatMap((item) => {
    if (item.kind === 'delete') return []
    const value: unknown =
      item.kind === 'add'
        ? Number(amountAt(model, item.key)) + Number(item.value)
        : JSON.parse(JSON.stringify(item.value))
    return [{ key: item.key, value }]
  })
  return [...model.filter((entry) => !writtenNames.has(name(entry.key))), ...next].toSorted(
    (a, b) => compare(a.key, b.key),
  )
}

function find(model: readonly Known[], wantedKey: Key): Known | undefined {
  return model.find((entry) => name(entry.key) === name(wantedKey))
}

/** The number from which a counter starts; `null` is a value like any other. */
function amountAt(model: readonly Known[], wantedKey: Key): unknown {
  const entry = find(model, wantedKey)
  return entry ? entry.value : 0
}

function name(parts: Key): string {
  return JSON.stringify(parts)
}

/** The order that the port promises, written in another way than in kernel/key.ts. */
function compare(a: Key, b: Key): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [x, y] = [a[i] ?? 0, b[i] ?? 0]
    if (typeof x === 'number' && typeof y === 'number') {
      if (x !== y) return x - y
    } else if (typeof x === 'string' && typeof y === 'string') {
      const order = compareCodePoints(x, y)
      if (order !== 0) return order
    } else return typeof x === 'string' ? -1 : 1
  }
  return a.length - b.length
}

// The order of UTF-8 bytes is that of the code points.
function compareCodePoints(x: string, y: string): number {
  const [a, b] = [
    Array.from(x, (c) => c.codePointAt(0) ?? 0),
    Array.from(y, (c) => c.codePointAt(0) ?? 0),
  ]
  for (let i = 0; i < Math.min(a.length, b.length); i++)
    if (a[i] !== b[i]) return (a[i] ?? 0) - (b[i] ?? 0)
  return a.length - b.length
}
