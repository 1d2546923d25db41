import { withMethods } from '../../src/kernel/options.ts'

/** The part of an unstorage `Storage` that is used. */
export interface RawStorage {
  getItemRaw(key: string): Promise<unknown>
  setItemRaw(key: string, value: Uint8Array): Promise<void>
  removeItem(key: string): Promise<void>
  /** Full keys at or below `base`. */
  getKeys(base?: string): Promise<string[]>
  dispose(): Promise<void>
}

/** The check of an option that is a storage. */
export const RAW_STORAGE = withMethods(
  'a storage of unstorage',
  'getItemRaw',
  'setItemRaw',
  'removeItem',
  'getKeys',
  'dispose',
)

/**
 * Returns the bytes that a driver read. They may be the bytes that a memory driver holds.
 *
 * @throws {TypeError} if the driver turns bytes into something else.
 */
export function bytesOf(raw: unknown): Uint8Array | null {
  if (raw === null || raw === undefined) return null
  if (raw instanceof Uint8Array) return raw
  if (raw instanceof ArrayBuffer) return new Uint8Array(raw)
  throw new TypeError('The storage driver does not carry raw bytes')
}
