import {
  createD1Store,
  createDurableObjectStore,
  createR2Blobs,
  type D1Database,
  type ObjectNamespace,
  type ObjectState,
  type R2Bucket,
} from 'seine/cloudflare'
import { createUnstorageBlobs } from 'seine/unstorage'
import { createStorage } from 'unstorage'
import r2Driver from 'unstorage/drivers/cloudflare-r2-binding'
import { blobsContract } from '../../contracts/blobs.ts'
import { storeContract } from '../../contracts/store.ts'
import { createManualClock } from '../contracts/manual-clock.ts'
import { runDescribed } from '../contracts/vitest.ts'

// Tests the stores of Cloudflare by their contract, in workerd: each test has an object, or a
// database, that was emptied for it. The suites are imported from their files, as `seine/testing`
// also has a suite that serves HTTP.

interface Env {
  readonly SEINE: ObjectNamespace
  readonly DB: D1Database
  readonly BLOBS: R2Bucket
}

const TABLES = ['seine_entries', 'seine_meta'] as const

/** Runs the suite of Durable Object storage, as only the object itself can reach it. */
export class PlatformObject {
  readonly #storage: ObjectState['storage']

  constructor({ storage }: ObjectState) {
    this.#storage = storage
  }

  async fetch(): Promise<Response> {
    storeContract('createDurableObjectStore', async () => {
      const clock = createManualClock()
      for (const table of TABLES) this.#storage.sql.exec(`DROP TABLE IF EXISTS ${table}`)
      const open = () => createDurableObjectStore({ storage: this.#storage, clock })
      return { store: open(), clock, reopen: async () => open() }
    })
    return Response.json({ outcomes: await runDescribed() })
  }
}

export default {
  async fetch(request: Request, { SEINE, DB, BLOBS }: Env): Promise<Response> {
    if (new URL(request.url).pathname === '/object')
      return SEINE.getByName('contract').fetch(request)
    storeContract('createD1Store', async () => {
      const clock = createManualClock()
      await DB.batch(TABLES.map((table) => DB.prepare(`DROP TABLE IF EXISTS ${table}`)))
      const open = () => createD1Store({ database: DB, clock })
      return { store: open(), clock, reopen: async () => open() }
    })
    let folders = 0
    blobsContract('createR2Blobs', async () => {
      const prefix = `${folders++}/`
      return {
        blobs: createR2Blobs({ bucket: BLOBS, prefix }),
        reopen: async () => createR2Blobs({ bucket: BLOBS, prefix }),
      }
    })
    blobsContract('createUnstorageBlobs on R2', async () => {
      const base = `unstorage-${folders++}`
      const open = () =>
        createUnstorageBlobs({
          storage: createStorage({ driver: r2Driver({ binding: BLOBS, base }) }),
        })
      return { blobs: open(), reopen: async () => open() }
    })
    return Response.json({ outcomes: await runDescribed() })
  },
}
