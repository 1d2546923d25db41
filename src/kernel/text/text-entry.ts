import type { Key } from '../key.ts'

/**
 * An entry of a store that keeps values as JSON. The text is parsed when the value is first read: a
 * caller that needs only the version, or whether the entry exists, does not pay for parsing.
 */
export class TextEntry {
  readonly key: Key
  readonly version: string
  #text: string | null
  #value: unknown = undefined

  constructor(key: Key, text: string, version: string) {
    this.key = key
    this.version = version
    this.#text = text
  }

  /** The stored text of the value; `undefined` once the value was read. */
  get json(): string | undefined {
    return this.#text ?? undefined
  }

  get value(): unknown {
    if (this.#text !== null) {
      this.#value = JSON.parse(this.#text)
      this.#text = null
    }
    return this.#value
  }
}
