import { encodeKey } from '../kernel/key.ts'
import type { Key } from '../kernel/key.ts'
import { Pace } from '../kernel/pace.ts'
import type { Entry, Store } from '../ports/store.ts'
import { SYSTEM } from './collection.ts'
import { retryConflicts } from './retry.ts'

/** An index entry that is missing, wrong, or without a record. */
export interface IndexFault {
  readonly kind: 'missing' | 'surplus'
  readonly collection: string
  readonly account: string
  /** Key of the index entry. */
  readonly key: Key
  readonly repaired: boolean
}

/** The report of {@link verifyRecords}. */
export interface Verification {
  readonly accounts: number
  /** Records of collections with indexes. */
  readonly records: number
  readonly entries: number
  readonly faults: readonly IndexFault[]
  /** Faults that are counted but not listed, because the list has its maximum length. */
  readonly more: { readonly repaired: number; readonly left: number }
}

/** Options of {@link verifyRecords}. */
export interface IndexCheckOptions {
  /** The account to check. Default: all accounts. */
  readonly account?: string
  /** Writes missing entries and deletes surplus ones. */
  readonly rebuild?: boolean
  /**
   * Maximum number of listed faults, because a damaged store may have very many. Default: all are
   * listed.
   */
  readonly mostListed?: number
}

const PAGE = 500
/**
 * Sorts after every part that a key has at this position: strings come before numbers, and no id is
 * this number.
 */
const LAST = Number.MAX_VALUE
const REPAIR_TRIES = 5

/** The part of a collection that the check uses, for records of any type. */
export interface IndexedCollection {
  readonly spec: {
    readonly name: string
    readonly indexes?: object
    readonly lateIndexes?: readonly string[]
  }
  indexKeysOf(entry: Entry): readonly Key[]
}

/**
 * Recomputes the index entries of every record and compares them with those in the store. It may
 * run beside the platform, because an entry that seems wrong is read again, with its record, before
 * it counts.
 */
export async function verifyRecords(
  store: Store,
  collections: readonly IndexedCollection[],
  options: IndexCheckOptions = {},
): Promise<Verification> {
  const verifier = new Verifier(store, collections, options)
  if (options.account === undefined)
    for await (const account of accountsOf(store)) await verifier.account(account)
  else await verifier.account(options.account)
  return verifier.found()
}

/** Every account that has a record, including the platform's own. */
export function accountsOf(store: Store): AsyncGenerator<string> {
  return parts(store, [])
}

/**
 * Accounts that have a record, in the order of their names, without the platform's own. Each is
 * found with one short read, however many records it has.
 */
export async function accountsAfter(
  store: Store,
  after: string | null,
  limit: number,
): Promise<string[]> {
  const accounts: string[] = []
  if (limit < 1) return accounts
  for await (const account of parts(store, [], after)) {
    if (account === SYSTEM) continue
    accounts.push(account)
    if (accounts.length === limit) break
  }
  return accounts
}

/** True if an account has a record. */
export async function hasRecord(store: Store, account: string): Promise<boolean> {
  return (await store.list({ prefix: [account], limit: 1 })).length > 0
}

class Verifier {
  readonly #store: Store
  readonly #rebuild: boolean
  readonly #collections: ReadonlyMap<string, IndexedCollection>
  /** By encoded key, so that an entry with two faults counts once. */
  readonly #faults = new Map<string, IndexFault>()
  readonly #mostListed: number
  readonly #more = { repaired: 0, left: 0 }
  readonly #pace = new Pace()
  readonly #counts = { accounts: 0, records: 0, entries: 0 }

  constructor(
    store: Store,
    collections: readonly IndexedCollection[],
    { rebuild = false, mostListed = Infinity }: IndexCheckOptions,
  ) {
    this.#store = store
    this.#rebuild = rebuild
    this.#mostListed = mostListed
    this.#collections = new Map(collections.map((collection) => [collection.spec.name, collection]))
  }

  found(): Verification {
    return { ...this.#counts, faults: [...this.#faults.values()], more: this.#more }
  }

  async account(account: string): Promise<void> {
    this.#counts.accounts++
    for await (const name of parts(this.#store, [account])) {
      const [base = '', index] = name.split('/')
      const collection = this.#collections.get(base)
      if (!collection) continue
      if (index !== undefined) await this.#surplus(account, name, collection)
      else if (collection.spec.indexes) await this.#missing(account, collection)
    }
  }

  /**
   * Checks that every record has its index entries, except those that earlier versions did not
   * write.
   */
  async #missing(account: string, collection: IndexedCollection): Promise<void> {
    const late = new Set(
      collection.spec.lateIndexes?.map((index) => `${collection.spec.name}/${index}`),
    )
    const isLate = (key: Key): boolean => late.has(String(key[1]))
    for await (const records of pages(this.#store, [account, collection.spec.name])) {
      this.#counts.records += records.length
      const expected = records.flatMap((record) =>
        collection.indexKeysOf(record).flatMap((key) => (isLate(key) ? [] : [{ key, record }])),
      )
      const present = await this.#get(expected.map(({ key }) => key))
      for (const [i, { key, record }] of expected.entries()) {
        if (present[i]?.value !== record.key.length - 2)
          await this.#settle(collection, account, key, record.key)
        await this.#pace.step()
      }
    }
  }

  /**
   * Checks that every index entry has its record. An entry with a wrong value names another record,
   * or none. An entry that has its record was checked with it, unless earlier versions did not
   * write the entry.
   */
  async #surplus(account: string, name: string, collection: IndexedCollection): Promise<void> {
    const base = collection.spec.name
    const isLate = collection.spec.lateIndexes?.some((index) => `${base}/${index}` === name)
    for await (const entries of pages(this.#store, [account, name])) {
      this.#counts.entries += entries.length
      const ids = entries.map((entry) => [account, base, ...idParts(entry)])
      const records = await this.#get(ids)
      for (const [i, entry] of entries.entries()) {
        const record = records[i] ?? null
        if (!wants(collection, record, entry.key)) {
          const own = await this.#recordOf(collection, account, entry.key)
          if (own === null || isLate)
            await this.#settle(collection, account, entry.key, own ?? ids[i] ?? [])
        }
        await this.#pace.step()
      }
    }
  }

  /** The key of the record that an index entry belongs to, whatever the entry's value is. */
  async #recordOf(collection: IndexedCollection, account: string, key: Key): Promise<Key | null> {
    // An index may have parts of its own, and an id has at least one part.
    const ids = key
      .slice(2)
      .map((_, start) => [account, collection.spec.name, ...key.slice(2 + start)])
    const records = await this.#get(ids)
    return ids.find((_, i) => wants(collection, records[i] ?? null, key)) ?? null
  }

  /**
   * Reads one index entry and its record together again, and repairs the entry if it is still
   * wrong.
   */
  async #settle(
    collection: IndexedCollection,
    account: string,
    key: Key,
    recordKey: Key,
  ): Promise<void> {
    // Faults that are only counted come here once each: see `#surplus`.
    const name = encodeKey(key)
    if (this.#faults.has(name)) return
    let kind: IndexFault['kind'] = 'missing'
    const end = await retryConflicts(async () => {
      const [record = null, entry = null] = await this.#get([recordKey, key])
      const idLength = recordKey.length - 2
      const isExpected = wants(collection, record, key)
      if (isExpected ? entry?.value === idLength : entry === null) return 'agrees'
      kind = isExpected ? 'missing' : 'surplus'
      if (!this.#rebuild) return 'wrong'
      const isRepaired = await this.#store.commit({
        check: [{ key: recordKey, version: record?.version ?? null }],
        ...(isExpected ? { set: [{ key, value: idLength }] } : { delete: [key] }),
      })
      return isRepaired && 'repaired'
    }, REPAIR_TRIES)
    if (end === 'agrees') return
    const repaired = end === 'repaired'
    if (this.#faults.size >= this.#mostListed) {
      this.#more[repaired ? 'repaired' : 'left']++
      return
    }
    this.#faults.set(name, { kind, collection: collection.spec.name, account, key, repaired })
  }

  async #get(keys: readonly Key[]): Promise<(Entry | null)[]> {
    return keys.length === 0 ? [] : this.#store.get(keys)
  }
}

function wants(collection: IndexedCollection, record: Entry | null, key: Key): boolean {
  const encoded = encodeKey(key)
  return (
    record !== null &&
    collection.indexKeysOf(record).some((indexKey) => encodeKey(indexKey) === encoded)
  )
}

/** The id that an index entry names. If the entry's value is not a count, the shortest possible id. */
function idParts(entry: Entry): Key {
  const count = typeof entry.value === 'number' && entry.value >= 1 ? entry.value : 1
  return entry.key.slice(Math.max(2, entry.key.length - count))
}

/**
 * The distinct key parts after a prefix. Each is found with one short list that skips to the next
 * part.
 */
async function* parts(
  store: Store,
  prefix: Key,
  last: string | null = null,
): AsyncGenerator<string> {
  for (let after: Key | undefined = last === null ? undefined : [...prefix, last, LAST]; ;) {
    const [entry] = await store.list({ prefix, limit: 1, ...(after && { after }) })
    const part = entry?.key[prefix.length]
    if (part === undefined) return
    if (typeof part === 'string') yield part
    after = [...prefix, part, LAST]
  }
}

async function* pages(store: Store, prefix: Key): AsyncGenerator<Entry[]> {
  for (let after: Key | undefined; ;) {
    const page = await store.list({ prefix, limit: PAGE, ...(after && { after }) })
    if (page.length > 0) yield page
    after = page.at(-1)?.key
    if (page.length < PAGE) return
  }
}
