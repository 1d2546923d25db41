import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkHistory } from './check.ts'
import type { History, Outcome, Transaction } from './history.ts'
import { createMemoryStore } from '../../src/defaults/memory-store.ts'
import { Luck } from '../simulate/luck.ts'
import type { Store } from '../../src/ports/store.ts'
import { playClient, readLists } from './client.ts'

interface Brief {
  readonly reads?: Readonly<Record<string, readonly number[]>>
  readonly appends?: readonly (readonly [key: string, value: number])[]
  readonly process?: string
  readonly time?: readonly [invoked: number, completed: number]
  readonly outcome?: Outcome
}

/** A history whose transactions are all at the same time, unless they say otherwise. */
function historyOf(briefs: readonly Brief[], final: Brief['reads'] = {}): History {
  const readsOf = (lists: Brief['reads'] = {}) =>
    Object.entries(lists).map(([key, values]) => ({ key, values }))
  return {
    transactions: briefs.map((brief, id) => ({
      id,
      process: brief.process ?? `p${id}`,
      outcome: brief.outcome ?? 'ok',
      invoked: brief.time?.[0] ?? 0,
      completed: brief.time?.[1] ?? 100,
      reads: readsOf(brief.reads),
      appends: (brief.appends ?? []).map(([key, value]) => ({ key, value })),
    })),
    final: readsOf(final),
  }
}

const kindsOf = (history: History, staleReads = false): string[] =>
  checkHistory(history, { staleReads }).map(({ kind }) => kind)

const CASES: readonly (readonly [kind: string, History])[] = [
  [
    'G0',
    historyOf(
      [
        {
          appends: [
            ['x', 1],
            ['y', 1],
          ],
        },
        {
          appends: [
            ['x', 2],
            ['y', 2],
          ],
        },
      ],
      { x: [1, 2], y: [2, 1] },
    ),
  ],
  [
    'G1a',
    historyOf([{ appends: [['x', 1]], outcome: 'failed' }, { reads: { x: [1] } }], { x: [1] }),
  ],
  [
    'G1b',
    historyOf(
      [
        {
          appends: [
            ['x', 1],
            ['x', 2],
          ],
        },
        { reads: { x: [1] } },
      ],
      { x: [1, 2] },
    ),
  ],
  [
    'G1c',
    historyOf(
      [
        { reads: { y: [1] }, appends: [['x', 1]] },
        { reads: { x: [1] }, appends: [['y', 1]] },
      ],
      { x: [1], y: [1] },
    ),
  ],
  [
    'G-single',
    historyOf(
      [
        {
          appends: [
            ['x', 1],
            ['y', 1],
          ],
        },
        { reads: { x: [1], y: [] } },
      ],
      { x: [1], y: [1] },
    ),
  ],
  [
    'G-single',
    historyOf(
      [
        { reads: { x: [] }, appends: [['x', 1]] },
        { reads: { x: [] }, appends: [['x', 2]] },
      ],
      { x: [1, 2] },
    ),
  ],
  [
    'G2-item',
    historyOf(
      [
        { reads: { x: [], y: [] }, appends: [['x', 1]] },
        { reads: { x: [], y: [] }, appends: [['y', 1]] },
      ],
      { x: [1], y: [1] },
    ),
  ],
  [
    'G-single-process',
    historyOf(
      [
        { appends: [['x', 1]], process: 'p', time: [0, 1] },
        { reads: { x: [] }, process: 'p', time: [1, 2] },
      ],
      { x: [1] },
    ),
  ],
  [
    'G-single-realtime',
    historyOf(
      [
        { appends: [['x', 1]], time: [0, 1] },
        { reads: { x: [] }, time: [2, 3] },
      ],
      { x: [1] },
    ),
  ],
  [
    'G0-realtime',
    historyOf(
      [
        { appends: [['x', 1]], time: [0, 1] },
        { appends: [['x', 2]], time: [2, 3] },
      ],
      { x: [2, 1] },
    ),
  ],
  ['lost append', historyOf([{ appends: [['x', 1]] }], { x: [] })],
  ['duplicate append', historyOf([{ appends: [['x', 1]] }], { x: [1, 1] })],
  [
    'incompatible order',
    historyOf([{ appends: [['x', 1]] }, { appends: [['x', 2]] }, { reads: { x: [2] } }], {
      x: [1, 2],
    }),
  ],
  ['garbage', historyOf([{ reads: { x: [9] } }], { x: [9] })],
]

describe('the checker', () => {
  test('finds each anomaly in a history that has it', () => {
    for (const [kind, history] of CASES) expect(kindsOf(history), kind).toContain(kind)
  })

  test('finds nothing where the answer of a commit was lost, written or not', () => {
    const lost = { appends: [['x', 1]], outcome: 'unknown', time: [0, 1] } as const
    expect(kindsOf(historyOf([lost, { reads: { x: [] }, time: [5, 6] }], { x: [] }))).toEqual([])
    expect(kindsOf(historyOf([lost, { reads: { x: [] }, time: [5, 6] }], { x: [1] }))).toEqual([])
  })

  test('lets a read be late only where the store may be, and never behind its own process', () => {
    const write = { appends: [['x', 1]], process: 'p', time: [0, 1] } as const
    const late = (process: string) =>
      historyOf([write, { reads: { x: [] }, process, time: [2, 3] }], { x: [1] })
    expect(kindsOf(late('q'))).toEqual(['G-single-realtime'])
    expect(kindsOf(late('q'), true)).toEqual([])
    expect(kindsOf(late('p'), true)).toEqual(['G-single-process'])
  })
})

describe('a history of clients on the store in memory', () => {
  test('has no anomaly', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        expect(checkHistory(await play(createMemoryStore(), seed), { staleReads: false })).toEqual(
          [],
        )
      }),
      { numRuns: 20 },
    )
  })

  test.for<[string, (store: Store) => Store]>([
    [
      'checks are not looked at',
      (store) => ({
        ...methodsOf(store),
        commit: (change) => store.commit({ ...change, check: [] }),
      }),
    ],
    [
      'a commit is said to have failed though it was written',
      (store) => {
        let commits = 0
        const commit: Store['commit'] = async (change) =>
          (await store.commit(change)) && ++commits % 10 !== 0
        return { ...methodsOf(store), commit }
      },
    ],
    [
      'keys are read one after the other',
      (store) => ({
        ...methodsOf(store),
        async get(keys) {
          const entries = []
          for (const key of keys) entries.push(...(await store.get([key])))
          return entries
        },
      }),
    ],
  ])('has anomalies where %s', async ([, spoil]) => {
    const history = await play(spoil(createMemoryStore()), 7)
    expect(checkHistory(history, { staleReads: false })).not.toEqual([])
  })
})

function methodsOf(store: Store): Store {
  return {
    get: (keys) => store.get(keys),
    list: (range) => store.list(range),
    commit: (change) => store.commit(change),
    close: () => store.close(),
  }
}

/** The history of four clients that take turns at each await. */
async function play(store: Store, seed: number): Promise<History> {
  const transactions = new Map<number, Transaction>()
  let time = 0
  await Promise.all(
    [0, 1, 2, 3].map((client) =>
      playClient({
        store,
        client,
        luck: new Luck(seed + client),
        keys: 4,
        count: 20,
        now: () => time++,
        pause: async () => {},
        note: (one) => void transactions.set(one.id, one),
      }),
    ),
  )
  return { transactions: [...transactions.values()], final: await readLists(store) }
}
