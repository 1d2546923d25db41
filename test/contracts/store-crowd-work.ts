import type { Key } from '../../src/kernel/key.ts'
import type { Store } from '../../src/ports/store.ts'
import { createStoreQueue } from '../../src/defaults/store-queue.ts'
import { cryptoRandom, systemClock } from '../../src/defaults/system-clock.ts'
import { createRecords } from '../../src/features/records.ts'
import { makeTransfers } from '../support/fakes/bank.ts'

/** What a writer is to do, as data that can be sent to wherever it is. */
export interface CrowdOrder {
  /** Which store: a name that means the same to all. */
  readonly place: string
  readonly kind: CrowdKind
  /** Which of the `writers` this one is, from 0. */
  readonly writer: number
  readonly writers: number
  /** How much; `null`: until it is killed. */
  readonly count: number | null
}

/** What became of an order. */
export interface CrowdReport {
  /** The process or isolate. */
  readonly who: string
  /** What this writer, and it was told no other, has won, taken or passed on. */
  readonly did: readonly number[]
}

/** Kinds of work of {@link CrowdOrder}. */
export type CrowdKind = keyof typeof WORKS

interface Task {
  readonly store: Store
  readonly writer: number
  readonly writers: number
  readonly count: number
  /** Is told of each transfer after its commit. */
  readonly tell: (n: number) => void
}

/** So many commits are asked for at once. */
const AT_ONCE = 20

const WORKS = { add, increment, transfer, claim, exclude, relay, take } as const satisfies Record<
  string,
  (task: Task) => Promise<readonly number[]>
>

/** Does what was ordered, on a store that `open` opens for it. */
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

/** The jobs that `take` finds, in the queue that every host has on its store. */
export async function pushJobs(store: Store, count: number): Promise<void> {
  const queue = queueOn(store)
  for (let n = 0; n < count; n++) await queue.push({ id: `job${n}`, kind: 'take', data: n })
  await queue.close()
}

/** Adds to one counter that all share, and to one of its own. */
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

/** Adds by reading, and writing where nobody has written meanwhile. */
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

/** Claims every key that nobody has claimed, each writer beginning elsewhere. */
async function claim({ store, writer, writers, count }: Task): Promise<readonly number[]> {
  const from = Math.floor((writer * count) / writers / 2)
  return inBatches(count, (n) => {
    const key: Key = ['claim', (n + from) % count]
    return store.commit({ check: [{ key, version: null }], set: [{ key, value: writer }] })
  }).then((won) => won.map((n) => (n + from) % count))
}

/**
 * In each round writes its own side's key, if that of the other side is still as it was: both keys
 * could be written, but for the check of what is not.
 */
async function exclude({ store, writer, count }: Task): Promise<readonly number[]> {
  const won: number[] = []
  for (let round = 0; round < count; round++) {
    const [mine, theirs]: [Key, Key] = [
      ['side', round, writer % 2],
      ['side', round, (writer + 1) % 2],
    ]
    const [present] = await store.get([theirs])
    if (present && present.value !== 0) continue
    if (
      await store.commit({
        check: [{ key: theirs, version: present?.version ?? null }],
        set: [{ key: mine, value: 1 }],
      })
    )
      won.push(round)
  }
  return won
}

/** Passes a number on to the next writer, as soon as it sees that it is its turn. */
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
    // Gives way to what else the writer has to do; a store that answers at once would never.
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
