import type { JobHandlers } from '../features/common/job.ts'
import { openOperatorRecords } from '../features/operator/records.ts'
import { SignOfLife } from '../worker/sign-of-life.ts'
import type { Worker } from '../worker/worker.ts'
import type { PlatformCore } from './core.ts'

/** A worker that gives signs of life for operators while it runs, with the jobs that it holds. */
export function withSignOfLife(
  { store, records, clock, logger, ids }: PlatformCore,
  assemble: (track: (jobs: JobHandlers) => JobHandlers) => Worker,
): Worker {
  const life = new SignOfLife({
    workers: openOperatorRecords(store).workers,
    commit: (change) => records.commit(change),
    clock,
    logger,
    id: ids('worker'),
  })
  const worker = assemble((jobs) => life.track(jobs))
  return {
    async run(options) {
      await Promise.all([worker.run(options), life.run(options.signal)])
    },
    async tick(options) {
      await life.once()
      await worker.tick(options)
    },
  }
}
