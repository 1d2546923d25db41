import { FetchFailure } from '../../src/kernel/failures.ts'
import type { FetchFailureReason } from '../../src/kernel/failures.ts'

const KNOWN: Readonly<Record<string, readonly [FetchFailureReason, string]>> = {
  ECONNREFUSED: ['connection', 'The connection was refused.'],
  ECONNRESET: ['connection', 'The connection was reset.'],
  ECONNABORTED: ['connection', 'The connection was reset.'],
  EPIPE: ['connection', 'The connection was reset.'],
  EHOSTUNREACH: ['connection', 'The host is unreachable.'],
  ENETUNREACH: ['connection', 'The network is unreachable.'],
  ETIMEDOUT: ['timeout', 'The connection timed out.'],
  ENOTFOUND: ['dns', 'The host name was not found.'],
  EAI_AGAIN: ['dns', 'The host name could not be resolved at this time.'],
  HPE_HEADER_OVERFLOW: ['protocol', 'The header of the response is too large.'],
  CERT_HAS_EXPIRED: ['tls', 'The certificate has expired.'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['tls', 'The certificate is for another host.'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['tls', 'The certificate is self-signed.'],
  SELF_SIGNED_CERT_IN_CHAIN: ['tls', 'The certificate is self-signed.'],
}

// Codes of OpenSSL's certificate checks and of Node's TLS layer.
const TLS = new RegExp(
  '^(?:ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|' +
    'PATH_LENGTH|CRL_|ERROR_IN_C|EPROTO)',
)
const DNS = /^(?:EAI_|ENODATA|ESERVFAIL|EFORMERR|EREFUSED|EBADNAME|EBADRESP|ENOTIMP)/
const PROTOCOL =
  /^(?:HPE_|ERR_HTTP|ERR_INVALID|ERR_UNESCAPED|Z_|ERR_BUFFER|ERR__ERROR_FORMAT|ERR_BROTLI|ERR_ZSTD|ZSTD_)/

/** The error of a request that was cancelled. */
export function cancelled(): FetchFailure {
  return new FetchFailure('aborted', 'The request was cancelled.')
}

/**
 * The failure behind an error of Node's network modules. Its own message and cause are left out,
 * because they name addresses.
 */
export function failureOf(error: unknown): FetchFailure {
  if (error instanceof FetchFailure) return error
  const code = codeOf(error)
  const failure = KNOWN[code]
  if (failure !== undefined) return new FetchFailure(...failure)
  if (TLS.test(code))
    return new FetchFailure('tls', `No secure connection could be made (${code}).`)
  if (DNS.test(code))
    return new FetchFailure('dns', `The host name could not be resolved (${code}).`)
  if (PROTOCOL.test(code))
    return new FetchFailure('protocol', `The response is not valid HTTP (${code}).`)
  return new FetchFailure(
    'connection',
    code === '' ? 'The connection failed.' : `The connection failed (${code}).`,
  )
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : ''
}
