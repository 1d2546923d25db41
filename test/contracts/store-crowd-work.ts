import type { Key } from '../../src/kernel/key.ts'
import type { Store } from '../../src/ports/store.ts'
import { createStoreQueue } from '../../src/defaults/store-queue.ts'
import { cryptoRandom, systemClock } from '../../src/defaults/system-clock.ts'
import { createRecords } from '../../src/features/records.ts'
import { makeTransfers } from '../support/fakes/bank.ts'

/** The work of a writer, as data that can be sent to another process or isolate. */
export interface CrowdOrder {
  /** The name of the store, which is the same for all writers. */
  readonly place: string
  readonly kind: CrowdKind
  /** The number of this writer among the `writers`, from 0. */
  readonly writer: number
  readonly writers: number
  /** How often it works; `null`: until it is killed. */
  readonly count: number | null
}

/** The result of an order. */
export interface CrowdReport {
  /** The process or isolate. */
  readonly who: string
  /** The numbers that this writer, as answers of the store said, has won, taken or passed on. */
  readonly did: readonly number[]
}

/** Kinds of work of {@link CrowdOrder}. */
export type CrowdKind = keyof typeof WORKS

interface Task {
  readonly store: Store
  readonly writer: number
  readonly writers: number
  readonly count: number
  /** Is called for each transfer after its commit. */
  readonly tell: (n: number) => void
}

/** The number of commits at the same time. */
const AT_ONCE = 20

const WORKS = { add, increment, transfer, claim, exclude, relay, take } as const satisfies Record<
  string,
  (task: Task) => Promise<readonly number[]>
>

/** Does the work of an order, on a store that `open` opens. */
export async function doCrowdWork(
  open: (place: string) => Store,
  { place, kind, writer, writers, count }: CrowdOrder,
  tell: (n: number) => void = () => {},
): Promise<readonly number[]> {
  const store = open(place)
  try {
    return await WORKS[kind]({
      store,
      writer,
      writers,
      count: count ?? Number.POSITIVE_INFINITY,
      tell,
    })
  } finally {
    await store.close()
  }
}

/** Pushes the jobs for `take`, into the queue that every host has on its store. */
export async function pushJobs(store: Store, count: number): Promise<void> {
  const queue = queueOn(store)
  for (let n = 0; n < count; n++) await queue.push({ id: `job${n}`, kind: 'take', data: n })
  await queue.close()
}

/** Adds to one counter of all writers, and to one of its own. */
async function add({ store, writer, count }: Task): Promise<readonly number[]> {
  await inBatches(count, () =>
    store.commit({
      add: [
        { key: ['sum'], amount: 1 },
        { key: ['own', writer], amount: 1 },
      ],
    }),
  )
  return []
}

/** Adds by reading a number and writing it, on condition that nobody wrote in between. */
async function increment({ store, count }: Task): Promise<readonly number[]> {
  for (let n = 0; n < count;) {
    const [sum] = await store.get([['sum']])
    if (
      await store.commit({
        check: [{ key: ['sum'], version: sum?.version ?? null }],
        set: [{ key: ['sum'], value: Number(sum?.value ?? 0) + 1 }],
      })
    )
      n++
  }
  return []
}

async function transfer({ store, writer, count, tell }: Task): Promise<readonly number[]> {
  await makeTransfers(store, writer, count, tell)
  return []
}

/** Claims every key that nobody has claimed; each writer begins at another key. */
async function claim({ store, writer, writers, count }: Task): Promise<readonly number[]> {
  const from = Math.floor((writer * count) / writers / 2)
  return inBatches(count, (n) => {
    const key: Key = ['claim', (n + from) % count]
    return store.commit({ check: [{ key, version: null }], set: [{ key, value: writer }] })
  }).then((won) => won.map((n) => (n + from) % count))
}

/**
 * In each round writes the key of its own side, if the key of the other side is unchanged. Without
 * the check of a key that it does not write, both sides could write.
 */
async function exclude({ store, writer, count }: Task): Promise<readonly number[]> {
  const won: number[] = []
  for (let round = 0; round < count; round++) {
    const [mine, foreignKey]: [Key, Key] = [
      ['side', round, writer % 2],
      ['side', round, (writer + 1) % 2],
    ]
    const [present] = await store.get([foreignKey])
    if (present && present.value !== 0) continue
    if (
      await store.commit({
        check: [{ key: foreignKey, version: present?.version ?? null }],
        set: [{ key: mine, value: 1 }],
      })
    )
      won.push(round)
  }
  return won
}

/** Passes a number on to the next writer, as soon as it reads that it has the turn. */
async function relay({ store, writer, writers, count }: Task): Promise<readonly number[]> {
  const passed: number[] = []
  for (;;) {
    const [token] = await store.get([['token']])
    const n = Number(token?.value)
    if (!token || n >= count) return passed
    if (
      n % writers === writer &&
      (await store.commit({
        check: [{ key: token.key, version: token.version }],
        set: [{ key: token.key, value: n + 1 }],
      }))
    )
      passed.push(n)
    // Leaves a turn for other work of the writer; a store that answers at once would leave none.
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
}

/** Runs jobs of the store's queue until there is none. */
async function take({ store }: Task): Promise<readonly number[]> {
  const ran: number[] = []
  const queue = queueOn(store)
  await queue.consume(
    async ({ data }) => {
      await store.commit({ add: [{ key: ['ran', Number(data)], amount: 1 }] })
      ran.push(Number(data))
      return 'done'
    },
    { concurrency: 3, signal: new AbortController().signal, untilIdle: true },
  )
  await queue.close()
  return ran
}

function queueOn(store: Store) {
  return createStoreQueue({
    records: createRecords(store),
    clock: systemClock,
    random: cryptoRandom,
    pollMs: 20,
  })
}

/** The numbers below `count` for which `commit` was done. */
async function inBatches(
  count: number,
  commit: (n: number) => Promise<boolean>,
): Promise<number[]> {
  const done: number[] = []
  for (let from = 0; from < count; from += AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, i) => from + i)
    const results = await Promise.all(batch.map(commit))
    done.push(...batch.filter((_, i) => results[i]))
  }
  return done
}
