import type { Store } from '../../src/ports/store.ts'

/** The same small piece of work on any storage of records; a promise is awaited. */
export interface Workload {
  /**
   * Reads a record, checks its version, writes it with two index entries and adds one to a counter:
   * all or nothing.
   */
  commit(record: number): Promise<void> | void
  /** Reads the 100 records of a group in order; tells how many there are. */
  list(group: number): Promise<number> | number
  get(record: number): Promise<boolean> | boolean
  /** The counter: how many commits there were. */
  counted(): Promise<number> | number
  close(): Promise<void> | void
}

/** Records of one group, and so entries of one list. */
export const GROUP = 100

/** A record of about 300 bytes, as JSON. */
export function recordValue(record: number, revision: number) {
  return {
    id: `record-${record}`,
    revision,
    state: revision % 2 === 0 ? 'queued' : 'running',
    url: `https://shop.example/item/${record}?from=list&page=${record % 50}`,
    counters: {
      discovered: record,
      fetched: revision,
      rows: record * 3,
      failed: 0,
      blocked: 0,
      duplicate: 0,
      bytes: record * 40_960,
    },
    createdAt: '2026-11-21T00:00:00.000Z',
    updatedAt: '2026-11-21T00:00:00.000Z',
  }
}

/** The workload on a {@link Store}. */
export function storeWorkload(store: Store): Workload {
  const keyOf = (record: number) =>
    ['bench', 'records', Math.floor(record / GROUP), record] as const
  const counter = ['bench', 'counter'] as const
  let revision = 0
  return {
    async commit(record) {
      const key = keyOf(record)
      const [entry] = await store.get([key])
      const value = recordValue(record, ++revision)
      const done = await store.commit({
        check: [{ key, version: entry?.version ?? null }],
        set: [
          { key, value },
          { key: ['bench', 'by-state', value.state, record], value: null },
          { key: ['bench', 'by-url', value.url], value: null },
        ],
        add: [{ key: counter, amount: 1 }],
      })
      if (!done)
        throw new Error(`The version of record ${record} changed although nobody else writes it`)
    },
    async list(group) {
      return (await store.list({ prefix: ['bench', 'records', group], limit: GROUP })).length
    },
    async get(record) {
      return (await store.get([keyOf(record)]))[0] !== null
    },
    async counted() {
      return Number((await store.get([counter]))[0]?.value)
    },
    close: () => store.close(),
  }
}
