import { Redis } from 'ioredis'
import postgres from 'postgres'
import { createPlatform, type Platform } from 'seine'
import { createBullmqQueue } from 'seine/bullmq'
import { createPostgresStore } from 'seine/postgres'
import { createFileBlobs } from 'seine/unstorage'

const {
  DATABASE_URL,
  REDIS_URL,
  BLOBS_DIR = '.seine/blobs',
  API_KEY,
  LEASE_MS = '15000',
  SHARE = '4',
  ALLOW_PRIVATE_NETWORK,
} = process.env

//#region mounting
/**
 * The parts that all processes of the example share: the same records, the same blobs, the same
 * queue. `close` ends its clients, too.
 */
export function openPlatform(): Platform {
  // Without a URL: PGHOST, PGUSER and so on.
  const client = DATABASE_URL
    ? postgres(DATABASE_URL, { onnotice: () => {} })
    : postgres({ onnotice: () => {} })
  const redis = REDIS_URL ? new Redis(REDIS_URL, { maxRetriesPerRequest: null }) : null
  const leaseMs = Number(LEASE_MS)
  const platform = createPlatform({
    store: createPostgresStore({ client }),
    // A folder that all machines reach; or createS3Blobs() of seine/s3.
    blobs: createFileBlobs({ dir: BLOBS_DIR }),
    // Without Redis the jobs are on Postgres, too.
    ...(redis && { queue: createBullmqQueue({ server: { redis }, leaseMs }) }),
    // So many processes visit the pages of one execution, each host in one of them.
    worker: { share: Number(SHARE), leaseMs },
    limiter: 'store',
    authenticators: [
      async (request) =>
        API_KEY && request.headers.get('authorization') === `Bearer ${API_KEY}`
          ? { account: 'acme', user: 'ann', scopes: ['*'] }
          : null,
    ],
    allowPrivateNetwork: ALLOW_PRIVATE_NETWORK === '1',
  })
  return {
    ...platform,
    async close() {
      await platform.close()
      await Promise.all([client.end(), redis?.quit()])
    },
  }
}
//#endregion
