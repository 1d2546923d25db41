import { sha256Hex } from '../../kernel/crypto.ts'
import type { Json } from '../../kernel/json.ts'
import type { Model, ModelRequest } from '../../ports/model.ts'

/** The asker: an account, in an execution. `null`: in a preview. */
export interface Asker {
  readonly account: string
  readonly execution: string | null
}

/** Tokens of a question and of its answer. */
export interface AnswerTokens {
  readonly input: number
  readonly output: number
}

/** An answer, and the tokens that the asker pays. `null`: it costs nothing. */
export interface PaidAnswer {
  readonly json: Json
  readonly tokens: AnswerTokens | null
}

/**
 * The usable answers of a model. The same question about the same text of a page has the same
 * answer, so the next run need not pay again. Accounts do not share answers, because a lower price
 * would reveal the questions of another account. The execution that asked pays, even if it visits
 * the page again after a failed commit. It never pays twice: the address of a page is part of its
 * text, and if several pages of a run lead to one address, all but one are duplicates.
 */
export interface AnswerMemory {
  /** `null`: there is no answer, or it could not be read. */
  recall(asker: Asker, key: string): Promise<PaidAnswer | null>
  /** If an answer cannot be stored, the model is asked again. */
  remember(asker: Asker, key: string, answer: PaidAnswer): Promise<void>
}

/**
 * The identity of a question to a model within an account. Texts of pages are long, so they are not
 * stored.
 */
export function questionKey(
  { name = '' }: Pick<Model, 'name'>,
  { instructions, schema, text }: Omit<ModelRequest, 'signal'>,
): Promise<string> {
  return sha256Hex(JSON.stringify([name, instructions, schema, text]))
}
