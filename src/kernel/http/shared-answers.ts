import type { Digest } from '../crypto.ts'
import { etagOf } from './headers.ts'

/** The text of an answer, and its entity tag if it has one. */
export interface AnswerText {
  readonly json: string
  readonly etag: string | null
}

/** A record of a store. A version belongs to one content of one record, and is never used again. */
interface VersionedRecord<T> {
  readonly value: T
  readonly version: string
  /** The stored text, until the value is read. */
  readonly json?: string | undefined
}

interface Shared<A> {
  readonly answer: A
  readonly version: string
  readonly characters: number
}

/**
 * Maximum number of characters of all stored texts whose answers are remembered, which is some 10
 * MB of memory.
 */
const MOST_CHARACTERS = 1_000_000
/** A longer record is rare, and would displace many others. */
const LONGEST = 20_000

const NOT_YET: AnswerText = { json: '', etag: null }

/** Texts of answers that several calls share. The text is freed together with its answer. */
const texts = new WeakMap<object, AnswerText>()

/**
 * Answers that show one record, by the version of the record. A client that polls reads the same
 * version many times. Its answer is then parsed, written and digested only once. The record is
 * still read at every call, so a change is seen by the next one.
 */
export class SharedAnswers<T, A extends object> {
  readonly #show: (value: T) => A
  readonly #answers = new Map<string, Shared<A>>()
  #characters = 0

  constructor(show: (value: T) => A) {
    this.#show = show
  }

  /**
   * Returns the answer that shows a record. Use it for {@link answerText} alone, because several
   * calls share its objects. `name` must identify the record among all records.
   */
  of(name: string, record: VersionedRecord<T>): A {
    const remembered = this.#answers.get(name)
    if (remembered?.version === record.version) return remembered.answer
    if (remembered) this.#forget(name, remembered)
    const characters = record.json?.length ?? Infinity
    const answer = this.#show(record.value)
    if (characters > LONGEST) return answer
    texts.set(answer, NOT_YET)
    this.#answers.set(name, { answer, version: record.version, characters })
    this.#characters += characters
    for (const [oldest, shared] of this.#answers) {
      if (this.#characters <= MOST_CHARACTERS) break
      this.#forget(oldest, shared)
    }
    return answer
  }

  /** The number of answers that are remembered. */
  get size(): number {
    return this.#answers.size
  }

  #forget(name: string, { characters }: Shared<A>): void {
    this.#answers.delete(name)
    this.#characters -= characters
  }
}

/** Writes an answer. A shared answer is written once. `null`: it has no entity tag. */
export function answerText(data: object, digest: Digest | null): AnswerText {
  const before = texts.get(data)
  if (before && before !== NOT_YET && (before.etag !== null || digest === null)) return before
  const json = JSON.stringify(data)
  const text: AnswerText = { json, etag: digest && etagOf(json, digest) }
  if (before) texts.set(data, text)
  return text
}
