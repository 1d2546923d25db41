import { sha256Hex } from '../../kernel/crypto.ts'
import type { Json } from '../../kernel/json.ts'
import { DAY_MS } from '../../kernel/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ModelRequest } from '../../ports/model.ts'

/**
 * Maximum number of answers that a process remembers, and of characters of their JSON: of one
 * answer, and of all together.
 */
const MOST = 1_000
const LONGEST = 100_000
const MOST_CHARACTERS = 8_000_000
/**
 * Time for which an answer is valid. After it a model is asked again, because its answer may have
 * been wrong.
 */
const HOLDS_MS = 7 * DAY_MS

/** A question, without what ends it. */
type Question = Omit<ModelRequest, 'signal'>

/** The asking account and execution. `null`: it is a preview. */
export interface Asker {
  readonly account: string
  readonly execution: string | null
}

/** An answer, and the tokens that the caller pays for it. `null`: it costs nothing. */
export interface PaidAnswer<Tokens> {
  readonly json: Json
  readonly tokens: Tokens | null
}

interface Remembered<Tokens> {
  readonly text: string
  readonly tokens: Tokens | null
  readonly execution: string | null
  readonly until: number
}

/**
 * The answers of a model that were usable. The same question about the same text of a page has the
 * same answer, so the next run need not pay for it again. Accounts do not share answers, because a
 * lower price would reveal what another account has asked. The execution that has asked pays, even
 * if it comes to the page again because its commit failed. It never pays twice: the address of a
 * page is part of its text, and if several pages of a run lead to one address, all but one are
 * duplicates. So it does not matter which of them has asked.
 */
export class AnswerMemory<Tokens> {
  readonly #clock: Pick<Clock, 'now'>
  readonly #answers = new Map<string, Remembered<Tokens>>()
  #characters = 0

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** The identity of a question. It is a digest, because texts of pages are long. */
  keyOf({ account }: Asker, { instructions, schema, text }: Question): Promise<string> {
    return sha256Hex(JSON.stringify([account, instructions, schema, text]))
  }

  recall(key: string, { execution }: Asker): PaidAnswer<Tokens> | null {
    const answer = this.#answers.get(key)
    if (!answer) return null
    this.#forget(key, answer)
    if (answer.until <= this.#clock.now()) return null
    // The answer that was used last is moved to the end of the map.
    this.#keep(key, answer)
    const isOwn = execution !== null && answer.execution === execution
    return { json: JSON.parse(answer.text), tokens: isOwn ? answer.tokens : null }
  }

  remember(key: string, { execution }: Asker, { json, tokens }: PaidAnswer<Tokens>): void {
    const text = JSON.stringify(json)
    if (text.length > LONGEST) return
    const before = this.#answers.get(key)
    if (before) this.#forget(key, before)
    this.#keep(key, { text, tokens, execution, until: this.#clock.now() + HOLDS_MS })
    for (const [oldest, answer] of this.#answers) {
      if (this.#answers.size <= MOST && this.#characters <= MOST_CHARACTERS) return
      this.#forget(oldest, answer)
    }
  }

  #keep(key: string, answer: Remembered<Tokens>): void {
    this.#answers.set(key, answer)
    this.#characters += answer.text.length
  }

  #forget(key: string, answer: Remembered<Tokens>): void {
    this.#answers.delete(key)
    this.#characters -= answer.text.length
  }
}
