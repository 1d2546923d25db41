import type { Page } from '../../ports/page-processor.ts'

/** A page that waits to be kept. */
export interface PackedPage {
  readonly url: string
  readonly status: number
  readonly contentType: string
  /** In gzip. */
  readonly body: Uint8Array
}

/** A packed page with the time at which it was asked for. */
export interface FetchedPage extends PackedPage {
  readonly at: number
  /** Whether a browser has made it. */
  readonly rendered: boolean
}

/** Makes a page small, away from this thread where the runtime can. */
export async function packPage({
  url,
  contentType,
  body,
  status = 200,
}: Page): Promise<PackedPage> {
  return { url, status, contentType, body: await through(body, new CompressionStream('gzip')) }
}

/** The bytes of a page that was made small. */
export function unpackBody(packed: Uint8Array): Promise<Uint8Array> {
  return through(packed, new DecompressionStream('gzip'))
}

async function through(
  bytes: Uint8Array,
  { readable, writable }: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
  const result = new Response(readable).arrayBuffer()
  const writer = writable.getWriter()
  // What goes wrong is said by the other end.
  writer.write(bytes.slice()).catch(() => {})
  writer.close().catch(() => {})
  return new Uint8Array(await result)
}
