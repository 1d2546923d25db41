/**
 * The claims of a token that was verified (RFC 7519 section 4). All but those named here are as the
 * issuer wrote them.
 */
export interface JwtClaims {
  readonly iss: string
  readonly sub: string
  /** Unix seconds. */
  readonly exp: number
  /** Unix seconds. */
  readonly iat: number
  readonly [name: string]: unknown
}
