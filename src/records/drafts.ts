import type { KeyPart } from '../kernel/key.ts'
import type { Change } from './change.ts'
import type { Collection, Stored } from './collection.ts'

/** The current state of a record within a shared commit. `null`: the record does not exist. */
export interface Draft<T> {
  value: T | null
}

interface Opened<T> {
  readonly stored: Stored<T> | null
  readonly draft: Draft<T>
}

/**
 * Records of one collection that several parts of one commit change in sequence. Each part sees the
 * changes of the earlier ones.
 */
export class Drafts<T> {
  readonly #collection: Collection<T>
  readonly #account: string
  readonly #opened = new Map<string, Promise<Opened<T>>>()
  readonly #read: Opened<T>[] = []

  constructor(collection: Collection<T>, account: string) {
    this.#collection = collection
    this.#account = account
  }

  /**
   * Returns the draft of a record, which is read at the first call. Later calls return the same
   * draft.
   */
  async open(...id: readonly KeyPart[]): Promise<Draft<T>> {
    const name = JSON.stringify(id)
    const opened = this.#opened.get(name) ?? this.#load(id)
    this.#opened.set(name, opened)
    return (await opened).draft
  }

  /**
   * Adds the changed records to a commit. The commit succeeds only if they have not changed in the
   * store.
   */
  write(change: Change): void {
    for (const { stored, draft } of this.#read) {
      if (draft.value === null || draft.value === stored?.value) continue
      if (stored) this.#collection.update(change, this.#account, stored, draft.value)
      else this.#collection.insert(change, this.#account, draft.value)
    }
  }

  async #load(id: readonly KeyPart[]): Promise<Opened<T>> {
    const stored = await this.#collection.get(this.#account, ...id)
    const opened = { stored, draft: { value: stored?.value ?? null } }
    this.#read.push(opened)
    return opened
  }
}
