import { createPlatform } from 'seine'
import {
  createD1Store,
  createObjectLimiter,
  createR2Blobs,
  serve,
  type D1Database,
  type ObjectNamespace,
  type R2Bucket,
} from 'seine/cloudflare'

export { LimiterObject } from 'seine/cloudflare' // what LIMITS binds; a class of `new_sqlite_classes`

interface Env {
  readonly DB: D1Database
  readonly BLOBS: R2Bucket
  readonly LIMITS: ObjectNamespace
}

// With crons = ["* * * * *"] in wrangler.toml.
export default serve<Env>({
  platform: ({ DB, BLOBS, LIMITS }) =>
    createPlatform({
      store: createD1Store({ database: DB }),
      blobs: createR2Blobs({ bucket: BLOBS }),
      limiter: createObjectLimiter({ namespace: LIMITS }),
    }),
})
