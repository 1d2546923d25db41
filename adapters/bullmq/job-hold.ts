import { Hold } from '../../src/kernel/fair/fair-places.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Logger } from '../../src/ports/logger.ts'
import type { JobTurn } from '../../src/ports/queue.ts'
import type { ActiveJob } from './lane-worker.ts'
import { clearedOf } from './payload.ts'
import { lineName, lineOf } from './share-lines.ts'

/** A job's hold on its place. */
export class JobHold extends Hold implements JobTurn {
  readonly #active: ActiveJob
  readonly #logger: Logger | undefined

  constructor(
    active: ActiveJob,
    {
      clock,
      logger,
      onClear,
    }: {
      readonly clock: Clock
      readonly logger: Logger | undefined
      /** Called when others may run beside the job. */
      readonly onClear: () => void
    },
  ) {
    super(lineName(lineOf(active.payload.share ?? '')), clock.now(), onClear)
    this.#active = active
    this.#logger = logger
  }

  async progress(): Promise<void> {
    const { job, payload, lost } = this.#active
    const before = job.attemptsStarted - 1
    if (lost === 0 && payload.before === before) return
    await job
      .updateData({ ...clearedOf(payload, job.stalledCounter), before })
      .catch((error: unknown) => {
        this.#logger?.warn('The progress of a job could not be saved', {
          id: payload.id,
          error: String(error),
        })
      })
  }
}
