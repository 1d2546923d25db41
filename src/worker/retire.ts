import { Change } from '../records/change.ts'
import type { Records } from '../records/records.ts'

const DAY_MS = 86_400_000
const BATCH = 250

/** What retention found to do: nothing more, or it was in the way of a merge. */
type Step = 'done' | 'more'

/**
 * Drops what a dataset's retention says is too old, a batch a commit. Each batch counts in the
 * dataset's state, which fences it from merges.
 */
export async function retire(
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
