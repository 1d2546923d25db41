import type { Key } from '../../src/kernel/key.ts'
import type { Entry, Store } from '../../src/ports/store.ts'
import type { Luck } from '../simulate/luck.ts'
import type { ListAppend, ListRead, Outcome, Transaction } from './history.ts'

/** One client, which does random transactions one after the other. */
export interface ClientOptions {
  readonly store: Store
  /** No two clients of a history have the same number. */
  readonly client: number
  readonly luck: Luck
  /** The number of lists. */
  readonly keys: number
  /** Transactions whose answers it must have got. */
  readonly count: number
  /** Microseconds, by a clock that all clients share. */
  now(): number
  /** Before the next try of a store that has failed. */
  pause(): Promise<void>
  /**
   * Is told a transaction before its commit, as one whose answer was lost, and again with its
   * outcome.
   */
  note(transaction: Transaction): void
}

/** Numbers for transactions and values: each client has its own. */
const EACH = 100_000
/** Tries after which a store counts as gone for good. */
const TRIES = 2_000

/** Does transactions until `count` of them had an answer. */
export async function playClient(options: ClientOptions): Promise<void> {
  const { client, count, pause } = options
  let done = 0
  for (let n = 0; done < count; n++) {
    if (n > TRIES + count) throw new Error('The store does not come back')
    if (await playOne(options, client * EACH + n)) done++
    else await pause()
  }
}

/** All lists, at one moment. */
export async function readLists(store: Store): Promise<ListRead[]> {
  return (await store.list({ prefix: ['list'], limit: 1_000 })).map(readOf)
}

/** `false`: the store has failed. */
async function playOne(options: ClientOptions, id: number): Promise<boolean> {
  const { store, luck, keys, client, now, note } = options
  const way = luck.weighed({ get: 3, list: 2, snapshot: 1, append: 8 })
  const places = new Set(Array.from({ length: luck.int(1, 3) }, () => luck.int(0, keys - 1)))
  const names = [...places].map((place) => `k${place}`)
  const appends = way === 'append' ? drawAppends(luck, names, id) : []
  const invoked = now()
  const done = (outcome: Outcome, reads: readonly ListRead[]): void =>
    note({ id, process: `client ${client}`, outcome, invoked, completed: now(), reads, appends })
  let entries: (Entry | null)[] = []
  try {
    if (way === 'list' || way === 'snapshot') {
      const lists = await (way === 'list' ? readLists(store) : readSnapshot(store))
      done('ok', withEmpty(lists, keys))
      return true
    }
    entries = await store.get(names.map(keyOf))
  } catch {
    // It has read nothing, and written nothing.
    return false
  }
  const reads = entries.map((entry, i) => ({ key: names[i] ?? '', values: valuesOf(entry) }))
  if (appends.length === 0) {
    done('ok', reads)
    return true
  }
  done('unknown', reads)
  try {
    const isWritten = await store.commit({
      check: entries.map((entry, i) => ({
        key: keyOf(names[i] ?? ''),
        version: entry?.version ?? null,
      })),
      set: reads.flatMap(({ key, values }) => {
        const added = appends.flatMap((append) => (append.key === key ? [append.value] : []))
        return added.length === 0 ? [] : [{ key: keyOf(key), value: [...values, ...added] }]
      }),
    })
    done(isWritten ? 'ok' : 'failed', reads)
    return true
  } catch {
    return false
  }
}

/** One append at least; others of its keys are read only, and checked. */
function drawAppends(luck: Luck, names: readonly string[], id: number): ListAppend[] {
  const count = luck.int(1, 3)
  return Array.from({ length: count }, (_, i) => ({
    key: luck.any(names) ?? '',
    value: id * 10 + i,
  }))
}

async function readSnapshot(store: Store): Promise<ListRead[]> {
  if (!store.snapshot) return readLists(store)
  const lists: ListRead[] = []
  for await (const page of store.snapshot([['list']]))
    for (const { key, json } of page)
      lists.push({ key: String(key[1]), values: numbersOf(JSON.parse(json)) })
  return lists
}

/** An absent list is an empty one, which is read as well. */
function withEmpty(lists: readonly ListRead[], keys: number): ListRead[] {
  const byKey = new Map(lists.map((list) => [list.key, list]))
  return Array.from({ length: keys }, (_, place) => {
    const key = `k${place}`
    return byKey.get(key) ?? { key, values: [] }
  })
}

function readOf(entry: Entry): ListRead {
  return { key: String(entry.key[1]), values: valuesOf(entry) }
}

function valuesOf(entry: Entry | null | undefined): readonly number[] {
  return entry ? numbersOf(entry.value) : []
}

function numbersOf(value: unknown): readonly number[] {
  if (!Array.isArray(value)) throw new TypeError('A list is not a list')
  return value.map(Number)
}

const keyOf = (name: string): Key => ['list', name]
