import type { Store } from '../ports/store.ts'

/** Records of preview quotas. */
export interface PreviewRecords {}

/** Opens the records of preview quotas. */
export function openPreviewRecords(_store: Store): PreviewRecords {
  return {}
}
