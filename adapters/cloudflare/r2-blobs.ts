import { checkOptions, plainText, required, withMethods } from '../../src/kernel/options.ts'
import { assertBlobName } from '../../src/kernel/names.ts'
import type { Blobs } from '../../src/ports/blobs.ts'
import type { R2Bucket } from './bindings.ts'

/** Options of {@link createR2Blobs}. */
export interface R2BlobsOptions {
  readonly bucket: R2Bucket
  /** Prefix of every name, such as `seine/`, for a shared bucket. Default: none. */
  readonly prefix?: string
}

/**
 * Blobs in a bucket of Cloudflare R2. Reads see writes at once, and objects may have any size.
 *
 * @example
 *   const blobsOf = (env: { readonly BLOBS: R2Bucket }) => createR2Blobs({ bucket: env.BLOBS })
 */
export function createR2Blobs(options: R2BlobsOptions): Blobs {
  checkOptions<R2BlobsOptions>('createR2Blobs', options, {
    bucket: required(withMethods('an R2 bucket', 'get', 'put', 'delete', 'list')),
    prefix: plainText,
  })
  const { bucket, prefix = '' } = options
  let isClosed = false
  const keyOf = (name: string): string => {
    assertOpen()
    assertBlobName(name)
    return prefix + name
  }
  const assertOpen = (): void => {
    if (isClosed) throw new Error('The blobs are closed')
  }
  return {
    async get(name) {
      const object = await bucket.get(keyOf(name))
      return object && new Uint8Array(await object.arrayBuffer())
    },
    async put(name, bytes) {
      // A copy, because the caller may change its bytes during the upload.
      await bucket.put(keyOf(name), new Uint8Array(bytes))
    },
    async remove(name) {
      await bucket.delete(keyOf(name))
    },
    async list(beginning) {
      assertOpen()
      const names: string[] = []
      for (let cursor: string | undefined; ;) {
        const page = await bucket.list({
          prefix: prefix + beginning,
          ...(cursor !== undefined && { cursor }),
        })
        names.push(...page.objects.map(({ key }) => key.slice(prefix.length)))
        if (!page.truncated || page.cursor === undefined) return names
        cursor = page.cursor
      }
    },
    async close() {
      isClosed = true
    },
  }
}
