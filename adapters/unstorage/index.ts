import { checkOptions, required, nonEmpty, oneOf } from '../../src/kernel/options.ts'
import { createStorage } from 'unstorage'
import { assertBlobName } from '../../src/kernel/names.ts'
import { joinedInSlices } from '../../src/kernel/pace.ts'
import type { Blobs } from '../../src/ports/blobs.ts'
import { blobKey, blobName, folderKey } from './blob-key.ts'
import { RAW_STORAGE, bytesOf } from './raw-storage.ts'
import type { RawStorage } from './raw-storage.ts'

import { fileWriter, readFile, removeFile } from './blob-files.ts'

export type { RawStorage } from './raw-storage.ts'
export { createUnstorageStore, type UnstorageStoreOptions } from './unstorage-store.ts'

/** Options of {@link createUnstorageBlobs}. */
export interface UnstorageBlobsOptions {
  /** A storage, or a mount, of its own. */
  readonly storage: RawStorage
}

/**
 * Blobs on any unstorage storage whose driver carries raw bytes. Give it a storage, or a mount, of
 * its own. `close` disposes of the storage.
 *
 * @example
 *   import { createStorage } from 'unstorage'
 *   import redisDriver from 'unstorage/drivers/redis'
 *
 *   const blobs = createUnstorageBlobs({
 *     storage: createStorage({ driver: redisDriver({ url: 'redis://localhost:6379' }) }),
 *   })
 */
export function createUnstorageBlobs(options: UnstorageBlobsOptions): Blobs {
  checkOptions<UnstorageBlobsOptions>('createUnstorageBlobs', options, {
    storage: required(RAW_STORAGE),
  })
  return blobsOn(options.storage)
}

/** `isFresh`: what the storage returns belongs to the caller. */
function blobsOn(storage: RawStorage, isFresh = false): Blobs {
  let closing: Promise<void> | undefined
  const keyOf = (name: string): string => {
    assertOpen()
    assertBlobName(name)
    return blobKey(name)
  }
  const assertOpen = (): void => {
    if (closing) throw new Error('The blobs are closed')
  }
  return {
    async get(name) {
      const bytes = bytesOf(await storage.getItemRaw(keyOf(name)))
      // A copy, because some drivers return the bytes that they hold.
      return bytes && !isFresh ? joinedInSlices([bytes], bytes.length) : bytes
    },
    async put(name, bytes) {
      // A copy, because some drivers hold the bytes that they get.
      await storage.setItemRaw(keyOf(name), await joinedInSlices([bytes], bytes.length))
    },
    async remove(name) {
      await storage.removeItem(keyOf(name))
    },
    async list(prefix) {
      assertOpen()
      const keys = await storage.getKeys(folderKey(prefix))
      return keys.flatMap((key) => {
        const name = blobName(key)
        return name?.startsWith(prefix) ? [name] : []
      })
    },
    close: () => (closing ??= storage.dispose()),
  }
}

/** Options of {@link createFileBlobs}. */
export interface FileBlobsOptions {
  /** The folder. */
  readonly dir: string
  /**
   * `normal` (default): a put survives the end of the process; a power loss may lose the last ones,
   * also where the store has their records. `full`: the bytes are on the disk before the put ends.
   * Use it together with `durability: 'full'` of a store on SQLite.
   */
  readonly durability?: 'normal' | 'full'
}

/**
 * Blobs as files below a folder, which is made when the first one is written. On Node, Bun and
 * Deno.
 *
 * @example
 *   const platform = createPlatform({ blobs: createFileBlobs({ dir: 'data/blobs' }) })
 */
export function createFileBlobs(options: FileBlobsOptions): Blobs {
  checkOptions<FileBlobsOptions>('createFileBlobs', options, {
    dir: required(nonEmpty),
    durability: oneOf('normal', 'full'),
  })
  const { dir, durability = 'normal' } = options
  // Loaded on first use, so that this module also loads on runtimes without files.
  const open = async (base: string): Promise<RawStorage> => {
    const { default: fsLiteDriver } = await import('unstorage/drivers/fs-lite')
    return createStorage({ driver: fsLiteDriver({ base }) })
  }
  let opened: Promise<RawStorage> | undefined
  const files = (): Promise<RawStorage> => (opened ??= open(dir))
  const storage: RawStorage = {
    getItemRaw: (key) => readFile(dir, key),
    setItemRaw: fileWriter(dir, durability),
    // The driver treats an error as a success.
    removeItem: (key) => removeFile(dir, key),
    // The driver walks the whole tree, whatever the base. So only the folder is searched here.
    async getKeys(base = '') {
      if (base === '') return (await files()).getKeys()
      const folder = await open(`${dir}/${base.replaceAll(':', '/')}`)
      const keys = await folder.getKeys()
      return keys.map((key) => `${base}:${key}`)
    },
    dispose: async () => opened?.then((driver) => driver.dispose()),
  }
  return blobsOn(storage, true)
}
