import { sha256Hex } from '../../kernel/crypto.ts'
import type { Json } from '../../kernel/json.ts'
import type { Model, ModelRequest } from '../../ports/model.ts'

/** Who asks: an account, in an execution; `null`: in a preview. */
export interface Asker {
  readonly account: string
  readonly execution: string | null
}

/** Tokens of a question and of its answer. */
export interface AnswerTokens {
  readonly input: number
  readonly output: number
}

/** An answer, and the tokens that it costs whoever asks; `null`: it costs nothing. */
export interface PaidAnswer {
  readonly json: Json
  readonly tokens: AnswerTokens | null
}

/**
 * The answers of a model that were usable. The same question about the same text of a page has the
 * same answer, so the next run need not pay for it again. Accounts do not share answers, because a
 * lower price would reveal what another account has asked. The execution that has asked pays, even
 * if it comes to the page again because its commit failed. It never pays twice: the address of a
 * page is part of its text, and if several pages of a run lead to one address, all but one are
 * duplicates. So it does not matter which of them has asked.
 */
export interface AnswerMemory {
  /** `null`: there is none, or it could not be read. */
  recall(asker: Asker, key: string): Promise<PaidAnswer | null>
  /** An answer that cannot be kept is asked for again. */
  remember(asker: Asker, key: string, answer: PaidAnswer): Promise<void>
}

/** The identity of a question to a model within an account. Texts of pages are long, and not kept. */
export function questionKey(
  { name = '' }: Pick<Model, 'name'>,
  { instructions, schema, text }: Omit<ModelRequest, 'signal'>,
): Promise<string> {
  return sha256Hex(JSON.stringify([name, instructions, schema, text]))
}
