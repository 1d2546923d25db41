import type { AnswerMemory } from '../../engine/model/answer-memory.ts'
import { createModelReader } from '../../engine/model/model-reader.ts'
import type { ModelLimits, ReadByModelFor } from '../../engine/model/model-reader.ts'
import { DAY_MS } from '../../kernel/time.ts'
import type { Model } from '../../ports/model.ts'
import { Change } from '../../records/change.ts'
import type { Core } from '../core.ts'
import type { ModelAnswerRecord } from './records.ts'

/** How long an answer is valid. A wrong answer of a model must not stay for ever. */
const HOLDS_MS = 7 * DAY_MS
/** Maximum number of bytes of a stored answer. */
const LONGEST = 100_000
/**
 * Limits on the answers of one set, and on their bytes. There are 256 sets, so an account has at
 * most 2,048 answers and 64 MiB. A count for the whole account would be a record that all its pages
 * write.
 */
const MOST_OF_SET = 8
const SET_BYTES = 262_144
/** Concurrent processes do not see each other's writes, so a set may exceed its limit. */
const SET_READ = 4 * MOST_OF_SET

/** Reads pages with a model, and does not ask it if the store has the answer. */
export function createAnsweringReader(
  core: Pick<Core, 'records' | 'clock' | 'logger'>,
  model: Model,
  limits: ModelLimits = {},
): ReadByModelFor {
  const { clock, logger } = core
  return createModelReader({ model, clock, logger, limits, memory: createStoredAnswers(core) })
}

/** Keeps the answers of models in the store, so that every process and every later run finds them. */
export function createStoredAnswers({
  records,
  clock,
  logger,
}: Pick<Core, 'records' | 'clock' | 'logger'>): AnswerMemory {
  return {
    async recall({ account, execution }, key) {
      const answer = await records.modelAnswers
        .get(account, setOf(key), key)
        .catch((error: unknown) => {
          logger.warn('The answer of a model could not be looked up', { error })
          return null
        })
      if (answer === null || answer.value.at + HOLDS_MS <= clock.now()) return null
      const { text, tokens, execution: payer } = answer.value
      const isOwn = execution !== null && payer === execution
      return { json: JSON.parse(text), tokens: isOwn ? tokens : null }
    },

    async remember({ account, execution }, key, { json, tokens }) {
      const text = JSON.stringify(json)
      const bytes = new TextEncoder().encode(text).length
      if (bytes > LONGEST) return
      const set = setOf(key)
      const now = clock.now()
      try {
        const answers = await records.modelAnswers.list(account, { within: [set], limit: SET_READ })
        const change = new Change()
        const others = answers.map(({ value }) => value).filter((other) => other.key !== key)
        for (const { key: surplus } of oldest(others, bytes))
          records.modelAnswers.drop(change, account, set, surplus)
        const record = { set, key, text, bytes, tokens, execution, at: now }
        records.modelAnswers.put(change, account, record, now + HOLDS_MS)
        await records.commit(change)
      } catch (error) {
        logger.warn('The answer of a model could not be kept', { error })
      }
    },
  }
}

const setOf = (key: string): string => key.slice(0, 2)

/** The answers that must be deleted to make room for one of so many bytes. */
function oldest(answers: readonly ModelAnswerRecord[], bytes: number): ModelAnswerRecord[] {
  let count = 1
  let sum = bytes
  return answers
    .toSorted((left, right) => right.at - left.at)
    .filter((answer) => ++count > MOST_OF_SET || (sum += answer.bytes) > SET_BYTES)
}
