/**
 * The errors that a caller can get, each with its wire code and HTTP status. Any other thrown error
 * is a defect and reaches the caller as an opaque `INTERNAL_SERVER_ERROR`.
 */
const STATUS_OF = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  PAYMENT_REQUIRED: 402,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_ACCEPTABLE: 406,
  CONFLICT: 409,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RANGE_NOT_SATISFIABLE: 416,
  UNPROCESSABLE_CONTENT: 422,
  TOO_MANY_REQUESTS: 429,
  RATE_LIMIT_EXCEEDED: 429,
  INTERNAL_SERVER_ERROR: 500,
  NOT_IMPLEMENTED: 501,
  SERVICE_UNAVAILABLE: 503,
} as const

/** A machine-readable error code; clients branch on it and on the status, never on the message. */
export type ErrorCode = keyof typeof STATUS_OF

/** The HTTP status of an error code. */
export function statusOf(code: ErrorCode): number {
  return STATUS_OF[code]
}

/** All codes. The list is closed. */
export const ERROR_CODES: readonly ErrorCode[] = Object.keys(STATUS_OF).filter(
  (code): code is ErrorCode => code in STATUS_OF,
)

/**
 * One wrong value in a request: its dotted path, such as `recipe.extract.fields.price.css`, and
 * what is wrong with it.
 */
export interface Issue {
  readonly path: string
  readonly message: string
}

/** The figures of a limit that a request reached. They are those of the message, for programs. */
export interface LimitFacts {
  /** The limited resource: `credits`, `tasks`, `bytes` and so on. */
  readonly of: string
  /** The most that the request may need. */
  readonly needed?: number
  /** The amount that is left. */
  readonly available?: number
  /** The account's limit. */
  readonly used?: number
  /** The most that it may have. */
  readonly most?: number
}

/** Extra facts of a {@link PlatformError}. */
export interface PlatformErrorOptions {
  readonly issues?: readonly Issue[]
  readonly limit?: LimitFacts
  /** Response headers that belong to this error, such as `Allow` or `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>
  /** The whole body of the answer, where clients expect another body than the envelope. */
  readonly body?: object
  readonly cause?: unknown
  /**
   * Whether the same request may succeed later. If so, the error is not stored as the request's
   * response. Default: `true` with `Retry-After`.
   */
  readonly passing?: boolean
}

/**
 * An expected failure. Its message may be shown to the caller.
 *
 * @example
 *   try {
 *     await createPlatform().api.tasks.get(
 *       { account: 'default', user: 'ann', scopes: ['*'] },
 *       'none',
 *     )
 *   } catch (error) {
 *     if (error instanceof PlatformError) console.log(error.status, error.code, error.issues) // 404 NOT_FOUND []
 *   }
 */
export class PlatformError extends Error {
  override readonly name = 'PlatformError'
  readonly code: ErrorCode
  readonly status: number
  readonly issues: readonly Issue[]
  readonly limit: LimitFacts | null
  readonly headers: Readonly<Record<string, string>>
  readonly body: object | null
  readonly passing: boolean

  constructor(code: ErrorCode, message: string, options: PlatformErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.status = STATUS_OF[code]
    this.issues = options.issues ?? []
    this.limit = options.limit ?? null
    this.headers = options.headers ?? {}
    this.body = options.body ?? null
    this.passing = options.passing ?? this.headers['Retry-After'] !== undefined
  }
}

/** Maximum number of issues in one answer: more are of no use to a reader. */
export const MOST_ISSUES = 100

/** 400 that names every wrong field, up to {@link MOST_ISSUES}, and says how many more there are. */
export function badRequest(
  all: readonly Issue[],
  message = 'The request is invalid',
): PlatformError {
  const issues = all.slice(0, MOST_ISSUES)
  const first = issues[0]
  const more =
    all.length > MOST_ISSUES
      ? ` (the first ${MOST_ISSUES} of ${all.length.toLocaleString('en')} wrong parts are named)`
      : ''
  return new PlatformError(
    'BAD_REQUEST',
    first ? `${message}: ${first.path ? `${first.path}: ` : ''}${first.message}${more}` : message,
    { issues },
  )
}

/**
 * 401, the same for every reason: it does not show whether a credential is unknown, expired,
 * revoked or wrong. An authenticator throws it if it recognises a credential that is not valid.
 * Later authenticators are then not tried.
 */
export function unauthorized(): PlatformError {
  return new PlatformError('UNAUTHORIZED', 'A valid credential is required', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  })
}

/**
 * 404 for a record that does not exist or belongs to another account. Callers must not be able to
 * tell which.
 */
export function notFound(what: string): PlatformError {
  return new PlatformError('NOT_FOUND', `${what} not found`)
}

/**
 * 404 for a capability that the environment has switched off or does not have. `issues`: the parts
 * of the request that need it. It may be switched on later, so the answer is not stored.
 */
export function switchedOff(
  issues: readonly Issue[],
  message = 'Not available here',
): PlatformError {
  const [first] = issues
  return new PlatformError(
    'NOT_FOUND',
    first ? `${message}: ${first.path}: ${first.message}` : message,
    { issues, passing: true },
  )
}

/** 409 for a change that the current state does not allow. */
export function conflict(message: string): PlatformError {
  return new PlatformError('CONFLICT', message)
}

/**
 * 409 if the account has the maximum number of something. The same request succeeds once the
 * account has fewer or a higher limit.
 */
export function overCap(message: string, limit: LimitFacts): PlatformError {
  return new PlatformError('CONFLICT', message, { passing: true, limit })
}

/** 409 for a change that conflicted with concurrent ones. A retry soon may succeed. */
export function busy(message: string): PlatformError {
  return new PlatformError('CONFLICT', message, { headers: { 'Retry-After': '1' } })
}

/**
 * 429 for a preview beyond the day's quota, with the body that clients expect for it. Its times are
 * Unix milliseconds.
 */
export function previewLimitExceeded(
  message: string,
  { resetAt, now }: { readonly resetAt: number; readonly now: number },
): PlatformError {
  return new PlatformError('TOO_MANY_REQUESTS', message, {
    body: { error: 'preview_limit_exceeded', message },
    headers: { 'Retry-After': String(Math.max(1, Math.ceil((resetAt - now) / 1_000))) },
  })
}
