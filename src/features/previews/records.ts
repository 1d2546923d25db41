import { shortKey } from '../../kernel/short-key.ts'
import type { Store } from '../../ports/store.ts'
import { Collection } from '../../records/collection.ts'

/** The number of a user's previews on one day, in all or of one scope. */
export interface PreviewCountRecord {
  readonly user: string
  /** UTC day, `2030-01-31`. */
  readonly day: string
  /** Id of a task or template, or `recipe`. `null`: all scopes together. */
  readonly scope: string | null
  readonly count: number
}

/** Records of preview quotas. */
export interface PreviewRecords {
  readonly previewCounts: Collection<PreviewCountRecord>
}

/** Id of a count within its account. */
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
