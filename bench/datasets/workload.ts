import { createMemoryBlobs } from '../../src/defaults/memory-blobs.ts'
import { emptyState } from '../../src/features/datasets/dataset.ts'
import type { Row } from '../../src/kernel/json.ts'
import type { Store } from '../../src/ports/store.ts'
import { Change } from '../../src/records/change.ts'
import { emptyProgress } from '../../src/features/executions/records.ts'
import { createRecords } from '../../src/features/records.ts'
import { shortDigest } from '../../adapters/node/short-digest.ts'
import { DatasetMerge } from '../../src/features/datasets/merge.ts'
import { measure } from '../measure.ts'

const ACCOUNT = 'bench'
const DATASET = 'ds_bench'
/** Rows of a segment: a crawl commits about so many at once. */
const SEGMENT = 500
const recipe = {
  start: { urls: ['https://shop.example/'] },
  extract: { fields: { sku: 'b', title: 'h1', price: 'i', url: { url: true } } },
}

/** The cost of a merge. */
export interface MergeCost {
  readonly seconds: number
  /** User and system time of all threads of this process. */
  readonly cpuSeconds: number
  /** Entries of the store. */
  readonly reads: number
  readonly writes: number
}

/** A row of about 130 bytes, as JSON. */
export function rowOf(id: number, price = id % 100): Row {
  return {
    sku: `SKU-${String(id).padStart(8, '0')}`,
    title: `Fountain pen number ${id} in brass`,
    price,
    url: `https://shop.example/pens/${id}`,
  }
}

/**
 * A dataset on a store, to merge runs into; everything else than the merge is left out of what is
 * measured.
 */
export async function openDataset(store: Store) {
  const counted = { reads: 0, writes: 0 }
  const counting: Store = {
    async get(keys) {
      counted.reads += keys.length
      return store.get(keys)
    },
    async list(range) {
      const entries = await store.list(range)
      counted.reads += entries.length
      return entries
    },
    async commit(change) {
      counted.writes += (change.set?.length ?? 0) + (change.delete?.length ?? 0)
      return store.commit(change)
    },
    close: () => store.close(),
  }
  const records = createRecords(counting)
  const blobs = createMemoryBlobs()
  let runs = 0
  const created = new Change()
  records.datasets.insert(created, ACCOUNT, {
    id: DATASET,
    name: 'Bench',
    description: '',
    keyFields: ['sku'],
    gone: 'complete-runs',
    mergePartial: false,
    retention: {},
    retentionSince: null,
    createdAt: 0,
    updatedAt: 0,
  })
  records.datasetStates.put(created, ACCOUNT, emptyState(DATASET))
  await records.commit(created)

  const finish = async (task: string, rows: readonly Row[], complete: boolean): Promise<string> => {
    const id = `exec_${++runs}`
    const change = new Change()
    const segments = Math.ceil(rows.length / SEGMENT)
    for (let index = 0; index < segments; index++) {
      const part = rows.slice(index * SEGMENT, (index + 1) * SEGMENT)
      const blob = `rows/${id}/${index}.jsonl`
      await blobs.put(
        blob,
        new TextEncoder().encode(part.map((row, i) => JSON.stringify([i, row])).join('\n')),
      )
      records.segments.put(change, ACCOUNT, {
        execution: id,
        index,
        blob,
        rows: part.length,
        offset: index * SEGMENT,
      })
    }
    const times = { createdAt: runs, startedAt: runs, finishedAt: runs, updatedAt: runs }
    records.executions.insert(change, ACCOUNT, {
      id,
      taskId: task,
      recipe,
      status: 'succeeded',
      reason: null,
      retryOf: null,
      datasetId: DATASET,
      ...times,
    })
    records.progress.put(change, ACCOUNT, {
      ...emptyProgress(id),
      rows: rows.length,
      segments,
      outcomes: complete ? { fetched: 1 } : { fetched: 1, failed: 1 },
    })
    records.pendingMerges.put(change, ACCOUNT, { dataset: DATASET, at: runs, execution: id })
    await records.commit(change)
    return id
  }

  return {
    /**
     * Merges a run and says what the merge alone cost. `complete`: items of the task that it has
     * not are gone.
     */
    async merge(task: string, rows: readonly Row[], complete: boolean): Promise<MergeCost> {
      const id = await finish(task, rows, complete)
      Object.assign(counted, { reads: 0, writes: 0 })
      let counts = counted
      const { seconds, cpuSeconds } = await measure(async () => {
        const merge = new DatasetMerge({ records, blobs, digest: shortDigest }, ACCOUNT, DATASET)
        while ((await merge.step()) !== 'idle');
        counts = { ...counted }
      })
      for (let index = 0; index < Math.ceil(rows.length / SEGMENT); index++)
        await blobs.remove(`rows/${id}/${index}.jsonl`)
      return { seconds, cpuSeconds, ...counts }
    },
    async state() {
      const state = await records.datasetStates.get(ACCOUNT, DATASET)
      if (!state) throw new Error('The dataset has no state')
      return state.value
    },
  }
}
