import type { EntryTable, TableWrites } from '../../src/kernel/table/entry-table.ts'
import { bytesOf } from './raw-storage.ts'
import type { RawStorage } from './raw-storage.ts'

/**
 * The head of the log. All entries up to `version` are in the parts of the generation that the head
 * names.
 */
interface Head {
  readonly generation: number
  readonly parts: number
  readonly version: number
}

type Part = readonly (readonly [
  key: string,
  text: string,
  version: string,
  expiresAt: number | null,
])[]

/** Form of the items. Storages of versions that stored none have the first. */
const LAYOUT = 1
const NOTHING: Head = { generation: 0, parts: 0, version: 0 }
/**
 * After this number of commits, or a quarter of the number of entries, all entries are rewritten
 * and the commits removed.
 */
const MOST_COMMITS = 1_000
const PART = 2_000

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * Commits as items of a storage, one each. An item is whole, absent, or incomplete and then
 * unconfirmed because its writer died. The process that opened the storage last may write; earlier
 * ones are refused from then on.
 */
export class CommitLog {
  readonly #storage: RawStorage
  readonly #session: string = crypto.randomUUID()
  #head = NOTHING
  #version = 0
  /** Number of the last attempt to compact. */
  #generation = 0

  constructor(storage: RawStorage) {
    this.#storage = storage
  }

  /** Loads the stored entries into the table, and becomes the owner of the log. */
  async open(table: EntryTable, now: number): Promise<void> {
    const layout = (await this.#readWhole<number>('layout')) ?? LAYOUT
    if (layout !== LAYOUT)
      throw new Error(
        `The storage has layout ${layout}; this version of Seine reads layout ${LAYOUT}`,
      )
    await this.#write('session', this.#session)
    await this.#write('layout', LAYOUT)
    this.#head = await this.#lastHead()
    for (let part = 0; part < this.#head.parts; part++) {
      const entries = await this.#read<Part>(partName(this.#head.generation, part))
      if (!entries) throw new Error('The storage is damaged: a part of it is missing')
      for (const [key, text, version, expiresAt] of entries)
        table.put(key, { text, version, expiresAt })
    }
    for (this.#version = this.#head.version; ; this.#version++) {
      const writes = await this.#readCommit(this.#version + 1)
      if (!writes) break
      table.apply(writes, String(this.#version + 1), now)
    }
    this.#generation = this.#head.generation
    await this.#tidy()
  }

  /**
   * Writes a commit and returns its version. If it rejects, the commit may or may not be written;
   * the next one takes its place.
   */
  async append(writes: TableWrites): Promise<string> {
    await this.#assertOwned()
    await this.#write(commitName(this.#version + 1), {
      sets: writes.sets.map(({ key, text, expiresAt }) => ({ key, text, expiresAt })),
      deletes: writes.deletes,
    })
    return String(++this.#version)
  }

  /** Rewrites all entries if there are many commits. */
  async compact(table: EntryTable, now: number): Promise<void> {
    if (this.#version - this.#head.version < Math.max(MOST_COMMITS, table.size / 4)) return
    // A number is never used twice, because the head of an earlier attempt may have been written
    // although it failed.
    const generation = ++this.#generation
    const entries = Array.from(
      table.items(now),
      ([key, { text, version, expiresAt }]) => [key, text, version, expiresAt] as const,
    )
    const parts = Math.ceil(entries.length / PART)
    for (let part = 0; part < parts; part++)
      await this.#write(partName(generation, part), entries.slice(part * PART, (part + 1) * PART))
    await this.#assertOwned()
    const head: Head = { generation, parts, version: this.#version }
    await this.#write(`head:${generation}`, head)
    this.#head = head
    await this.#tidy()
  }

  /** Removes data that the head no longer refers to. */
  async #tidy(): Promise<void> {
    const { generation, version } = this.#head
    for (const name of await this.#storage.getKeys()) {
      const [kind, number] = name.split(':')
      if (
        (kind === 'commits' && Number(number) <= version) ||
        ((kind === 'entries' || kind === 'head') && Number(number) !== generation)
      )
        await this.#storage.removeItem(name)
    }
  }

  /** The newest complete head. What the head before it leads to is removed afterwards. */
  async #lastHead(): Promise<Head> {
    const generations = (await this.#storage.getKeys()).flatMap((name) =>
      name.startsWith('head:') ? [Number(name.slice('head:'.length))] : [],
    )
    for (const generation of generations.toSorted((a, b) => b - a)) {
      const head = await this.#readWhole<Head>(`head:${generation}`)
      if (head) return head
    }
    return NOTHING
  }

  /** Reads a commit. The last one may be incomplete if its writer died: then it was not confirmed. */
  async #readCommit(version: number): Promise<TableWrites | null> {
    const writes = await this.#readWhole<TableWrites>(commitName(version))
    if (!writes && (await this.#storage.getItemRaw(commitName(version + 1))) !== null)
      throw new Error('The storage is damaged: a commit of it is missing')
    return writes
  }

  /** `null`: it is absent, or was not written to its end. */
  async #readWhole<T>(name: string): Promise<T | null> {
    try {
      return await this.#read<T>(name)
    } catch (error) {
      if (error instanceof SyntaxError) return null
      throw error
    }
  }

  async #assertOwned(): Promise<void> {
    if ((await this.#read<string>('session')) !== this.#session)
      throw new Error('Another process has opened this storage: an unstorage store is for one')
  }

  async #read<T>(name: string): Promise<T | null> {
    const bytes = bytesOf(await this.#storage.getItemRaw(name))
    if (!bytes) return null
    const value: T = JSON.parse(decoder.decode(bytes))
    return value
  }

  async #write(name: string, value: unknown): Promise<void> {
    await this.#storage.setItemRaw(name, encoder.encode(JSON.stringify(value)))
  }
}

function commitName(version: number): string {
  return `commits:${version}`
}

function partName(generation: number, part: number): string {
  return `entries:${generation}:${part}`
}
