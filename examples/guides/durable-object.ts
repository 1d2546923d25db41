import { createPlatform } from 'seine'
import {
  createDurableObjectStore,
  createR2Blobs,
  serveObject,
  type ObjectNamespace,
  type R2Bucket,
} from 'seine/cloudflare'

interface Env {
  readonly SEINE: ObjectNamespace // a class of `new_sqlite_classes`
  readonly BLOBS: R2Bucket
}

const { PlatformObject, worker } = serveObject<Env>({
  namespace: ({ SEINE }) => SEINE,
  platform: ({ BLOBS }, storage) =>
    createPlatform({
      store: createDurableObjectStore({ storage }),
      blobs: createR2Blobs({ bucket: BLOBS }),
      limiter: 'store',
    }),
})
export { PlatformObject }
export default worker
