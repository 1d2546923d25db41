import { expect } from 'vitest'
import type { Store } from '../../../src/ports/store.ts'
import { Change } from '../../../src/records/change.ts'
import { SYSTEM } from '../../../src/records/collection.ts'
import { createRecords } from '../../../src/features/records.ts'

/** Changes the store: its job of this kind has lost this number of workers, whenever it is due. */
export async function loseWorkers(
  store: Store,
  kind: string,
  lost: readonly string[],
  now: number,
): Promise<void> {
  const records = createRecords(store)
  const job = (await records.jobs.list(SYSTEM, { limit: 100 })).find(
    ({ value }) => value.kind === kind,
  )
  if (!job) throw new Error(`There is no job ${kind}`)
  const change = new Change()
  records.jobs.update(change, SYSTEM, job, {
    ...job.value,
    dueAt: now,
    ready: true,
    lease: null,
    lost,
    deaths: lost.length,
  })
  expect(await records.commit(change)).toBe(true)
}
