import type { Page } from '../../ports/page-processor.ts'

/** A page, compressed for storage. */
export interface PackedPage {
  readonly url: string
  readonly status: number
  readonly contentType: string
  /** Compressed with gzip. */
  readonly body: Uint8Array
}

/** A packed page with the time of its request. */
export interface PackedFetch extends PackedPage {
  readonly at: number
  /** True if a browser rendered it. */
  readonly rendered: boolean
}

/** Compresses a page, outside this thread if the runtime can. */
export async function packPage({
  url,
  contentType,
  body,
  status = 200,
}: Page): Promise<PackedPage> {
  return { url, status, contentType, body: await through(body, new CompressionStream('gzip')) }
}

/** Decompresses the body of a packed page. */
export function unpackBody(packed: Uint8Array): Promise<Uint8Array> {
  return through(packed, new DecompressionStream('gzip'))
}

async function through(
  bytes: Uint8Array,
  { readable, writable }: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
  const result = new Response(readable).arrayBuffer()
  const writer = writable.getWriter()
  // The reading side reports errors.
  writer.write(bytes.slice()).catch(() => {})
  writer.close().catch(() => {})
  return new Uint8Array(await result)
}
