import { DIGEST_LENGTH, sha256Hex } from '../kernel/crypto.ts'
import { isJson } from '../kernel/json.ts'
import { jsonPieces, jsonWeight } from '../kernel/json-pieces.ts'
import { Pace } from '../kernel/pace.ts'
import { TextWriter } from '../kernel/text/text-writer.ts'
import type { PlacedStreamOptions } from '../kernel/placed-stream.ts'
import type { Reply } from '../kernel/http/message.ts'
import type { Shown, HeaderBag } from './respond.ts'

/** Maximum number of characters of data that are written at once. */
const AT_ONCE = 1_000_000

/** Bytes that are handed to the connection at once. */
const PIECE = 262_144

/**
 * A place that a large answer holds until it is sent. The limit on places keeps readers who take
 * nothing from filling the memory.
 */
export interface AnswerPlace {
  readonly leave: () => void
  /** A stream that frees the place when it ends, or when its reader is too slow. */
  readonly stream: (
    source: Pick<PlacedStreamOptions, 'next' | 'leave'>,
  ) => ReadableStream<Uint8Array<ArrayBuffer>>
}

/** A successful answer with the same body as {@link success} gives, written in slices. */
export interface LargeAnswer {
  readonly status: number
  readonly headers: HeaderBag
  readonly body: Uint8Array<ArrayBuffer>
  /**
   * The response, with the request's own headers. The reader takes the body piece by piece, and its
   * end frees the place.
   */
  respond(reply: Reply, place: AnswerPlace): Response
}

/**
 * Writes a success that is too large to write at once on the main thread. Text and bytes are made
 * in slices, and WebCrypto computes the tag on another thread.
 *
 * @returns `null` if it is small
 */
export async function largeSuccess(
  data: object,
  { status, bodies, tagged }: Shown,
  pace = new Pace(),
): Promise<LargeAnswer | null> {
  if (!isJson(data)) return null
  const weight = jsonWeight(data, AT_ONCE)
  if (weight < AT_ONCE) return null
  const [start, end] = bodies.success === 'bare' ? ['', ''] : ['{"success":true,"data":', '}']
  const writer = new TextWriter(start.length + weight + end.length)
  writer.write(start)
  for (const piece of jsonPieces(data)) {
    writer.write(piece)
    const rest = pace.step()
    if (rest) await rest
  }
  writer.write(end)
  const body = await writer.joined(pace)
  const json = body.subarray(start.length, body.length - end.length)
  const headers: HeaderBag = tagged
    ? { ETag: `"${(await sha256Hex(json)).slice(0, DIGEST_LENGTH)}"` }
    : {}
  return { status, headers, body, respond: (reply, place) => largeResponse(body, reply, place) }
}

function largeResponse(
  body: Uint8Array<ArrayBuffer>,
  { status, headers }: Reply,
  { leave, stream: streamOf }: AnswerPlace,
): Response {
  let position = 0
  const stream = streamOf({
    next: async () => {
      const bytes = body.slice(position, position + PIECE)
      position += PIECE
      return { bytes, isLast: position >= body.length }
    },
    leave,
  })
  return new Response(stream, {
    status,
    headers: { ...headers, 'Content-Length': String(body.length) },
  })
}
