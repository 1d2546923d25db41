import type { MergeRecord } from '../../records/dataset-records.ts'
import type { Records } from '../../records/records.ts'

/** Tells which execution is behind a merge's number, and when it ended. Each is read once. */
export class MergeLog {
  readonly #records: Records
  readonly #account: string
  readonly #dataset: string
  readonly #known = new Map<number, MergeRecord>()

  constructor(records: Records, account: string, dataset: string) {
    this.#records = records
    this.#account = account
    this.#dataset = dataset
  }

  /** Reads what is not known yet, in one round trip. */
  async learn(numbers: Iterable<number>): Promise<void> {
    const unknown = [...new Set(numbers)].filter((number) => !this.#known.has(number))
    const found = await this.#records.merges.getMany(
      this.#account,
      unknown.map((number) => [this.#dataset, number]),
    )
    for (const merge of found) if (merge) this.#known.set(merge.value.number, merge.value)
  }

  /** @throws for a merge that was not learnt */
  of(number: number): MergeRecord {
    const merge = this.#known.get(number)
    if (!merge) throw new Error(`Dataset ${this.#dataset} has no merge ${number}`)
    return merge
  }
}
