/** Maximum number of reads at once. Later ones are joined into the next. */
const MOST_RUNNING = 2

interface Waiting<Row> {
  readonly keys: readonly string[]
  readonly resolve: (rows: (Row | null)[]) => void
  readonly reject: (error: unknown) => void
}

/** Reads keys; concurrent reads share a request. */
export class D1Reads<Row> {
  readonly #read: (keys: readonly string[]) => Promise<ReadonlyMap<string, Row>>
  #waiting: Waiting<Row>[] = []
  #running = 0

  constructor(read: (keys: readonly string[]) => Promise<ReadonlyMap<string, Row>>) {
    this.#read = read
  }

  get(keys: readonly string[]): Promise<(Row | null)[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ keys, resolve, reject })
      if (this.#running < MOST_RUNNING) void this.#run()
    })
  }

  async #run(): Promise<void> {
    this.#running++
    // Reads that are called in this turn are joined.
    await Promise.resolve()
    const group = this.#waiting
    this.#waiting = []
    try {
      const rows = await this.#read([...new Set(group.flatMap(({ keys }) => keys))])
      for (const { keys, resolve } of group) resolve(keys.map((key) => rows.get(key) ?? null))
    } catch (error) {
      for (const { reject } of group) reject(error)
    } finally {
      this.#running--
      if (this.#waiting.length > 0 && this.#running < MOST_RUNNING) void this.#run()
    }
  }
}
