import type { Store } from '../ports/store.ts'

/** Records of media items. */
export interface MediaRecords {}

/** Opens the records of media items. */
export function openMediaRecords(_store: Store): MediaRecords {
  return {}
}
