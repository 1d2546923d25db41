import type { Blobs } from '../../src/ports/blobs.ts'
import type { Records } from '../../src/records/records.ts'
import { DatasetMerge } from '../../src/worker/dataset-merge.ts'

/** Merges all runs that wait for a dataset, as the worker's job would; gives the number of commits. */
export async function mergeAll(records: Records, blobs: Blobs, account: string, dataset: string): Promise<number> {
  const merge = new DatasetMerge({ records, blobs }, account, dataset)
  for (let commits = 0; ; ) {
    const came = await merge.step()
    if (came === 'idle') return commits
    if (came === 'more') commits++
  }
}
