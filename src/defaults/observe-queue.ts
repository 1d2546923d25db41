import { Outage } from '../kernel/outage.ts'
import type { Clock } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import type { Lane, QueueBacklog } from '../ports/queue.ts'
import type { Metric, Observation, Telemetry } from '../ports/telemetry.ts'
import { SYSTEM } from '../records/collection.ts'
import { SUSPECTS } from '../records/core.ts'
import type { CoreRecords } from '../records/core.ts'

const DEPTH: Metric = {
  name: 'seine.queue.depth',
  unit: '{job}',
  description: 'Jobs that are due and have no worker, by lane; at most 1,000 are counted',
}
const AGE: Metric = {
  name: 'seine.queue.age',
  unit: 's',
  description: 'How long the oldest of these jobs has been due, by lane',
}
const MOST = 1_000
const LANES: readonly Lane[] = ['short', 'remote', 'long']

/** Dependencies of {@link observeQueue}. */
interface QueueMetrics {
  readonly records: CoreRecords
  readonly clock: Clock
  readonly logger: Logger
  readonly telemetry: Telemetry
}

/** Reads the waiting jobs of the queue on the store, by lane. */
export async function readBacklog(
  { jobs }: CoreRecords,
  clock: Clock,
): Promise<readonly QueueBacklog[]> {
  const now = clock.now()
  // Both indexes are read, because a job that has become due is in `due` until a worker moves it
  // into its line.
  const lists = await Promise.all([
    ...LANES.map((lane) =>
      jobs.listBy('due', SYSTEM, { within: [lane], before: [lane, now + 1], limit: MOST }),
    ),
    ...[...LANES, SUSPECTS].map((line) =>
      jobs.listBy('ready', SYSTEM, { within: [line], limit: MOST }),
    ),
  ])
  const due = lists
    .flat()
    .map(({ record }) => record.value)
    .filter(({ lease, dueAt }) => lease === null && dueAt <= now)
  return LANES.map((lane) => {
    const ages = due.filter((job) => job.lane === lane).map(({ dueAt }) => now - dueAt)
    return { lane, depth: Math.min(ages.length, MOST), ageMs: Math.max(0, ...ages) }
  })
}

/**
 * Reports how many jobs of the queue on the store wait, and how long. Returns a function that ends
 * this. A value that cannot be read is missing in the metrics, so the failure is logged.
 */
export function observeQueue({ records, clock, logger, telemetry }: QueueMetrics): () => void {
  const outage = new Outage(clock, logger, {
    failing: 'The queue could not be read for metrics',
    over: 'The queue can be read for metrics again',
  })
  const by =
    (valueOf: (line: QueueBacklog) => number) => async (): Promise<readonly Observation[]> => {
      try {
        const backlog = await readBacklog(records, clock)
        outage.worked()
        return backlog.map((line) => ({
          value: valueOf(line),
          attributes: { 'seine.lane': line.lane },
        }))
      } catch (error) {
        outage.failed(error)
        throw error
      }
    }
  const ends = [
    telemetry.observe(
      DEPTH,
      by(({ depth }) => depth),
    ),
    telemetry.observe(
      AGE,
      by(({ ageMs }) => ageMs / 1_000),
    ),
  ]
  return () => {
    for (const end of ends) end()
    outage.ended()
  }
}
