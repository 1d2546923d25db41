import type { Clock } from '../../ports/clock.ts'
import { removeChange, removeItem } from './count-bytes.ts'
import type { DatasetMerge, MergeOptions } from './merge.ts'
import { jobFields } from '../common/job.ts'
import type { JobHandlers } from '../common/job.ts'
import { Change } from '../../records/change.ts'
import type { Records } from '../records.ts'
import { DAY_MS } from '../../kernel/time.ts'

/** Maximum number of commits in one delivery of a job. It lets other jobs run beside a large merge. */
const STEPS = 100
/** How soon to retry a merge that another worker is doing, in ms. */
const OVERTAKEN_MS = 1_000
/**
 * Number of merges whose data a worker keeps in memory. The oldest is dropped, because a worker
 * does not notice when another worker finishes a merge.
 */
const MOST_UNDER_WAY = 16
/** Number of rows in one commit, by the number of workers that died during the merge. */
const BATCHES: readonly number[] = [250, 25]

/**
 * The jobs of datasets: `merge` merges waiting runs, `retention` deletes old data once a day,
 * `dataset-erase` deletes the data of a deleted dataset.
 */
export function datasetJobs({
  clock,
  ...options
}: MergeOptions & { readonly clock: Clock }): JobHandlers {
  // A large merge continues in the next delivery with the data it has read. It checks that this
  // data is still valid.
  const underWay = new Map<string, DatasetMerge>()
  return {
    async merge(data, { signal, lost, turn }) {
      const target = jobFields(data, 'account', 'dataset')
      if (!target) return 'done'
      const { DatasetMerge } = await import('./merge.ts')
      const name = JSON.stringify([target.account, target.dataset])
      const batch = BATCHES[lost] ?? 1
      const merge =
        (lost === 0 ? underWay.get(name) : undefined) ??
        new DatasetMerge({ batch, ...options }, target.account, target.dataset)
      underWay.delete(name)
      for (let step = 0; step < STEPS && !signal.aborted; step++) {
        const came = await merge.step()
        if (came === 'idle') return 'done'
        if (came === 'overtaken') return { again: clock.now() + OVERTAKEN_MS }
        // A merge is given up only if it cannot make one commit, because workers also die by
        // chance.
        if (step === 0) await turn.progress()
      }
      if (underWay.size === MOST_UNDER_WAY) underWay.clear()
      if (!signal.aborted) underWay.set(name, merge)
      return { again: clock.now() }
    },
    async retention(data, { signal }) {
      const target = jobFields(data, 'account', 'dataset', 'since')
      if (!target) return 'done'
      const dataset = await options.records.datasets.get(target.account, target.dataset)
      // Each change of the retention creates a new job. Jobs of earlier settings end here.
      if (String(dataset?.value.retentionSince) !== target.since) return 'done'
      await retire(options.records, target.account, target.dataset, clock.now(), signal)
      return { again: clock.now() + DAY_MS }
    },
    async 'dataset-erase'(data, { signal }) {
      const target = jobFields(data, 'account', 'dataset')
      if (target) await eraseDataset(options, target.account, target.dataset, signal)
      return 'done'
    },
  }
}

const BATCH = 250

/**
 * Deletes the data of a deleted dataset, one batch a commit. Nothing writes there any more. The
 * call is idempotent.
 */
async function eraseDataset(
  options: MergeOptions,
  account: string,
  dataset: string,
  signal: AbortSignal,
): Promise<void> {
  const { records } = options
  // An id is never reused, but a job may be delivered twice, and late.
  if (await records.datasets.get(account, dataset)) return
  // Waiting runs are dropped as a merge drops them: the bytes that they have counted in advance are
  // subtracted.
  const { DatasetMerge } = await import('./merge.ts')
  const merge = new DatasetMerge(options, account, dataset)
  do signal.throwIfAborted()
  while ((await merge.step()) !== 'idle')
  for (const erase of [
    eraseItems,
    eraseChanges,
    ...[records.sightings, records.seenLog, records.seenTables, records.merges].map((collection) =>
      eraseAll(collection),
    ),
  ]) {
    do signal.throwIfAborted()
    while (await erase(records, account, dataset))
  }
}

async function eraseItems(records: Records, account: string, dataset: string): Promise<boolean> {
  const items = await records.items.list(account, { within: [dataset], limit: BATCH })
  const change = new Change()
  for (const item of items) removeItem(records, change, account, item)
  if (items.length > 0) await records.commit(change)
  return items.length > 0
}

async function eraseChanges(records: Records, account: string, dataset: string): Promise<boolean> {
  const changes = await records.itemChanges.list(account, { within: [dataset], limit: BATCH })
  const change = new Change()
  for (const itemChange of changes) removeChange(records, change, account, itemChange)
  if (changes.length > 0) await records.commit(change)
  return changes.length > 0
}

type Plain = Records['sightings'] | Records['seenLog'] | Records['seenTables'] | Records['merges']

/** Erases a collection without indexes. */
function eraseAll(collection: Plain): typeof eraseItems {
  return async (records, account, dataset) => {
    const rest = await collection.list(account, { within: [dataset], limit: BATCH })
    const change = new Change()
    for (const { id } of rest) collection.drop(change, account, ...id)
    if (rest.length > 0) await records.commit(change)
    return rest.length > 0
  }
}

/** Result of one step of retention. `more`: call again, even if a merge committed first. */
type Step = 'done' | 'more'

/**
 * Deletes data that is older than a dataset's retention, one batch a commit. Each batch updates the
 * counters in the dataset's state, which fences it from merges.
 */
async function retire(
  records: Records,
  account: string,
  dataset: string,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const stored = await records.datasets.get(account, dataset)
  const { changesDays, goneDays } = stored?.value.retention ?? {}
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
 * Deletes old changes. The feed is in order of merges, so its first changes are the oldest. The
 * search ends at the first change that is recent enough.
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
  for (const itemChange of old) removeChange(records, change, account, itemChange)
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
  for (const { record } of old) removeItem(records, change, account, record)
  await records.commit(change)
  return 'more'
}
