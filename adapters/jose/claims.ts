/**
 * The claims of a verified token (RFC 7519 section 4). Claims other than those listed here are
 * unchanged from the token.
 */
export interface JwtClaims {
  readonly iss: string
  readonly sub: string
  /** Unix seconds. */
  readonly exp: number
  /** Unix seconds. Absent only with `withoutIat`. */
  readonly iat?: number
  readonly [name: string]: unknown
}

const MAX_LENGTH = 256

/**
 * True for a well-formed Unicode text of 1 to 256 characters without control characters. Two such
 * texts never share a store key.
 */
export function isCleanText(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length <= MAX_LENGTH &&
    value.trim() !== '' &&
    value.isWellFormed() &&
    !/[\0-\x1f\x7f-\x9f]/.test(value)
  )
}
