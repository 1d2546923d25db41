import type { Clock } from '../ports/clock.ts'
import { DatasetMerge } from './dataset-merge.ts'
import type { MergeOptions } from './dataset-merge.ts'
import { eraseDataset } from './erase-dataset.ts'
import { jobFields } from './job.ts'
import type { JobHandlers } from './job.ts'
import { retire } from './retire.ts'

/** Commits of one delivery, so that a large merge leaves other jobs their turn. */
const STEPS = 100
/** How soon to look again at a merge that someone else is at. */
const OVERTAKEN_MS = 1_000
const DAY_MS = 86_400_000
/**
 * Merges of which a worker remembers what it has read; of those that another worker ended it never
 * hears.
 */
const MOST_UNDER_WAY = 16

/**
 * The jobs of datasets: `merge` takes in the runs that wait, `retention` drops what is too old once
 * a day, `dataset-erase` what a deleted one has left.
 */
export function datasetJobs({
  clock,
  ...options
}: MergeOptions & { readonly clock: Clock }): JobHandlers {
  // A large merge goes on in the next delivery with what it has read; it makes sure that it still
  // holds.
  const underWay = new Map<string, DatasetMerge>()
  return {
    async merge(data, { signal }) {
      const target = jobFields(data, 'account', 'dataset')
      if (!target) return 'done'
      const name = JSON.stringify([target.account, target.dataset])
      const merge = underWay.get(name) ?? new DatasetMerge(options, target.account, target.dataset)
      underWay.delete(name)
      for (let step = 0; step < STEPS && !signal.aborted; step++) {
        const came = await merge.step()
        if (came === 'idle') return 'done'
        if (came === 'overtaken') return { again: clock.now() + OVERTAKEN_MS }
      }
      if (underWay.size === MOST_UNDER_WAY) underWay.clear()
      if (!signal.aborted) underWay.set(name, merge)
      return { again: clock.now() }
    },
    async retention(data, { signal }) {
      const target = jobFields(data, 'account', 'dataset', 'since')
      if (!target) return 'done'
      const dataset = await options.records.datasets.get(target.account, target.dataset)
      // Each time the retention is set there is a job of its own; those of earlier ones end here.
      if (String(dataset?.value.retentionSince) !== target.since) return 'done'
      await retire(options.records, target.account, target.dataset, clock.now(), signal)
      return { again: clock.now() + DAY_MS }
    },
    async 'dataset-erase'(data, { signal }) {
      const target = jobFields(data, 'account', 'dataset')
      if (target) await eraseDataset(options.records, target.account, target.dataset, signal)
      return 'done'
    },
  }
}
