import type { RequestHeaders } from '../../src/kernel/http/message.ts'

/** Reads headers where node:http has put them, name and value in turn, as `Headers` would give them. */
export class NodeHeaders implements RequestHeaders {
  readonly #raw: readonly string[]

  constructor(raw: readonly string[]) {
    this.#raw = raw
  }

  get(name: string): string | null {
    const lowerName = name.toLowerCase()
    let values: string | null = null
    for (let i = 0; i < this.#raw.length; i += 2) {
      const own = this.#raw[i]
      // Most names have another length, so few are compared.
      if (own === undefined || own.length !== lowerName.length || own.toLowerCase() !== lowerName)
        continue
      const value = this.#raw[i + 1] ?? ''
      values = values === null ? value : `${values}${lowerName === 'cookie' ? '; ' : ', '}${value}`
    }
    return values
  }

  has(name: string): boolean {
    return this.get(name) !== null
  }
}
