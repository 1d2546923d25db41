/**
 * Bulk bytes by name: row segments, page snapshots, media, finished exports. A put is not part of a
 * commit: write under a new name, then commit the name. An interrupted put leaves the blob
 * unchanged, whole or absent. Names are `/`-separated segments, case-sensitive; `assertBlobName`
 * (kernel/names) refuses invalid names with a `TypeError`.
 */
export interface Blobs {
  /** `null` if absent. */
  get(name: string): Promise<Uint8Array | null>
  put(name: string, bytes: Uint8Array): Promise<void>
  /** Removing an absent blob is not an error. */
  remove(name: string): Promise<void>
  /** Names that begin with `prefix`, in any order. */
  list(prefix: string): Promise<string[]>
  /** Idempotent. */
  close(): Promise<void>
}
