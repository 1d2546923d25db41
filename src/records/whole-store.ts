import { encodeKey } from '../kernel/key.ts'
import type { Key } from '../kernel/key.ts'
import type { Entry, SnapshotEntry, Store } from '../ports/store.ts'
import { Change } from './change.ts'
import { SYSTEM } from './collection.ts'
import type { Collection } from './collection.ts'
import type { JobRecord, OutboxRecord } from './core.ts'

/** A collection of any records. */
export type AnyCollection = Pick<Collection<never>, 'spec' | 'indexKeysOf'>

/** An entry of the store that goes into a backup or comes out of one. */
export type StoredLine = readonly [key: Key, value: unknown, expiresAt?: number]

/** Entries of a snapshot as lines of JSON, and the blobs that they refer to. */
export interface SnapshotPage {
  /** One entry a line: a {@link StoredLine}. */
  readonly lines: readonly string[]
  readonly blobs: readonly { readonly name: string; readonly account: string }[]
}

/** The account whose entries these are. `null`: all of the store. */
export type Whose = string | null

/** Entries of one commit. */
const BATCH = 200
/** Characters of one commit. */
const MOST_CHARACTERS = 1_000_000
/**
 * The key of an entry with the name of the backup that is being restored. It is deleted when the
 * restore is complete.
 */
const RESTORING: Key = [SYSTEM, 'restoring']

/** All entries of a store, or of an account. They can be copied, restored and erased. */
export class WholeStore {
  readonly #store: Store
  readonly #collections: ReadonlyMap<string, AnyCollection>

  constructor(store: Store, collections: readonly AnyCollection[]) {
    this.#store = store
    this.#collections = new Map(collections.map((collection) => [collection.spec.name, collection]))
  }

  /** False if the store cannot read its state at one moment. */
  get hasSnapshots(): boolean {
    return this.#store.snapshot !== undefined
  }

  /**
   * Reads the entries as they were at one moment. For an account these are its own entries, and
   * those of the platform that belong to it. Its jobs become requests in the outbox, so that the
   * target can push them to its own queue.
   */
  async *snapshot(whose: Whose): AsyncGenerator<SnapshotPage> {
    /** Ids of requested jobs: one that is in the outbox too is requested once. */
    const requested = new Set<string>()
    const prefixes: readonly Key[] = whose === null ? [[]] : [[whose], [SYSTEM]]
    for await (const page of this.#store.snapshot?.(prefixes) ?? []) {
      const lines: string[] = []
      const blobs: { readonly name: string; readonly account: string }[] = []
      for (const entry of page) {
        const line =
          whose === null || entry.key[0] === whose
            ? lineOf(entry)
            : this.#of(whose, entry, requested)
        if (line === null || isMarker(entry.key)) continue
        lines.push(line)
        const account = String(entry.key[0])
        for (const name of this.#blobsOf(entry.key, () => JSON.parse(entry.json)))
          blobs.push({ name, account })
      }
      if (lines.length > 0) yield { lines, blobs }
    }
  }

  /** True if the store, or the account, has no entry. */
  async isEmpty(whose: Whose): Promise<boolean> {
    const prefix = whose === null ? [] : [whose]
    const entries = await this.#store.list({ prefix, limit: 2 })
    return entries.every(({ key }) => isMarker(key))
  }

  /** The name of the backup that is being restored into this store. `null`: no restore is under way. */
  async restoring(): Promise<string | null> {
    const [entry] = await this.#store.get([RESTORING])
    return entry ? String(entry.value) : null
  }

  async beginRestore(name: string): Promise<void> {
    await this.#store.commit({ set: [{ key: RESTORING, value: name }] })
  }

  async endRestore(): Promise<void> {
    await this.#store.commit({ delete: [RESTORING] })
  }

  /** Writes entries, in several commits. */
  async write(
    lines: AsyncIterable<{ readonly line: StoredLine; readonly size: number }>,
  ): Promise<number> {
    let change = new Change()
    let characters = 0
    let records = 0
    const commit = async (): Promise<void> => {
      if (change.size > 0) await this.#store.commit(change.toCommit())
      change = new Change()
      characters = 0
    }
    for await (const { line, size } of lines) {
      if (characters + size > MOST_CHARACTERS || change.size === BATCH) await commit()
      const [key, value, expiresAt] = line
      change.set(key, value, expiresAt)
      characters += size
      records++
    }
    await commit()
    return records
  }

  /**
   * Each record of an account, with the names of its blobs: first its own records, then those of
   * the platform that belong to it.
   */
  async *records(
    account: string,
  ): AsyncGenerator<{ key: Key; value: unknown; blobs: readonly string[] }> {
    for await (const { key, value } of this.#entries([account]))
      yield { key, value, blobs: this.#blobsOf(key, () => value) }
    for (const collection of this.#collections.values()) {
      if (!collection.spec.owner) continue
      for await (const entry of this.#entries([SYSTEM, collection.spec.name]))
        if (ownerOf(collection, entry.value) === account)
          yield { key: entry.key, value: entry.value, blobs: [] }
    }
  }

  /** Deletes the entries of an account, and those of the platform that belong to it. */
  async erase(account: string): Promise<number> {
    let erased = 0
    const keys: Key[] = []
    const commit = async (): Promise<void> => {
      const batch = keys.splice(0)
      if (batch.length === 0) return
      await this.#store.commit({ delete: batch })
      erased += batch.length
    }
    // The entries that give access to the account are deleted first.
    for (const collection of this.#collections.values()) {
      if (!collection.spec.owner) continue
      for await (const entry of this.#entries([SYSTEM, collection.spec.name])) {
        if (ownerOf(collection, entry.value) !== account) continue
        keys.push(entry.key, ...collection.indexKeysOf(entry))
        if (keys.length >= BATCH) await commit()
      }
    }
    await commit()
    for await (const { key } of this.#entries([account])) {
      keys.push(key)
      if (keys.length >= BATCH) await commit()
    }
    await commit()
    return erased
  }

  async *#entries(prefix: Key): AsyncGenerator<Entry> {
    for (let after: Key | undefined; ;) {
      const page = await this.#store.list({ prefix, limit: BATCH, ...(after && { after }) })
      yield* page
      after = page.at(-1)?.key
      if (page.length < BATCH) return
    }
  }

  #blobsOf(key: Key, value: () => unknown): readonly string[] {
    const { spec } = this.#collections.get(String(key[1])) ?? {}
    // Only this module's collections write records, and each writes one type.
    return spec?.blobs?.(value() as never) ?? []
  }

  /** Returns the line of a record of the platform, if the record belongs to the account. */
  #of(account: string, entry: SnapshotEntry, requested: Set<string>): string | null {
    const collection = this.#collections.get(String(entry.key[1]))
    if (!collection?.spec.owner) return null
    const value: unknown = JSON.parse(entry.json)
    if (ownerOf(collection, value) !== account) return null
    // Jobs come before the outbox.
    if (collection.spec.name === 'outbox' && requested.has(String(entry.key[2]))) return null
    if (collection.spec.name !== 'jobs') return lineOf(entry)
    const request = askedAgain(value as JobRecord)
    requested.add(request.id)
    return JSON.stringify([[SYSTEM, 'outbox', request.id], request])
  }
}

function ownerOf({ spec }: AnyCollection, value: unknown): string | null {
  return spec.owner?.(value as never) ?? null
}

/** The job as it was first requested. */
function askedAgain({ id, kind, data, lane, lease, ready, dueAt }: JobRecord): OutboxRecord {
  return { id, kind, data, lane, at: lease === null && !ready ? dueAt : 0 }
}

function lineOf({ key, json, expiresAt }: SnapshotEntry): string {
  return `[${JSON.stringify(key)},${json}${expiresAt === null ? '' : `,${expiresAt}`}]`
}

function isMarker(key: Key): boolean {
  return encodeKey(key) === encodeKey(RESTORING)
}
