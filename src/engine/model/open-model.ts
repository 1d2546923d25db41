import { once } from '../../kernel/concurrency.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Logger } from '../../ports/logger.ts'
import type { Model, ModelFactory, ModelServices } from '../../ports/model.ts'
import type { ReadByModelFor } from './model-reader.ts'

/** Limits on a platform's use of its model. */
export interface ModelLimits {
  /** Maximum number of concurrent questions of this process. Default 4. */
  readonly concurrency?: number
  /** Timeout of one question in milliseconds, retries included. Default 60,000. */
  readonly timeoutMs?: number
}

/** A model that is ready to read pages. */
export interface OpenModel {
  readonly read: ReadByModelFor
  close(): Promise<void>
}

/**
 * Opens a model. The code that sends pages to it is loaded with the first page.
 *
 * @throws {TypeError} for wrong options of the model
 */
export function openModel(
  modelOrFactory: Model | ModelFactory,
  {
    services,
    limits,
    clock,
    logger,
  }: {
    readonly services: ModelServices
    readonly limits: ModelLimits
    readonly clock: Clock
    readonly logger: Logger
  },
): OpenModel {
  const { concurrency = 4, timeoutMs = 60_000 } = limits
  const model = 'create' in modelOrFactory ? modelOrFactory.create(services) : modelOrFactory
  const reader = once(async () =>
    (await import('./model-reader.ts')).createModelReader({
      model,
      clock,
      logger,
      concurrency,
      timeoutMs,
    }),
  )
  return {
    read: async (...page) => (await reader())(...page),
    close: async () => model.close?.(),
  }
}
