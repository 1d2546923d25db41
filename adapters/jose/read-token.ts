import { isObject } from '../../src/kernel/json.ts'
import { fromBase64Url, isBase64Url } from '../../src/kernel/bytes.ts'

/** A token in the one form that is accepted, not verified yet. */
export interface ReadToken {
  readonly text: string
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
}

/** Longest token, in characters: more than issuers need, less than a server's header buffer. */
export const MAX_TOKEN_LENGTH = 8_192

const MAX_HEADER_LENGTH = 4_096
const MAX_DEPTH = 16
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const SCHEME = /^bearer $/i
const SCHEME_LENGTH = 'bearer '.length

/**
 * The token of an `Authorization` header; `null` where there is none that is a JWT in its one
 * strict form.
 */
export function readBearer(authorization: string | null): ReadToken | null {
  if (authorization === null || !SCHEME.test(authorization.slice(0, SCHEME_LENGTH))) return null
  return readToken(authorization.slice(SCHEME_LENGTH))
}

/**
 * Takes a JWS in compact form apart (RFC 7515 section 7.1). Strict, as libraries are not: of all
 * the texts that decode to the same bytes, one is accepted, so that a token cannot come back in
 * another spelling. Bounded before anything is parsed.
 */
export function readToken(text: string): ReadToken | null {
  if (text.length > MAX_TOKEN_LENGTH) return null
  const [header, payload, signature, ...rest] = text.split('.', 4)
  if (!header || !payload || !signature || rest.length > 0 || header.length > MAX_HEADER_LENGTH)
    return null
  if (!isBase64Url(signature)) return null
  const [headerValue, claims] = [readJson(header), readJson(payload)]
  return headerValue && claims && { text, header: headerValue, claims }
}

function readJson(part: string): Readonly<Record<string, unknown>> | null {
  const bytes = fromBase64Url(part)
  if (bytes === null) return null
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes))
    return isObject(value) && isShallow(value, MAX_DEPTH) ? value : null
  } catch {
    return null
  }
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth > 0 && Object.values(value).every((member) => isShallow(member, depth - 1))
}
