import type { Key } from '../../src/kernel/key.ts'
import type { Entry } from '../../src/ports/store.ts'

type Entries = (Entry | null)[]

interface Waiting {
  readonly keys: readonly Key[]
  readonly resolve: (entries: Entries) => void
  readonly reject: (error: unknown) => void
}

/** Maximum number of keys of one statement. A read of more keys has its own statement. */
const KEYS = 1_000

/** Joins the reads of one tick into one statement. */
export class ReadGroup {
  readonly #read: (keys: readonly Key[]) => Promise<Entries>
  #waiting: Waiting[] = []
  #keys = 0

  constructor(read: (keys: readonly Key[]) => Promise<Entries>) {
    this.#read = read
  }

  get(keys: readonly Key[]): Promise<Entries> {
    if (keys.length >= KEYS) return this.#read(keys)
    return new Promise((resolve, reject) => {
      if (this.#keys + keys.length > KEYS) this.#send()
      this.#waiting.push({ keys, resolve, reject })
      this.#keys += keys.length
      if (this.#waiting.length === 1) queueMicrotask(() => this.#send())
    })
  }

  #send(): void {
    const group = this.#waiting
    if (group.length === 0) return
    this.#waiting = []
    this.#keys = 0
    this.#read(group.flatMap(({ keys }) => keys)).then(
      (entries) => {
        let from = 0
        for (const { keys, resolve } of group) resolve(entries.slice(from, (from += keys.length)))
      },
      (error: unknown) => {
        for (const { reject } of group) reject(error)
      },
    )
  }
}
