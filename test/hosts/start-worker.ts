import { join } from 'node:path'
import { Miniflare } from 'miniflare'
import { createD1Store, createR2Blobs, type R2Bucket } from 'seine/cloudflare'
import { bundleWorker } from '../runtimes/bundle-worker.ts'
import { COMPATIBILITY_DATE } from '../runtimes/run-worker.ts'

/** The Worker of the examples in workerd. */
export interface RunningWorker {
  readonly url: string
  /** The options of a platform on its database and its bucket. */
  open(): Promise<{
    readonly store: ReturnType<typeof createD1Store>
    readonly blobs: ReturnType<typeof createR2Blobs>
    readonly limiter: 'store'
  }>
  /** Fires the cron trigger, as Cloudflare does every minute. */
  trigger(): Promise<void>
  close(): Promise<void>
}

/** Bundles `cloudflare.ts` of a folder with the packages of a project, and starts it. */
export async function startWorker(folder: string, project: string): Promise<RunningWorker> {
  const { code } = await bundleWorker(join(folder, 'cloudflare.ts'), project)
  const miniflare = new Miniflare({
    modules: true,
    script: code,
    compatibilityDate: COMPATIBILITY_DATE,
    unsafeTriggerHandlers: true,
    d1Databases: ['DB'],
    r2Buckets: ['BLOBS'],
  })
  const url = (await miniflare.ready).origin
  return {
    url,
    async open() {
      const bucket: unknown = await miniflare.getR2Bucket('BLOBS')
      if (!isBucket(bucket)) throw new Error('That is no bucket')
      return {
        store: createD1Store({ database: await miniflare.getD1Database('DB') }),
        blobs: createR2Blobs({ bucket }),
        limiter: 'store',
      }
    },
    async trigger() {
      const triggered = await miniflare.dispatchFetch(`${url}/cdn-cgi/handler/scheduled`)
      if (!triggered.ok) throw new Error(`The trigger answered with ${triggered.status}`)
    },
    close: () => miniflare.dispose(),
  }
}

/** Miniflare's own types of buckets need those of Cloudflare. */
function isBucket(value: unknown): value is R2Bucket {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['get', 'put', 'delete', 'list'].every((name) => name in value)
  )
}
