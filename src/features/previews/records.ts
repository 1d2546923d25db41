import { shortKey } from '../../kernel/short-key.ts'
import type { Store } from '../../ports/store.ts'
import { Collection } from '../../records/collection.ts'

/** Previews that a user asked for on one day: in all, or of one scope. */
export interface PreviewCountRecord {
  readonly user: string
  /** UTC day, `2030-01-31`. */
  readonly day: string
  /** Id of a task or template, or `recipe`; `null`: all together. */
  readonly scope: string | null
  readonly count: number
}

/** Records of preview quotas. */
export interface PreviewRecords {
  readonly previewCounts: Collection<PreviewCountRecord>
}

/** Where a count is kept within its account. */
export function previewCountId(user: string, day: string, scope: string | null): readonly string[] {
  return scope === null ? [shortKey(user), day] : [shortKey(user), day, shortKey(scope)]
}

/** Opens the records of preview quotas. */
export function openPreviewRecords(store: Store): PreviewRecords {
  return {
    previewCounts: new Collection<PreviewCountRecord>(store, {
      name: 'preview-counts',
      id: ({ user, day, scope }) => previewCountId(user, day, scope),
    }),
  }
}
