import type { Clock } from '../ports/clock.ts'
import type { Lane } from '../ports/queue.ts'
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

/** Shows how many jobs of the queue on the store wait, and how long. Returns what ends that. */
export function observeQueue(
  { jobs }: CoreRecords,
  clock: Clock,
  telemetry: Telemetry,
): () => void {
  const waiting = async () => {
    const now = clock.now()
    // Both indexes: a job that has become due is in `due` until a worker moves it into its line.
    const slices = [...LANES.map((lane) => ['due', lane]), ...LANES.map((lane) => ['ready', lane])]
    const lists = await Promise.all(
      [...slices, ['ready', SUSPECTS]].map(([index = '', line = '']) =>
        jobs.listBy(index, SYSTEM, { within: [line], limit: MOST }),
      ),
    )
    const due = lists
      .flat()
      .map(({ record }) => record.value)
      .filter(({ lease, dueAt }) => lease === null && dueAt <= now)
    return LANES.map((lane) => {
      const ages = due.filter((job) => job.lane === lane).map(({ dueAt }) => now - dueAt)
      return { lane, depth: Math.min(ages.length, MOST), age: Math.max(0, ...ages) / 1_000 }
    })
  }
  const by = (what: 'depth' | 'age') => async (): Promise<readonly Observation[]> =>
    (await waiting()).map((line) => ({
      value: line[what],
      attributes: { 'seine.lane': line.lane },
    }))
  const ends = [telemetry.observe(DEPTH, by('depth')), telemetry.observe(AGE, by('age'))]
  return () => {
    for (const end of ends) end()
  }
}
