import { shortDigest } from '#short-digest'
import type { WebAccess } from '../features/common/web-access.ts'
import type { Core } from '../features/core.ts'
import type { PlatformOptions } from './options.ts'
import type { Services } from './services.ts'
import type { Clock } from '../ports/clock.ts'
import type { Queue } from '../ports/queue.ts'
import type { AdvanceOptions } from '../crawl/advance-options.ts'
import { jobFields } from '../features/common/job.ts'
import type { JobHandlers } from '../features/common/job.ts'
import { billingJobs } from '../features/billing/jobs.ts'
import { LocalRuns } from '../crawl/shared/peers.ts'
import { datasetJobs } from '../features/datasets/jobs.ts'
import { relocationJobs } from '../crawl/relocate/relocation-job.ts'
import { executionJobs, jobEnds } from '../crawl/jobs.ts'
import { AccountWatch } from '../crawl/account-watch.ts'
import type { Interrupts } from '../crawl/interrupts.ts'
import { DEFAULT_MEDIA_LIMITS, MAX_KEPT_BYTES } from '../crawl/limits.ts'
import type { Outbox } from '../worker/outbox.ts'
import { retentionJobs } from '../features/executions/jobs.ts'
import { mediaJobs } from '../features/media/jobs.ts'
import { scheduleJobs } from '../features/schedules/jobs.ts'
import { createHelper } from '../crawl/shared/helper.ts'
import { webhookJobs } from '../features/webhooks/jobs.ts'
import { withDefaults } from '../kernel/options.ts'
import { StillLeases } from '../kernel/leases.ts'
import { DAY_MS } from '../kernel/time.ts'
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
  /** Records which jobs are held. Default: they are not recorded. */
  readonly track?: (jobs: JobHandlers) => JobHandlers
}

/**
 * Assembles the worker. This is a separate module, loaded on demand, because it imports all code
 * that reads pages.
 */
export function assembleWorker(
  { core, web, services, queue, outbox, interrupts, leaseMs, track = (jobs) => jobs }: WorkerParts,
  options: PlatformOptions,
): Worker {
  const { worker: workerOptions, media, keptPages } = options
  const { clock, logger, telemetry, ids, tariff } = core
  const { recipes, live, mediaLinks, webhookSecrets, mail, statements } = services
  const { prices } = tariff
  const { tokenSeconds: _, baseUrl: __, ...limits } = media ?? {}
  const places = workerOptions?.concurrency ?? 4
  const onlyAccount = workerOptions?.account
  const execution: AdvanceOptions = {
    ...core,
    ...web,
    digest: shortDigest,
    prices,
    leaseMs,
    changed: live.changed,
    media: { ownerOf: mediaLinks.ownerOf, limits: withDefaults(DEFAULT_MEDIA_LIMITS, limits) },
    keepBytes: keptPages?.maxBytesPerExecution ?? MAX_KEPT_BYTES,
    newHolder: () => ids('worker'),
    share: workerOptions?.share ?? 1,
    localRuns: new LocalRuns(),
    stillLeases: new StillLeases(leaseMs),
  }
  const schedules = scheduleJobs(core, recipes, options)
  const relocations = relocationJobs({ ...core, pagesOf: web.pagesOf, recipes })
  return createWorker({
    queue,
    outbox,
    clock,
    logger,
    telemetry,
    concurrency: { short: 8, remote: workerOptions?.deliveries ?? 16, long: places },
    ends: { ...schedules.ends, ...relocations.ends, ...jobEnds(execution) },
    // A worker for one account does not help, because any account may need help.
    helper: onlyAccount === undefined ? createHelper(execution, places) : null,
    jobs: ofAccount(
      onlyAccount,
      clock,
      track({
        ...billingJobs({ statements, clock }),
        ...datasetJobs({ ...core, digest: shortDigest }),
        ...schedules.jobs,
        ...relocations.jobs,
        ...retentionJobs(core),
        ...mediaJobs(core),
        ...executionJobs({
          ...execution,
          interrupts,
          accountWatch: new AccountWatch({
            ...core,
            executions: services.api.executions,
            changed: live.changed,
            interrupts,
            suspendedMs: daysOf(options.suspendedRunDays),
          }),
        }),
        ...webhookJobs(core, web.egress, webhookSecrets, mail),
      }),
    ),
  })
}

/** Time, in ms, for which jobs of other accounts are left to other workers. */
const LEFT_MS = 2_000

/**
 * Handlers that put back the jobs of other accounts. An option may be set for one account alone,
 * such as private addresses.
 */
function ofAccount(account: string | undefined, clock: Clock, jobs: JobHandlers): JobHandlers {
  if (account === undefined) return jobs
  return Object.fromEntries(
    Object.entries(jobs).map(([kind, handle]) => [
      kind,
      async (data, context) =>
        jobFields(data, 'account')?.account === account
          ? handle(data, context)
          : { again: clock.now() + LEFT_MS },
    ]),
  )
}

/** Default number of days for which executions of suspended accounts keep their reserved credits. */
const SUSPENDED_DAYS = 30

function daysOf(days: number | null = SUSPENDED_DAYS): number | null {
  return days === null ? null : days * DAY_MS
}
