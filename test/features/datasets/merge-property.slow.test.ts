import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSqliteStore } from '../../../adapters/sqlite/index.ts'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { LastSeen } from '../../../src/features/datasets/last-seen.ts'
import type { Row } from '../../../src/kernel/json.ts'
import type { Blobs } from '../../../src/ports/blobs.ts'
import type { Store } from '../../../src/ports/store.ts'
import { SYSTEM } from '../../../src/records/collection.ts'
import { createRecords } from '../../../src/features/records.ts'
import { inspect } from '../../../src/features/verify/inspect.ts'
import { DatasetModel } from '../../support/worlds/dataset-model.ts'
import { ACCOUNT, DATASET, finishRun, makeDataset } from '../../support/worlds/dataset-runs.ts'
import { FAULTS, FaultStore, through } from '../../support/stores/fault-store.ts'
import { mergeAll } from '../../support/worlds/merge-all.ts'

const BATCH = 2
/** So few entries that the log of sightings is folded between most merges. */
const SEEN_ROWS = 2
const ALL = 1_000

const sku = fc.constantFrom('a', 'b', 'c', 'd', 'e', 5, '5', null)
const value = fc.constantFrom<Row[string]>(1, 2, 'x', null, ['x'], { deep: [1] })
/** The tasks have different columns of the same items. */
const rowsOf = {
  one: fc.record({ sku, price: value }),
  two: fc.record({ sku, price: value, title: value }),
}
const run = fc.constantFrom<'one' | 'two'>('one', 'one', 'two').chain((task) =>
  fc.record({
    task: fc.constant(task),
    segments: fc.array(fc.array<Row>(rowsOf[task], { minLength: 1, maxLength: 5 }), {
      maxLength: 3,
    }),
    complete: fc.boolean(),
  }),
)
const fault = fc.record({ fault: fc.constantFrom(...FAULTS), k: fc.integer({ min: 1, max: 12 }) })
type Run = typeof run extends fc.Arbitrary<infer T> ? T : never

async function finish(
  store: Store,
  blobs: Blobs,
  { task, segments, complete }: Run,
  n: number,
): Promise<void> {
  await finishRun(createRecords(store), blobs, {
    id: `exec_${n}`,
    task,
    at: n,
    segments,
    progress: { outcomes: complete ? { fetched: 1 } : { fetched: 1, failed: 1 } },
  })
}

/** The state of all records of the dataset, in the form of the model. */
async function actual(store: Store) {
  const records = createRecords(store)
  const slice = { within: [DATASET], limit: ALL }
  const [items, sightings, changes, merges, state] = await Promise.all([
    records.items.list(ACCOUNT, slice),
    records.sightings.list(ACCOUNT, slice),
    records.itemChanges.list(ACCOUNT, slice),
    records.merges.list(ACCOUNT, slice),
    records.datasetStates.get(ACCOUNT, DATASET),
  ])
  const lastSeen = await new LastSeen(records, ACCOUNT, DATASET).of(
    sightings.map(({ value: sighting }) => sighting),
  )
  const seen = new Map(sightings.map(({ value: { key } }, i) => [key, lastSeen[i]]))
  const slots = [
    ...sightings.map(({ value: { slot } }) => slot),
    ...items.flatMap(({ value: { gone } }) => gone?.slot ?? []),
  ]
  expect(slots.toSorted((a, b) => a - b)).toEqual(items.map((_, i) => i))
  expect(changes.map(({ value: change }) => change.sequence)).toEqual(changes.map((_, i) => i + 1))
  expect(merges.map(({ value: merge }) => [merge.number, merge.execution, merge.at])).toEqual(
    merges.map((_, i) => [i + 1, `exec_${i + 1}`, i + 1]),
  )
  expect(sightings.map(({ value: { key, task } }) => [key, task])).toEqual(
    items.filter(({ value: item }) => !item.gone).map(({ value: { key, task } }) => [key, task]),
  )
  return {
    items: items.map(({ value: { key, values, task, first, changed, gone } }) => ({
      key,
      values,
      task,
      first,
      changed,
      last: gone?.last ?? seen.get(key),
      gone: gone?.at ?? null,
    })),
    changes: sorted(
      changes.map(({ value: { merge, kind, key, keyValues, fields } }) => ({
        run: merge,
        kind,
        key,
        keyValue: keyValues[0],
        fields,
      })),
    ),
    state: state?.value,
  }
}

const sorted = <T>(changes: readonly T[]) =>
  changes.map((change) => JSON.stringify(change)).toSorted()

/** Compares the records with the model. */
async function compare(store: Store, runs: readonly Run[]): Promise<void> {
  const model = new DatasetModel()
  const totals = { added: 0, changed: 0, gone: 0, returned: 0 }
  for (const { task, segments, complete } of runs)
    model.merge({ task, rows: segments.flat(), complete })
  for (const { kind } of model.changes) totals[kind as keyof typeof totals]++
  const content = await actual(store)
  const present = [...model.items.values()].filter(({ gone }) => gone === null).length
  const byKey = [...model.items]
    .map(([key, item]) => ({ key: JSON.stringify([key]), ...item }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
  expect(content.items).toEqual(byKey)
  expect(content.changes).toEqual(
    sorted(
      model.changes.map(({ run: merge, kind, key, fields }) => ({
        run: merge,
        kind,
        key: JSON.stringify([key]),
        keyValue: key,
        fields,
      })),
    ),
  )
  expect(content.state).toMatchObject({
    merges: runs.length,
    active: null,
    present,
    gone: model.items.size - present,
    sequence: model.changes.length,
    forgotten: 0,
    totals,
    last:
      runs.length === 0
        ? null
        : { execution: `exec_${runs.length}`, at: runs.length, ...model.counts },
  })
  const records = createRecords(store)
  expect(await records.pendingMerges.list(ACCOUNT, { limit: 1 })).toEqual([])
  expect((await inspect(store).indexes({})).faults).toEqual([])
  const events = await records.outbox.list(SYSTEM, { limit: ALL })
  expect(events.length).toBe(new Set(model.changes.map(({ run: merge }) => merge)).size)
}

/**
 * Merges runs one after the other. Each is first merged by a worker with a fault, and then, while
 * that worker hangs or after it died, by another one.
 */
async function withFaults(
  base: Store,
  plan: readonly {
    run: Run
    fault: { fault: (typeof FAULTS)[number]; k: number }
    waits: boolean
  }[],
  spoil: (store: Store) => Store = (store) => store,
): Promise<void> {
  const blobs = createMemoryBlobs()
  const records = createRecords(base)
  await makeDataset(records)
  for (const [
    i,
    {
      run: one,
      fault: { fault: kind, k },
      waits,
    },
  ] of plan.entries()) {
    await finish(base, blobs, one, i + 1)
    if (waits && i + 1 < plan.length) continue
    const faulty = new FaultStore(base, k, kind, {
      onStall: async () =>
        void (await mergeAll(records, blobs, ACCOUNT, DATASET, BATCH, SEEN_ROWS)),
    })
    await mergeAll(createRecords(spoil(faulty)), blobs, ACCOUNT, DATASET, BATCH, SEEN_ROWS).catch(
      () => undefined,
    )
    await mergeAll(records, blobs, ACCOUNT, DATASET, BATCH, SEEN_ROWS)
    // The job may be delivered once more.
    expect(await mergeAll(records, blobs, ACCOUNT, DATASET, BATCH, SEEN_ROWS)).toBe(0)
  }
  await compare(
    base,
    plan.map((step) => step.run),
  )
}

const plans = fc.array(fc.record({ run, fault, waits: fc.boolean() }), { maxLength: 6 })

describe('merges give the same state as the model', () => {
  it('whatever commit fails, is lost, delayed or the last of its process', async () => {
    await fc.assert(
      fc.asyncProperty(plans, (plan) => withFaults(createMemoryStore(), plan)),
      { numRuns: 300 },
    )
  })

  it('also on SQLite', async () => {
    const onSqlite = async (plan: Parameters<typeof withFaults>[1]) => {
      const store = createSqliteStore({ path: ':memory:' })
      await withFaults(store, plan).finally(() => store.close())
    }
    await fc.assert(fc.asyncProperty(plans, onSqlite), { numRuns: 40 })
  })

  it('also with two workers at the same time, in every order of their steps', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(run, { minLength: 1, maxLength: 3 }),
        fc.scheduler(),
        async (runs, scheduler) => {
          const base = createMemoryStore()
          const blobs = createMemoryBlobs()
          await makeDataset(createRecords(base))
          for (const [i, one] of runs.entries()) await finish(base, blobs, one, i + 1)
          const turn = async (): Promise<void> => scheduler.schedule(Promise.resolve())
          const worker = (): Store => ({
            get: async (keys) => (await turn(), base.get(keys)),
            list: async (range) => (await turn(), base.list(range)),
            commit: async (change) => (await turn(), base.commit(change)),
            close: async () => undefined,
          })
          await scheduler.waitFor(
            Promise.all(
              [BATCH, BATCH + 1].map((batch) =>
                mergeAll(createRecords(worker()), blobs, ACCOUNT, DATASET, batch, SEEN_ROWS),
              ),
            ),
          )
          await compare(base, runs)
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('planted: the checks notice', () => {
  const rows = ['a', 'b', 'c', 'd', 'e'].map((key) => ({ sku: key, price: 1 }))
  const planWith = (kind: (typeof FAULTS)[number], k: number): Parameters<typeof withFaults>[1] => [
    {
      run: { task: 'one', segments: [rows], complete: true },
      fault: { fault: kind, k },
      waits: false,
    },
  ]
  const isFence = ({ key }: { readonly key: readonly (string | number)[] }): boolean =>
    key[1] === 'dataset-states'

  it('a commit that is not fenced by the state', async () => {
    await withFaults(createMemoryStore(), planWith('stall-before', 2))
    const unfenced = (base: Store) =>
      through(base, (change) =>
        base.commit({
          ...change,
          check: (change.check ?? []).filter(
            (check) => !isFence(check) && check.key[1] !== 'items',
          ),
        }),
      )
    await expect(
      withFaults(createMemoryStore(), planWith('stall-before', 2), unfenced),
    ).rejects.toThrow(/^expected/)
  })

  it('items that are written after the cursor has moved', async () => {
    const apart = (base: Store) =>
      through(base, async (change) => {
        const isWritten = await base.commit({
          ...change,
          set: (change.set ?? []).filter(isFence),
          delete: [],
        })
        return (
          isWritten &&
          base.commit({
            ...change,
            check: [],
            set: (change.set ?? []).filter((set) => !isFence(set)),
          })
        )
      })
    await withFaults(createMemoryStore(), planWith('crash-before', 9), apart)
    await expect(
      withFaults(createMemoryStore(), planWith('crash-before', 2), apart),
    ).rejects.toThrow(/^expected/)
  })
})
