import { createPlatform } from 'seine'
import { createDurableObjectStore, serveObject, type ObjectNamespace } from 'seine/cloudflare'
import { bench, silent } from './options.ts'

// API, store and worker in a Durable Object on disk.
const { PlatformObject, worker } = serveObject<{ readonly SEINE: ObjectNamespace }>({
  namespace: ({ SEINE }) => SEINE,
  platform: (_, storage) =>
    createPlatform({
      store: createDurableObjectStore({ storage }),
      authenticators: [bench],
      logger: silent,
    }),
})

export { PlatformObject }
export default worker
