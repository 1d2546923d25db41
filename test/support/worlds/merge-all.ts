import type { Blobs } from '../../../src/ports/blobs.ts'
import type { Records } from '../../../src/features/records.ts'
import { DatasetMerge } from '../../../src/features/datasets/merge.ts'

const MOST_STEPS = 5_000

/** Merges all runs that wait for a dataset, like the worker's job; returns the number of commits. */
export async function mergeAll(
  records: Records,
  blobs: Blobs,
  account: string,
  dataset: string,
  batch = 250,
  seenRows?: number,
): Promise<number> {
  const merge = new DatasetMerge(
    { records, blobs, batch, ...(seenRows !== undefined && { seenRows }) },
    account,
    dataset,
  )
  let commits = 0
  for (let step = 0; step < MOST_STEPS; step++) {
    const came = await merge.step()
    if (came === 'idle') return commits
    if (came === 'more') commits++
  }
  throw new Error('Merging does not come to an end')
}
