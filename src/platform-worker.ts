import type { Robots } from './engine/site/robots.ts'
import type { Egress } from './engine/egress/types.ts'
import type { ReadByModel } from './engine/model/model-reader.ts'
import type { Renderer } from './engine/render/renderer.ts'
import type { Statements } from './features/billing/statements.ts'
import type { PagesOf } from './features/common/account-pages.ts'
import type { FindStarts } from './features/common/find-starts.ts'
import type { Ledger } from './features/common/ledger/ledger.ts'
import type { Tariff } from './features/common/ledger/plans.ts'
import { retires } from './features/common/request-retention.ts'
import type { MediaLinks } from './features/media/links.ts'
import type { Recipes } from './features/recipes/service.ts'
import type { WebhookSecrets } from './features/webhooks/secrets.ts'
import type { Ids } from './kernel/id.ts'
import type { Digest } from './kernel/crypto.ts'
import type { PlatformOptions } from './platform-options.ts'
import type { Blobs } from './ports/blobs.ts'
import type { Clock, RandomBytes } from './ports/clock.ts'
import type { Logger } from './ports/logger.ts'
import type { PdfReader } from './ports/pdf-reader.ts'
import type { Queue } from './ports/queue.ts'
import type { Records } from './records/records.ts'
import type { AdvanceOptions } from './worker/advance-options.ts'
import { billingJobs } from './worker/billing-jobs.ts'
import { Crewmates } from './worker/crewmates.ts'
import { datasetJobs } from './worker/dataset-jobs.ts'
import { executionJobs } from './worker/execution-jobs.ts'
import type { Interrupts } from './worker/interrupts.ts'
import { jobEnds } from './worker/job-ends.ts'
import { MAX_KEPT_BYTES } from './worker/keep-pages.ts'
import { DEFAULT_MEDIA_LIMITS } from './worker/media-limits.ts'
import type { Outbox } from './worker/outbox.ts'
import { retentionJobs } from './worker/retention-jobs.ts'
import { scheduleJobs } from './worker/schedule-jobs.ts'
import { createVolunteer } from './worker/volunteer.ts'
import { webhookJobs } from './worker/webhook-jobs.ts'
import { createWorker } from './worker/worker.ts'
import type { Worker } from './worker/worker.ts'

/** The parts of a platform that its worker shares with what answers calls. */
export interface WorkerParts {
  readonly records: Records
  readonly blobs: Blobs
  readonly queue: Queue
  readonly outbox: Outbox
  readonly interrupts: Interrupts
  readonly digest: Digest
  readonly egress: Egress
  readonly findStarts: FindStarts
  readonly robots: Robots
  readonly renderer: Renderer | null
  readonly readPdf: PdfReader
  readonly model: ReadByModel | null
  readonly pagesOf: PagesOf
  readonly recipes: Recipes
  readonly ledger: Ledger
  readonly tariff: Tariff
  readonly statements: () => Promise<Statements>
  readonly mediaLinks: MediaLinks
  readonly webhookSecrets: WebhookSecrets
  readonly ids: Ids
  readonly clock: Clock
  readonly random: RandomBytes
  readonly logger: Logger
  readonly leaseMs: number
  readonly changed: (executionId: string) => void
}

/**
 * Puts the worker together. Apart from the rest of a platform, because it brings all that reads
 * pages with it.
 */
export function assembleWorker(parts: WorkerParts, options: PlatformOptions): Worker {
  const { worker: wanted, media, keptPages, allowPrivateNetwork = false } = options
  const {
    records,
    blobs,
    queue,
    outbox,
    interrupts,
    digest,
    egress,
    recipes,
    ledger,
    tariff,
    statements,
    mediaLinks,
    webhookSecrets,
    ids,
    clock,
    random,
    logger,
  } = parts
  const { prices } = tariff
  const { tokenSeconds: _, baseUrl: __, ...limits } = media ?? {}
  const places = wanted?.concurrency ?? 4
  const execution: AdvanceOptions = {
    ...parts,
    prices,
    media: { ownerOf: mediaLinks.ownerOf, limits: { ...DEFAULT_MEDIA_LIMITS, ...limits } },
    keepBytes: keptPages?.maxBytesPerExecution ?? MAX_KEPT_BYTES,
    newHolder: () => ids('worker'),
    share: wanted?.share ?? 1,
    crewmates: new Crewmates(),
  }
  const schedules = scheduleJobs({
    records,
    ledger,
    prices,
    retires: retires(tariff),
    recipes,
    ids,
    clock,
    rights: options,
  })
  return createWorker({
    queue,
    outbox,
    clock,
    logger,
    concurrency: { short: 8, remote: wanted?.deliveries ?? 16, long: places },
    ends: { ...schedules.ends, ...jobEnds(execution) },
    volunteer: createVolunteer(execution, places),
    jobs: {
      ...billingJobs({ statements }),
      ...datasetJobs({ records, blobs, digest, clock }),
      ...schedules.jobs,
      ...retentionJobs({ records, blobs, tariff, clock }),
      ...executionJobs({ ...execution, interrupts }),
      ...webhookJobs({
        records,
        egress,
        secrets: webhookSecrets,
        clock,
        random,
        logger,
        allowPrivateNetwork,
      }),
    },
  })
}
