import type { Robots } from '../engine/site/robots.ts'
import type { Egress } from '../engine/egress/types.ts'
import type { ReadByModel } from '../engine/model/model-reader.ts'
import type { Renderer } from '../engine/render/renderer.ts'
import type { Statements } from '../features/billing/statements.ts'
import type { PagesOf } from '../features/ledger/account-plan.ts'
import type { FindStarts } from '../features/common/find-starts.ts'
import type { Ledger } from '../features/ledger/ledger.ts'
import type { Tariff } from '../features/ledger/plans.ts'
import { retires } from '../features/executions/retention.ts'
import type { MediaLinks } from '../features/media/links.ts'
import type { Recipes } from '../features/recipes/service.ts'
import type { WebhookSecrets } from '../features/webhooks/secrets.ts'
import type { Ids } from '../kernel/id.ts'
import type { Digest } from '../kernel/crypto.ts'
import type { PlatformOptions } from './options.ts'
import type { Blobs } from '../ports/blobs.ts'
import type { Clock, RandomBytes } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import type { PdfReader } from '../ports/pdf-reader.ts'
import type { Queue } from '../ports/queue.ts'
import type { Records } from '../features/records.ts'
import type { AdvanceOptions } from '../crawl/advance-options.ts'
import { billingJobs } from '../features/billing/jobs.ts'
import { LocalRuns } from '../crawl/shared/peers.ts'
import { datasetJobs } from '../features/datasets/jobs.ts'
import { executionJobs, jobEnds } from '../crawl/jobs.ts'
import type { Interrupts } from '../crawl/interrupts.ts'
import { MAX_KEPT_BYTES } from '../crawl/archive/keep-pages.ts'
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
 * Assembles the worker. It is a module of its own, loaded on demand, because it imports all code
 * that reads pages.
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
    localRuns: new LocalRuns(),
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
    helper: createHelper(execution, places),
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
