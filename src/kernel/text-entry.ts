import type { Key } from './key.ts'

/**
 * An entry of a store that keeps values as JSON. The text is parsed when somebody looks at the
 * value: whoever asks for the version alone, or whether it is there, does not pay for that.
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

  /** The value as it is kept; `undefined` once somebody has looked at it. */
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
