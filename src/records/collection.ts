import { encodeKey } from '../kernel/key.ts'
import type { Key, KeyPart } from '../kernel/key.ts'
import type { Entry, Store } from '../ports/store.ts'
import type { Change } from './change.ts'

/** The account of records that belong to the platform itself. No principal may have it. */
export const SYSTEM = '~'

/** A record with the version that an update of it checks. */
export interface Stored<T> {
  readonly value: T
  /** The value as JSON text, if the store has it and the value was not parsed yet. */
  readonly json?: string | undefined
  readonly version: string
  /** The parts after account and collection name. */
  readonly id: readonly KeyPart[]
}

/** A range in a collection or an index, by the key parts after its name. Bounds are exclusive. */
export interface Slice {
  /** Leading key parts of all results. */
  readonly within?: readonly KeyPart[]
  readonly after?: readonly KeyPart[]
  readonly before?: readonly KeyPart[]
  readonly limit: number
  readonly reverse?: boolean
}

/** A record that an index led to. */
export interface IndexedRecord<T> {
  readonly record: Stored<T>
  /** The key parts after the index's name, including those of the record's id. */
  readonly position: readonly KeyPart[]
}

/** The definition of a collection: the name, ids and indexes of its records. */
export interface CollectionSpec<T> {
  readonly name: string
  /** Key parts that identify a record within its account. */
  id(value: T): readonly KeyPart[]
  /**
   * The entries of a record, by the name of the index. They are written in the same commit as the
   * record.
   */
  readonly indexes?: Readonly<Record<string, (value: T) => readonly (readonly KeyPart[])[]>>
  /**
   * Names of indexes that records of earlier versions lack until {@link Collection.reindex} adds
   * them.
   */
  readonly lateIndexes?: readonly string[]
  /** Names of the blobs that a record refers to. A backup copies these blobs. */
  blobs?(value: T): readonly string[]
  /** Returns the account that a record below {@link SYSTEM} belongs to. */
  owner?(value: T): string | null
}

/** Maximum number of accounts whose records are remembered as large. */
const MOST_LARGE = 1_000
/** Records with fewer characters are small: some of them fit the first read of any list. */
const LARGE = 200_000

/**
 * The size of records of a collection, by account. A list learns from the list before how many
 * records fit its page. So it does not read five records of a megabyte to return one of them.
 */
export class RecordSizes {
  /** Characters of a record, only for accounts whose records were large. */
  readonly #large = new Map<string, number>()

  /** Characters of a record. `undefined`: they were small, or are not known. */
  expected(account: string): number | undefined {
    return this.#large.get(account)
  }

  /** Call this with the number of records that were read together, and their characters. */
  note(account: string, records: number, characters: number): void {
    if (characters < LARGE * records) {
      if (records > 0) this.#large.delete(account)
      return
    }
    if (this.#large.size >= MOST_LARGE) this.#large.clear()
    if (records > 0) this.#large.set(account, characters / records)
  }
}

/**
 * Records of one kind, at `[account, name, ...id]`, with their index entries at `[account,
 * name/index, ...parts, ...id]`. Reads go to the Store. Writes only add to a {@link Change}.
 */
export class Collection<T> {
  readonly spec: CollectionSpec<T>
  /** The size of records, as lists have seen it. */
  readonly sizes = new RecordSizes()
  readonly #store: Store

  constructor(store: Store, spec: CollectionSpec<T>) {
    this.#store = store
    this.spec = spec
  }

  key(account: string, id: readonly KeyPart[]): Key {
    return [account, this.spec.name, ...id]
  }

  async get(account: string, ...id: readonly KeyPart[]): Promise<Stored<T> | null> {
    const [entry] = await this.#store.get([this.key(account, id)])
    return entry ? new StoredEntry<T>(entry) : null
  }

  /** Reads in one round trip. The result has the order of `ids`. */
  async getMany(
    account: string,
    ids: readonly (readonly KeyPart[])[],
  ): Promise<(Stored<T> | null)[]> {
    if (ids.length === 0) return []
    const entries = await this.#store.get(ids.map((id) => this.key(account, id)))
    return entries.map((entry) => (entry ? new StoredEntry<T>(entry) : null))
  }

  async list(account: string, slice: Slice): Promise<Stored<T>[]> {
    const entries = await this.#entries(account, this.spec.name, slice)
    return entries.map((entry) => new StoredEntry<T>(entry))
  }

  /**
   * Records in the order of an index, with the index position that a later slice can start after.
   * Fewer than `limit`: there are no more. The index is read first and the records after it, so a
   * record may be newer than its position.
   */
  async listBy(index: string, account: string, slice: Slice): Promise<IndexedRecord<T>[]> {
    const matches: IndexedRecord<T>[] = []
    let rest = slice
    for (;;) {
      const entries = await this.#entries(account, `${this.spec.name}/${index}`, rest)
      const records = await this.getMany(
        account,
        entries.map((entry) => idOf(entry)),
      )
      for (const [i, entry] of entries.entries()) {
        const record = records[i]
        if (record) matches.push({ record, position: entry.key.slice(2) })
      }
      const last = entries.at(-1)?.key.slice(2)
      // Records that were removed between the two reads are replaced by the next ones.
      if (!last || entries.length < rest.limit || matches.length >= slice.limit) return matches
      rest = {
        ...slice,
        limit: slice.limit - matches.length,
        ...(slice.reverse ? { before: last } : { after: last }),
      }
    }
  }

  /** Ids of records in the order of an index, without reading the records. */
  async listIds(index: string, account: string, slice: Slice): Promise<(readonly KeyPart[])[]> {
    return (await this.#entries(account, `${this.spec.name}/${index}`, slice)).map(idOf)
  }

  /** Positions in an index: the key parts after its name. The last parts are the id of the record. */
  async listPositions(
    index: string,
    account: string,
    slice: Slice,
  ): Promise<(readonly KeyPart[])[]> {
    const entries = await this.#entries(account, `${this.spec.name}/${index}`, slice)
    return entries.map(({ key }) => key.slice(2))
  }

  /** Adds the index entries that a record of an earlier version lacks. */
  reindex(change: Change, account: string, old: Stored<T>): void {
    this.require(change, account, old)
    for (const key of this.#indexKeys(account, old.id, old.value)) change.set(key, old.id.length)
  }

  /** Adds a record. The commit fails if the record exists. */
  insert(change: Change, account: string, value: T): void {
    const id = this.spec.id(value)
    this.requireAbsent(change, account, ...id)
    this.#write(change, account, id, value, [])
  }

  /** Replaces a record. The commit fails if the record has changed since it was read. */
  update(change: Change, account: string, old: Stored<T>, value: T): void {
    change.check(this.key(account, old.id), old.version)
    this.#write(change, account, old.id, value, this.#indexKeys(account, old.id, old.value))
  }

  /** Removes a record. The commit fails if the record has changed since it was read. */
  remove(change: Change, account: string, old: Stored<T>): void {
    change.check(this.key(account, old.id), old.version)
    change.delete(this.key(account, old.id))
    for (const key of this.#indexKeys(account, old.id, old.value)) change.delete(key)
  }

  /** Writes without a check; only for collections without indexes, under another record's check. */
  put(change: Change, account: string, value: T, expiresAt?: number): void {
    change.set(this.key(account, this.spec.id(value)), value, expiresAt)
  }

  /** Deletes without a check; only for collections without indexes, under another record's check. */
  drop(change: Change, account: string, ...id: readonly KeyPart[]): void {
    change.delete(this.key(account, id))
  }

  /** The commit of `change` succeeds only if this record is unchanged since it was read. */
  require(change: Change, account: string, old: Stored<T>): void {
    change.check(this.key(account, old.id), old.version)
  }

  /** The commit of `change` succeeds only if the record does not exist. */
  requireAbsent(change: Change, account: string, ...id: readonly KeyPart[]): void {
    change.check(this.key(account, id), null)
  }

  /** The index keys that a raw record of this collection must have; for {@link verifyRecords}. */
  indexKeysOf(entry: Entry): readonly Key[] {
    const { value, id } = new StoredEntry<T>(entry)
    return this.#indexKeys(String(entry.key[0]), id, value)
  }

  #write(
    change: Change,
    account: string,
    id: readonly KeyPart[],
    value: T,
    oldKeys: readonly Key[],
  ): void {
    change.set(this.key(account, id), value)
    const newKeys = this.#indexKeys(account, id, value)
    const keptKeys = new Set(newKeys.map(encodeKey))
    const had = new Set(oldKeys.map(encodeKey))
    for (const key of oldKeys) if (!keptKeys.has(encodeKey(key))) change.delete(key)
    // An index entry contains the id of its record at the end of its key: [account, name/index,
    // ...parts, ...id]. Its value is the number of id parts.
    for (const key of newKeys) if (!had.has(encodeKey(key))) change.set(key, id.length)
  }

  /**
   * The index entries of a record, without duplicates: a record may name a position twice, but a
   * commit must not write a key twice.
   */
  #indexKeys(account: string, id: readonly KeyPart[], value: T): Key[] {
    const keys = new Map<string, Key>()
    for (const [index, partsOf] of Object.entries(this.spec.indexes ?? {})) {
      for (const parts of partsOf(value)) {
        const key = [account, `${this.spec.name}/${index}`, ...parts, ...id]
        keys.set(encodeKey(key), key)
      }
    }
    return [...keys.values()]
  }

  #entries(account: string, name: string, slice: Slice): Promise<Entry[]> {
    const keyOf = (parts: readonly KeyPart[]): Key => [account, name, ...parts]
    return this.#store.list({
      prefix: keyOf(slice.within ?? []),
      limit: slice.limit,
      ...(slice.after && { after: keyOf(slice.after) }),
      ...(slice.before && { before: keyOf(slice.before) }),
      ...(slice.reverse && { reverse: true }),
    })
  }
}

/** Returns a record from the store. Its value is parsed at first use. */
class StoredEntry<T> implements Stored<T> {
  readonly version: string
  readonly #entry: Entry

  constructor(entry: Entry) {
    this.version = entry.version
    this.#entry = entry
  }

  // Only this module writes records, and each collection writes one type, so the values that it
  // reads have that type.
  get value(): T {
    return this.#entry.value as T
  }

  get json(): string | undefined {
    return this.#entry.json
  }

  get id(): readonly KeyPart[] {
    return this.#entry.key.slice(2)
  }
}

function idOf(entry: Entry): readonly KeyPart[] {
  return entry.key.slice(entry.key.length - Number(entry.value))
}
