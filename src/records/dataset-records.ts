import type { Store } from '../ports/store.ts'

/** Records of datasets. */
export interface DatasetRecords {}

/** Opens the records of datasets. */
export function openDatasetRecords(_store: Store): DatasetRecords {
  return {}
}
