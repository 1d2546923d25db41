import type { AnswerTokens } from '../../engine/model/answer-memory.ts'
import type { Store } from '../../ports/store.ts'
import { Collection } from '../../records/collection.ts'

/** The answer of a model to a question about the text of a page. It expires. */
export interface ModelAnswerRecord {
  /**
   * The first characters of the key. If a set is full, a new answer replaces old ones of the same
   * set.
   */
  readonly set: string
  /** SHA-256 of the question and the text. */
  readonly key: string
  /** JSON as text, because the value itself may contain data that a store refuses. */
  readonly text: string
  /** Bytes of the text. */
  readonly bytes: number
  readonly tokens: AnswerTokens | null
  /** The execution that asked. `null`: a preview. */
  readonly execution: string | null
  /** Unix milliseconds. */
  readonly at: number
}

/** Records of the answers of models. */
export interface ModelAnswerRecords {
  readonly modelAnswers: Collection<ModelAnswerRecord>
}

/** Opens the records of the answers of models. */
export function openModelAnswerRecords(store: Store): ModelAnswerRecords {
  return {
    modelAnswers: new Collection<ModelAnswerRecord>(store, {
      name: 'model-answers',
      id: ({ set, key }) => [set, key],
    }),
  }
}
