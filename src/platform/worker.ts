import { shortDigest } from '#short-digest'
import type { WebAccess } from '../features/common/web-access.ts'
import type { Core } from '../features/core.ts'
import type { PlatformOptions } from './options.ts'
import type { Services } from './services.ts'
import type { Queue } from '../ports/queue.ts'
import type { AdvanceOptions } from '../crawl/advance-options.ts'
import { billingJobs } from '../features/billing/jobs.ts'
import { LocalRuns } from '../crawl/shared/peers.ts'
import { datasetJobs } from '../features/datasets/jobs.ts'
import { executionJobs, jobEnds } from '../crawl/jobs.ts'
import type { Interrupts } from '../crawl/interrupts.ts'
import { MAX_KEPT_BYTES } from '../crawl/archive/archive-pages.ts'
import { DEFAULT_MEDIA_LIMITS } from '../crawl/media/media-keeper.ts'
import type { Outbox } from '../worker/outbox.ts'
import { retentionJobs } from '../features/executions/jobs.ts'
import { scheduleJobs } from '../features/schedules/jobs.ts'
import { createHelper } from '../crawl/shared/helper.ts'
import { webhookJobs } from '../features/webhooks/jobs.ts'
import { createWorker } from '../worker/worker.ts'
import type { Worker } from '../worker/worker.ts'

/** The parts of a platform that its worker shares with the API. */
export interface WorkerParts {
  readonly core: Core
  readonly web: WebAccess
  readonly services: Services
  readonly queue: Queue
  readonly outbox: Outbox
  readonly interrupts: Interrupts
  readonly leaseMs: number
}

/**
 * Assembles the worker. This is a separate module, loaded on demand, because it imports all code
 * that reads pages.
 */
export function assembleWorker(
  { core, web, services, queue, outbox, interrupts, leaseMs }: WorkerParts,
  options: PlatformOptions,
): Worker {
  const { worker: wanted, media, keptPages } = options
  const { clock, logger, ids, tariff } = core
  const { recipes, live, mediaLinks, webhookSecrets, statements } = services
  const { prices } = tariff
  const { tokenSeconds: _, baseUrl: __, ...limits } = media ?? {}
  const places = wanted?.concurrency ?? 4
  const execution: AdvanceOptions = {
    ...core,
    ...web,
    prices,
    leaseMs,
    changed: live.changed,
    media: { ownerOf: mediaLinks.ownerOf, limits: { ...DEFAULT_MEDIA_LIMITS, ...limits } },
    keepBytes: keptPages?.maxBytesPerExecution ?? MAX_KEPT_BYTES,
    newHolder: () => ids('worker'),
    share: wanted?.share ?? 1,
    localRuns: new LocalRuns(),
  }
  const schedules = scheduleJobs(core, recipes, options)
  return createWorker({
    queue,
    outbox,
    clock,
    logger,
    concurrency: { short: 8, remote: wanted?.deliveries ?? 16, long: places },
    ends: { ...schedules.ends, ...jobEnds(execution) },
    helper: createHelper(execution, places),
    jobs: {
      ...billingJobs({ statements }),
      ...datasetJobs({ ...core, digest: shortDigest }),
      ...schedules.jobs,
      ...retentionJobs(core),
      ...executionJobs({ ...execution, interrupts }),
      ...webhookJobs(core, web.egress, webhookSecrets),
    },
  })
}
