const LONGEST = 128

/**
 * Names for the columns of a table, each once: what a header has, `c3` for the third where it has
 * none, `price_2` for another `price`. Goes on with `c4` beyond the header.
 */
export class ColumnNames {
  readonly #names: string[] = []
  readonly #taken = new Set<string>()
  /** Name → the last number that was put behind it. */
  readonly #numbers = new Map<string, number>()

  constructor(header: readonly (string | null)[] = []) {
    for (const written of header) this.#add(written ?? '')
  }

  get length(): number {
    return this.#names.length
  }

  /** Name of the n-th column, from 0. */
  at(index: number): string {
    while (this.#names.length <= index) this.#add('')
    return this.#names[index] ?? ''
  }

  #add(written: string): void {
    const text = written.replace(/\s+/g, ' ').trim().slice(0, LONGEST).toWellFormed()
    // No object can have it as a member like others.
    const base = text === '' || text === '__proto__' ? `c${this.#names.length + 1}` : text
    let name = base
    while (this.#taken.has(name)) {
      const number = (this.#numbers.get(base) ?? 1) + 1
      this.#numbers.set(base, number)
      name = `${base}_${number}`
    }
    this.#taken.add(name)
    this.#names.push(name)
  }
}
