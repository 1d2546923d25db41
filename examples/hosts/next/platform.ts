import { createPlatform } from 'seine'
import { createSqliteStore } from 'seine/sqlite'
import { createFileBlobs } from 'seine/unstorage'

/**
 * One for the whole app; on several machines, or where there is no disk, on Postgres and object
 * storage.
 */
export const platform = createPlatform({
  store: createSqliteStore({ path: 'seine.db' }),
  blobs: createFileBlobs({ dir: 'seine-blobs' }),
  basePath: '/data',
})
