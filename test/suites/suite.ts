import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

// A suite is a folder with `suite.json` (its description) and `cases.jsonl` (a case on each line).

/** A value of a case. */
export type Value =
  | null
  | boolean
  | number
  | string
  | readonly Value[]
  | { readonly [name: string]: Value }

/** One case of a suite, whose fields are read by name. */
export class Case {
  readonly id: string
  /** A label of a known difference, which the engine may have on purpose. */
  readonly policy: string | null
  readonly #fields: { readonly [name: string]: Value }
  readonly #folder: string

  constructor(line: string, folder: string) {
    const fields: { readonly [name: string]: Value } = JSON.parse(line)
    this.#fields = fields
    this.#folder = folder
    this.id = String(fields['id'])
    this.policy = typeof fields['policy'] === 'string' ? fields['policy'] : null
  }

  /** The value of a field; `undefined` if the case has none. */
  value(name: string): Value | undefined {
    return this.#fields[name]
  }

  /** The text of a field; `otherwise` if the case has none. */
  text(name: string, otherwise?: string): string {
    const value = this.#fields[name]
    if (typeof value === 'string') return value
    if (this.has(name)) return new TextDecoder().decode(this.bytes(name))
    if (otherwise !== undefined) return otherwise
    throw new Error(`the case ${this.id} has no text ${name}`)
  }

  /** The texts of a field that is a list; empty if the case has no such field. */
  texts(name: string): readonly string[] {
    const value = this.#fields[name]
    return Array.isArray(value) ? value.map(String) : []
  }

  /** True if the field is there, as text, as Base64, as a file or repeated. */
  has(name: string): boolean {
    return ['', 'Base64', 'File'].some((form) => this.#fields[name + form] !== undefined)
  }

  /** The bytes of a field in any of its forms. */
  bytes(name: string): Uint8Array {
    const { [name]: text, [`${name}Base64`]: base64, [`${name}File`]: file } = this.#fields
    const { repeat, times } = this.#fields
    if (typeof repeat === 'string' && typeof times === 'number')
      return new TextEncoder().encode(repeat.repeat(times))
    if (typeof text === 'string') return new TextEncoder().encode(text)
    if (typeof base64 === 'string') return Uint8Array.from(Buffer.from(base64, 'base64'))
    if (typeof file !== 'string') throw new Error(`the case ${this.id} has no ${name}`)
    const bytes = readFileSync(join(this.#folder, file))
    return Uint8Array.from(file.endsWith('.gz') ? gunzipSync(bytes) : bytes)
  }
}

/** The numbers that a kind counts beside its passed cases. */
export type Counts = Readonly<Record<string, number>>

/** The result of the engine on one case. */
export interface Outcome {
  readonly passed: boolean
  readonly counts?: Counts
}

/** How the cases of one kind are judged. Throwing is failing. */
export interface Kind {
  judge(one: Case): boolean | Outcome | Promise<boolean | Outcome>
  /** The figure of a kind, from the sums of its counts. */
  figure?(sums: Counts, cases: number): string
}

/** Cases of one kind and one source. */
export interface Suite {
  readonly name: string
  readonly kind: string
  readonly cases: readonly Case[]
}

/** Reads all suites below a folder, by name. */
export function readSuites(root: string): readonly Suite[] {
  return readdirSync(root)
    .toSorted()
    .filter((name) => existsSync(join(root, name, 'suite.json')))
    .map((name) => {
      const folder = join(root, name)
      const { kind }: { kind: string } = JSON.parse(
        readFileSync(join(folder, 'suite.json'), 'utf8'),
      )
      const lines = readFileSync(join(folder, 'cases.jsonl'), 'utf8').split('\n')
      return {
        name,
        kind,
        cases: lines.filter((line) => line !== '').map((line) => new Case(line, folder)),
      }
    })
}
