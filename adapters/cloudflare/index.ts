/**
 * Seine on Cloudflare Workers: on Durable Objects or on D1, with blobs in R2, and limits in Durable
 * Objects.
 */
export type { ServedPlatform } from './answer.ts'
export { serve, type ServeOptions, type WorkerModule } from './serve.ts'
export {
  serveObject,
  type PlatformObject,
  type ServedObject,
  type ServeObjectOptions,
} from './serve-object.ts'
export { createDurableObjectStore, type DurableObjectStoreOptions } from './object-store.ts'
export { createD1Store, type D1StoreOptions } from './d1-store.ts'
export { createObjectLimiter, type ObjectLimiterOptions } from './object-limiter.ts'
export { LimiterObject } from './limiter-object.ts'
export { createR2Blobs, type R2BlobsOptions } from './r2-blobs.ts'
export type {
  D1Database,
  D1Result,
  D1Statement,
  EventContext,
  ObjectCursor,
  ObjectNamespace,
  ObjectState,
  ObjectStorage,
  R2Bucket,
  R2Listing,
} from './bindings.ts'
