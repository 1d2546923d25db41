import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import { FetchFailure } from '../../src/kernel/failures.ts'
import { BodyCollector } from './body-collector.ts'

/** A content coding that can be undone here. */
export type DecodableCoding = 'gzip' | 'deflate' | 'br' | 'zstd'

/** Decoded bytes, cut at a cap. */
export interface Decoded {
  readonly body: Uint8Array
  readonly truncated: boolean
}

// Runtimes older than Node 22.15 have no zstd.
const hasZstd = typeof zlib.createZstdDecompress === 'function'

/** The value of `Accept-Encoding`: the codings that this runtime decodes. */
export const ACCEPT_ENCODING = hasZstd ? 'gzip, deflate, br, zstd' : 'gzip, deflate, br'

// Decoding in one call on this thread is many times cheaper than a stream, but must not block the
// event loop for long.
const MAX_SYNC_INPUT = 256 * 1024
const MAX_SYNC_OUTPUT = 2 * 1024 * 1024
const MAX_CODINGS = 2

// A body that ends early is decoded as far as it goes, as in browsers.
const FLUSH = { finishFlush: zlib.constants.Z_SYNC_FLUSH }
const BROTLI_FLUSH = { finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH }
const ZSTD_FLUSH = { finishFlush: zlib.constants.ZSTD_e_flush }

/**
 * The codings of a `Content-Encoding` header in the order to undo them; unknown ones are ignored,
 * as in browsers.
 *
 * @throws {FetchFailure} `protocol`
 */
export function codingsOf(header: string): readonly DecodableCoding[] {
  const codings: DecodableCoding[] = []
  for (const part of header.split(',')) {
    const coding = NAMES.get(part.trim().toLowerCase())
    if (coding === 'zstd' && !hasZstd)
      throw new FetchFailure(
        'protocol',
        'The content is encoded as zstd, which this runtime cannot decode.',
      )
    if (coding !== undefined) codings.unshift(coding)
  }
  if (codings.length > MAX_CODINGS)
    throw new FetchFailure('protocol', `The content is encoded more than ${MAX_CODINGS} times.`)
  return codings
}

const NAMES: ReadonlyMap<string, DecodableCoding> = new Map([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
  ['zstd', 'zstd'],
])

/**
 * Undoes the codings of a whole body. Memory is limited to the cap and one buffer, whatever the
 * input claims.
 *
 * @throws {FetchFailure} `protocol`
 */
export async function decode(
  encoded: Uint8Array,
  codings: readonly DecodableCoding[],
  maxBytes: number,
): Promise<Decoded> {
  if (encoded.byteLength === 0) return { body: encoded, truncated: false }
  return decodeSync(encoded, codings, maxBytes) ?? decodeStream(encoded, codings, maxBytes)
}

function decodeSync(
  encoded: Uint8Array,
  codings: readonly DecodableCoding[],
  maxBytes: number,
): Decoded | null {
  // zlib does not accept a cap of 0.
  if (encoded.byteLength > MAX_SYNC_INPUT || maxBytes === 0) return null
  const cap = Math.min(maxBytes, MAX_SYNC_OUTPUT)
  try {
    let body = encoded
    for (const coding of codings) body = inflateNow(coding, body, cap)
    return { body: new Uint8Array(body.buffer, body.byteOffset, body.byteLength), truncated: false }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')
      return null
    throw undecodable()
  }
}

function inflateNow(
  coding: DecodableCoding,
  bytes: Uint8Array,
  maxOutputLength: number,
): Uint8Array {
  if (coding === 'gzip') return zlib.gunzipSync(bytes, { ...FLUSH, maxOutputLength })
  if (coding === 'br') return zlib.brotliDecompressSync(bytes, { ...BROTLI_FLUSH, maxOutputLength })
  if (coding === 'zstd') return zlib.zstdDecompressSync(bytes, { ...ZSTD_FLUSH, maxOutputLength })
  return isZlib(bytes)
    ? zlib.inflateSync(bytes, { ...FLUSH, maxOutputLength })
    : zlib.inflateRawSync(bytes, { ...FLUSH, maxOutputLength })
}

function decoderOf(coding: DecodableCoding, firstBytes: Uint8Array | null): Transform {
  if (coding === 'gzip') return zlib.createGunzip(FLUSH)
  if (coding === 'br') return zlib.createBrotliDecompress(BROTLI_FLUSH)
  if (coding === 'zstd') return zlib.createZstdDecompress(ZSTD_FLUSH)
  return firstBytes === null || isZlib(firstBytes)
    ? zlib.createInflate(FLUSH)
    : zlib.createInflateRaw(FLUSH)
}

// `deflate` means the zlib format (RFC 9110, 8.4.1.2), but some servers send it without its header.
function isZlib(bytes: Uint8Array): boolean {
  const [first = 0, second = 0] = bytes
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0
}

function decodeStream(
  encoded: Uint8Array,
  codings: readonly DecodableCoding[],
  maxBytes: number,
): Promise<Decoded> {
  return new Promise((resolve, reject) => {
    const decoders = codings.map((coding, index) => decoderOf(coding, index === 0 ? encoded : null))
    const collector = new BodyCollector(0, maxBytes)
    const stop = () => {
      for (const decoder of decoders) decoder.destroy()
    }
    for (const [position, decoder] of decoders.entries()) {
      decoder.on('error', () => {
        stop()
        reject(undecodable())
      })
      const next = decoders[position + 1]
      if (next !== undefined) decoder.pipe(next)
    }
    const last = decoders.at(-1)
    last?.on('data', (chunk: Buffer) => {
      collector.add(chunk)
      if (collector.length <= maxBytes) return
      stop()
      resolve({ body: collector.whole(), truncated: true })
    })
    last?.on('end', () => resolve({ body: collector.whole(), truncated: false }))
    decoders[0]?.end(encoded)
  })
}

function undecodable(): FetchFailure {
  return new FetchFailure('protocol', 'The content is not encoded as its header says.')
}
