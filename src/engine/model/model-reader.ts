import type { Json, Row } from '../../kernel/json.ts'
import { ModelFailure } from '../../kernel/failures.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Logger } from '../../ports/logger.ts'
import type { Model, ModelAnswer, ModelRequest } from '../../ports/model.ts'
import type { PageResult } from '../../ports/page-processor.ts'
import type { PageLosses } from '../../ports/page-limits.ts'
import { hasValue } from '../extract/value/convert.ts'
import type { ModelColumn } from '../plan/compile-model.ts'
import type { CrawlPlan } from '../plan/plan.ts'
import { answerSchema, askedColumns, instructionsOf, questionText } from './question.ts'
import { Semaphore } from '../../kernel/concurrency.ts'
import { inTime } from '../../kernel/in-time.ts'
import { questionKey } from './answer-memory.ts'
import type { AnswerMemory, Asker, PaidAnswer, AnswerTokens } from './answer-memory.ts'
import { readAnswer } from './read-answer.ts'

/** Limits on a platform's use of its model. */
export interface ModelLimits {
  /** Maximum number of concurrent questions of this process. Default 4. */
  readonly concurrency?: number
  /** Timeout of one question in milliseconds, retries included. Default 60,000. */
  readonly timeoutMs?: number
}

/** The result of a model's question about a page. */
export interface ModelReading {
  /** The page's result without the question. Includes the model's values if it answered. */
  readonly result: PageResult
  /** Tokens that the answer cost. `null`: there was no answer, or a stored one. */
  readonly tokens: AnswerTokens | null
  /** Columns that the model filled: number of rows and the first value of each. */
  readonly given: readonly (ModelColumn & { readonly rows: number; readonly sample: Json })[]
  /**
   * The reason why there is no answer, or why it covers only a part of the page; `null` if there is
   * nothing to report.
   */
  readonly reason: { readonly code: string; readonly message: string } | null
}

/**
 * Sends a page's question to a model. Whatever happens, the page keeps its other values. Rejects
 * only with the signal's reason.
 */
export type ReadByModel = (
  plan: Pick<CrawlPlan, 'model' | 'answered'>,
  result: PageResult,
  signal: AbortSignal,
) => Promise<ModelReading>

/** The same for one account. Answers are remembered for this account alone. */
export type ReadByModelFor = (
  asker: Asker,
  ...page: Parameters<ReadByModel>
) => ReturnType<ReadByModel>

const CUT = {
  code: 'model_text_cut',
  message: 'The page is longer than a model may read; the model read its first part',
}
const WRONG = {
  code: 'model_unusable',
  message: "The model's answer does not follow the schema",
}
const BROKEN = { code: 'model_failed', message: 'The model could not be asked' }

/** Creates a function that reads pages with a model. */
export function createModelReader({
  model,
  clock,
  logger,
  limits: { concurrency = 4, timeoutMs = 60_000 },
  memory,
}: {
  readonly model: Model
  readonly clock: Clock
  readonly logger: Logger
  /** The timeout applies to one question, without its time in the queue. */
  readonly limits: ModelLimits
  readonly memory: AnswerMemory
}): ReadByModelFor {
  const permits = new Semaphore(concurrency)

  const askInTime = (
    request: Omit<ModelRequest, 'signal'>,
    signal: AbortSignal,
  ): Promise<ModelAnswer> =>
    inTime(
      {
        clock,
        ms: timeoutMs,
        signal,
        failure: () =>
          new ModelFailure(
            'timeout',
            `The model did not answer within ${timeoutMs / 1_000} seconds`,
          ),
      },
      (either) => model.ask({ ...request, signal: either }),
    )

  return async (asker, plan, result, signal) => {
    const { question } = result
    if (plan.model === null || question === undefined)
      return { result, tokens: null, given: [], reason: null }
    const { rows: kind, columns: all } = plan.model
    const fields = all.filter(({ column }) => question.columns.includes(column))
    const columns = askedColumns(fields)
    const unanswered = (reason: ModelReading['reason']): ModelReading => {
      logger.warn('A page was not read by the model', {
        url: question.url,
        code: reason?.code,
        reason: reason?.message,
      })
      return {
        result: plan.answered(result, kind === 'page' || kind === 'items' ? result.rows : []),
        tokens: null,
        given: [],
        reason,
      }
    }
    const request = {
      instructions: instructionsOf(kind, columns),
      schema: answerSchema(kind, columns),
      text: questionText(question, kind),
    }
    try {
      const key = await questionKey(model, request)
      const remembered = await memory.recall(asker, key)
      const paid =
        remembered ?? paidFor(await permits.run(() => askInTime(request, signal), signal))
      const answer = readAnswer(kind, columns, question, result.rows, paid.json)
      if (answer === null) return unanswered(WRONG)
      if (!remembered) await memory.remember(asker, key, paid)
      const { rows, losses } = answer
      return {
        result: plan.answered({ ...result, ...lossesOf(result, losses) }, rows),
        tokens: paid.tokens,
        given: givenBy(fields, kind === 'page' || kind === 'items' ? result.rows : [], rows),
        reason: question.cut ? CUT : null,
      }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof ModelFailure)
        return unanswered({ code: `model_${error.reason}`, message: error.message })
      logger.error('A model could not be asked', { url: question.url, error })
      return unanswered(BROKEN)
    }
  }
}

/** An answer with its cost. If the endpoint does not report tokens, it counts as none. */
function paidFor({ json, inputTokens, outputTokens }: ModelAnswer): PaidAnswer {
  return { json, tokens: { input: inputTokens ?? 0, output: outputTokens ?? 0 } }
}

/** The losses of a page and of the answer about it. */
function lossesOf(page: PageLosses, answer: PageLosses): PageLosses {
  const overrun = page.overrun ?? answer.overrun
  const cuts = [...(page.cuts ?? []), ...(answer.cuts ?? [])]
  const unclear = [...(page.unclear ?? []), ...(answer.unclear ?? [])]
  return {
    ...(overrun && { overrun }),
    ...(cuts.length > 0 && { cuts }),
    ...(unclear.length > 0 && { unclear }),
  }
}

function givenBy(
  columns: readonly ModelColumn[],
  before: readonly Row[],
  after: readonly Row[],
): ModelReading['given'] {
  return columns.map((column) => {
    const values = after.flatMap((row, index) =>
      hasValue(row[column.column]) && !hasValue(before[index]?.[column.column])
        ? [row[column.column] ?? null]
        : [],
    )
    return { ...column, rows: values.length, sample: values[0] ?? null }
  })
}
