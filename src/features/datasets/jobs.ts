import type { Clock } from '../../ports/clock.ts'
import { DatasetMerge } from './merge.ts'
import type { MergeOptions } from './merge.ts'
import { jobFields } from '../common/job.ts'
import type { JobHandlers } from '../common/job.ts'
import { Change } from '../../records/change.ts'
import type { Records } from '../records.ts'

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

const BATCH = 250

/**
 * Deletes what a deleted dataset has left behind, a batch a commit. Nothing writes there any more;
 * repeating it does no harm.
 */
async function eraseDataset(
  records: Records,
  account: string,
  dataset: string,
  signal: AbortSignal,
): Promise<void> {
  // An id is never given twice, but a job may be delivered twice, and late.
  if (await records.datasets.get(account, dataset)) return
  for (const erase of [
    eraseItems,
    ...[
      records.sightings,
      records.seenLog,
      records.seenTables,
      records.itemChanges,
      records.merges,
      records.pendingMerges,
    ].map((collection) => eraseAll(collection)),
  ]) {
    do signal.throwIfAborted()
    while (await erase(records, account, dataset))
  }
}

async function eraseItems(records: Records, account: string, dataset: string): Promise<boolean> {
  const found = await records.items.list(account, { within: [dataset], limit: BATCH })
  const change = new Change()
  for (const item of found) records.items.remove(change, account, item)
  if (found.length > 0) await records.commit(change)
  return found.length > 0
}

type Plain =
  | Records['sightings']
  | Records['seenLog']
  | Records['seenTables']
  | Records['itemChanges']
  | Records['merges']
  | Records['pendingMerges']

/** Of a collection without indexes. */
function eraseAll(collection: Plain): typeof eraseItems {
  return async (records, account, dataset) => {
    const found = await collection.list(account, { within: [dataset], limit: BATCH })
    const change = new Change()
    for (const { id } of found) collection.drop(change, account, ...id)
    if (found.length > 0) await records.commit(change)
    return found.length > 0
  }
}

/** What retention found to do: nothing more, or it was in the way of a merge. */
type Step = 'done' | 'more'

/**
 * Drops what a dataset's retention says is too old, a batch a commit. Each batch counts in the
 * dataset's state, which fences it from merges.
 */
async function retire(
  records: Records,
  account: string,
  dataset: string,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const found = await records.datasets.get(account, dataset)
  const { changesDays, goneDays } = found?.value.retention ?? {}
  if (changesDays !== undefined)
    await repeat(() => forgetChanges(records, account, dataset, now - changesDays * DAY_MS), signal)
  if (goneDays !== undefined)
    await repeat(() => forgetGone(records, account, dataset, now - goneDays * DAY_MS), signal)
}

async function repeat(step: () => Promise<Step>, signal: AbortSignal): Promise<void> {
  do signal.throwIfAborted()
  while ((await step()) === 'more')
}

/**
 * The feed is in the order of merges, so the oldest changes are its first; one that is younger ends
 * the search.
 */
async function forgetChanges(
  records: Records,
  account: string,
  dataset: string,
  until: number,
): Promise<Step> {
  const state = await records.datasetStates.get(account, dataset)
  if (!state) return 'done'
  const first = await records.itemChanges.list(account, { within: [dataset], limit: BATCH })
  const young = first.findIndex(({ value }) => value.at >= until)
  const old = young < 0 ? first : first.slice(0, young)
  const last = old.at(-1)
  if (!last) return 'done'
  const change = new Change()
  records.datasetStates.require(change, account, state)
  records.datasetStates.put(change, account, { ...state.value, forgotten: last.value.sequence })
  for (const { value } of old) records.itemChanges.drop(change, account, dataset, value.sequence)
  await records.commit(change)
  return 'more'
}

async function forgetGone(
  records: Records,
  account: string,
  dataset: string,
  until: number,
): Promise<Step> {
  const state = await records.datasetStates.get(account, dataset)
  if (!state) return 'done'
  const old = await records.items.listBy('gone', account, {
    within: [dataset],
    before: [dataset, until],
    limit: BATCH,
  })
  if (old.length === 0) return 'done'
  const change = new Change()
  records.datasetStates.require(change, account, state)
  records.datasetStates.put(change, account, {
    ...state.value,
    gone: state.value.gone - old.length,
  })
  for (const { record } of old) records.items.remove(change, account, record)
  await records.commit(change)
  return 'more'
}
