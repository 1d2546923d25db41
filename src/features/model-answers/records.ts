import type { AnswerTokens } from '../../engine/model/answer-memory.ts'
import type { Store } from '../../ports/store.ts'
import { Collection } from '../../records/collection.ts'

/** The answer of a model to a question about the text of a page. It expires. */
export interface ModelAnswerRecord {
  /** The first characters of the key: answers of one set make room for one another. */
  readonly set: string
  /** SHA-256 of the question and the text. */
  readonly key: string
  /** JSON as text: as a value, it could have what a store refuses. */
  readonly text: string
  /** Bytes of the text. */
  readonly bytes: number
  readonly tokens: AnswerTokens | null
  /** The execution that has asked; `null`: a preview. */
  readonly execution: string | null
  /** Unix milliseconds. */
  readonly at: number
}

/** Records of what models have answered. */
export interface ModelAnswerRecords {
  readonly modelAnswers: Collection<ModelAnswerRecord>
}

/** Opens the records of what models have answered. */
export function openModelAnswerRecords(store: Store): ModelAnswerRecords {
  return {
    modelAnswers: new Collection<ModelAnswerRecord>(store, {
      name: 'model-answers',
      id: ({ set, key }) => [set, key],
    }),
  }
}
