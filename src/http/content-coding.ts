import { PlatformError } from '../kernel/errors.ts'
import type { Incoming } from '../kernel/http/message.ts'

/** A coding that answers can have. */
export type Coding = 'gzip' | 'identity'

const MOST_CODINGS = 50
const CODING = /^\s*([\w!#$%&'*+.^`|~-]+)\s*(?:;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i

/**
 * The quality of each coding. `identity` is `null` if the header does not name it; it is then
 * accepted.
 */
interface Welcome {
  readonly gzip: number
  readonly identity: number | null
}

/**
 * Returns the coding that `Accept-Encoding` asks for (RFC 9110 section 12.5.3); `null` if it
 * refuses both. If both have the same quality, gzip wins, because the client has named it. Without
 * the header no coding is used; invalid parts are ignored.
 */
export function chooseCoding(header: string | null): Coding | null {
  const { gzip, identity } = welcomeOf(header)
  if (gzip > 0 && gzip >= (identity ?? 0)) return 'gzip'
  return identity === 0 ? null : 'identity'
}

/**
 * The coding that `Accept-Encoding` asks for.
 *
 * @param refuse Called before the error is thrown.
 * @throws {PlatformError} 406 where every coding is refused
 */
export function demandCoding(header: string | null, refuse?: () => unknown): Coding {
  const coding = chooseCoding(header)
  if (coding !== null) return coding
  refuse?.()
  throw new PlatformError(
    'NOT_ACCEPTABLE',
    'The response is available as gzip or uncompressed, and Accept-Encoding excludes both',
  )
}

function welcomeOf(header: string | null): Welcome {
  const weights = new Map<string, number>()
  for (const part of header?.split(',', MOST_CODINGS) ?? []) {
    const [, name = '', weight = '1'] = CODING.exec(part.toLowerCase()) ?? []
    const coding = name === 'x-gzip' ? 'gzip' : name
    if (coding !== '') weights.set(coding, Math.max(Number(weight), weights.get(coding) ?? 0))
  }
  const others = weights.get('*')
  return {
    gzip: weights.get('gzip') ?? others ?? 0,
    identity: weights.get('identity') ?? others ?? null,
  }
}

/**
 * Returns the answer in the coding that the request asks for. An incompressible body is unchanged,
 * unless the request refuses `identity`. If the body breaks off, the compressed body breaks off
 * without its end.
 *
 * @throws {PlatformError} 406 where every coding is refused
 */
export function encodeBody(
  response: Response,
  request: Incoming,
  compressible: readonly string[],
): Response {
  const header = request.headers.get('accept-encoding')
  const coding = demandCoding(header, () => response.body?.cancel().catch(() => undefined))
  const headers = new Headers(response.headers)
  headers.append('Vary', 'Accept-Encoding')
  const type = (headers.get('content-type') ?? '').split(';')[0]?.trim() ?? ''
  const isWorthwhile = compressible.includes(type) || welcomeOf(header).identity === 0
  if (coding === 'identity' || !isWorthwhile || response.body === null)
    return new Response(response.body, { status: response.status, headers })
  headers.set('Content-Encoding', 'gzip')
  headers.delete('Content-Length')
  return new Response(response.body.pipeThrough(new CompressionStream('gzip')), {
    status: response.status,
    headers,
  })
}
