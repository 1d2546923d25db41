import { PlatformError, badRequest } from '../kernel/errors.ts'
import type { RequestHeaders, Incoming } from '../kernel/http/message.ts'
import { DEEPEST, isTooDeep } from '../kernel/json-depth.ts'
import { MOST_VALUES, beyondBounds, tooManyValues, checkSchema } from '../kernel/schema.ts'
import { readCapped, turnToParse } from '../kernel/http/message.ts'
import type { Issue } from '../kernel/errors.ts'
import { pathPart } from '../kernel/names.ts'
import { SlowReaderError } from '../kernel/placed-stream.ts'
import type { Logger } from '../ports/logger.ts'
import { safeParse } from 'valibot'
import type { GenericSchema } from 'valibot'
import { accepts } from '../kernel/http/headers.ts'
import { isObject } from '../kernel/json.ts'

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;\s*charset="?utf-8"?\s*)?$/i
const PLAIN = /^(?:identity)?$/i
const decoder = new TextDecoder('utf-8', { fatal: true })
/**
 * A body of at least this many bytes is parsed in one turn of the event loop and validated in the
 * next.
 */
const LARGE = 65_536
const ABORT_EARLY = { abortEarly: true } as const
const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c]

/** A body that was read. */
export interface ReadBody {
  /** `undefined`: the request has no body. */
  readonly value: unknown
  /** In bytes; 0 if it was not read here. */
  readonly length: number
}

/**
 * Reads a JSON body of at most `maxBytes`. Large bodies of several accounts are parsed in turns.
 *
 * @throws {PlatformError} 413 before more than `maxBytes` are buffered, 415 for another content
 *   type or coding, 400 for a body that is not a JSON object, is deeper than 64 levels, has more
 *   than 30,000 values, or holds numbers that JavaScript cannot represent.
 */
export async function readBody(
  request: Incoming,
  maxBytes: number,
  account = '',
): Promise<ReadBody> {
  if ('parsedBody' in request && request.parsedBody)
    return { value: checkedBody(request.parsedBody), length: 0 }
  const bytes = await readCapped(request, maxBytes)
  if (bytes === null) throw tooLarge(maxBytes)
  const { length } = bytes
  if (length === 0) return { value: undefined, length }
  if (!JSON_TYPE.test(request.headers.get('content-type') ?? '')) {
    throw new PlatformError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The body must be JSON: send Content-Type: application/json',
      { headers: { Accept: 'application/json' } },
    )
  }
  // RFC 9110 section 15.5.16: the answer names the accepted codings.
  if (!PLAIN.test(request.headers.get('content-encoding') ?? '')) {
    throw new PlatformError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The body must not be compressed: send no Content-Encoding',
      { headers: { 'Accept-Encoding': 'identity' } },
    )
  }
  const turn = turnToParse(bytes, () => account)
  if (turn) await turn
  const text = textOf(bytes)
  if (length > LARGE && hasMoreCommas(text, MOST_VALUES))
    throw badRequest([{ path: '', message: `the body ${tooManyValues(MOST_VALUES)}` }])
  // Parsing a megabyte of brackets may take a second.
  if (length > LARGE && isTooDeep(text)) throw badRequest([TOO_DEEP])
  const value = parse(text)
  if (!isObject(value)) throw badRequest([{ path: '', message: 'the body must be a JSON object' }])
  checkedBody(value)
  const next = turnToParse(bytes, () => account)
  if (next) await next
  else if (length > LARGE) await (await import('../kernel/pace.ts')).nextTurn()
  return { value, length }
}

/** @throws {PlatformError} 400 for values that are too many, too deep or not safe */
function checkedBody(value: object): object {
  const beyond = beyondBounds(value)
  if (beyond !== null) throw badRequest([{ path: '', message: `the body ${beyond}` }])
  const unsafe = findUnsafe(value)
  if (unsafe) throw badRequest([unsafe])
  return value
}

/** Matches an empty object, with white space around it. */
const MOST_EMPTY = 64

/**
 * Refuses a body where the operation takes no body: the request would not do what the body says. An
 * empty JSON object counts as no body.
 *
 * @throws {PlatformError} 400
 */
export async function demandNoBody(request: Incoming): Promise<undefined> {
  const bytes = await readCapped(request, MOST_EMPTY)
  if (bytes === null || !/^(?:\{\s*\})?$/.test(textOf(bytes).trim()))
    throw badRequest([{ path: '', message: 'this operation takes no body' }])
}

function textOf(bytes: Uint8Array | string): string {
  try {
    return typeof bytes === 'string' ? bytes : decoder.decode(bytes)
  } catch {
    throw badRequest([{ path: '', message: 'the body is not valid UTF-8' }])
  }
}

/**
 * Returns true if a text has more than `most` commas outside its strings. Each comma means one more
 * value, and counting them costs a tenth of parsing.
 */
function hasMoreCommas(text: string, most: number): boolean {
  let left = most
  for (let position = 0; position < text.length && left >= 0; position++) {
    const code = text.charCodeAt(position)
    if (code === COMMA) left--
    else if (code === QUOTE) {
      position = text.indexOf('"', position + 1)
      while (isEscaped(text, position)) position = text.indexOf('"', position + 1)
      if (position === -1) return false
    }
  }
  return left < 0
}

/** Returns true if the quote at this index is escaped: an odd number of backslashes precedes it. */
function isEscaped(text: string, position: number): boolean {
  let from = position
  while (text.charCodeAt(from - 1) === BACKSLASH) from--
  return position !== -1 && (position - from) % 2 === 1
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    // The message is not shown whole, because some engines repeat a part of the body in it.
    const [, position] = /position (\d+)/.exec(error instanceof Error ? error.message : '') ?? []
    const where = position === undefined ? '' : `, from character ${Number(position) + 1} on`
    throw badRequest([{ path: '', message: `the body is not valid JSON${where}` }])
  }
}

function tooLarge(maxBytes: number): PlatformError {
  return new PlatformError('PAYLOAD_TOO_LARGE', `The body is larger than ${maxBytes} bytes`)
}

const TOO_DEEP: Issue = { path: '', message: `the body is deeper than ${DEEPEST} levels` }

/**
 * Finds the first value in a JSON value that cannot be stored exactly, or that is unsafe for code.
 * `null`: all values are safe.
 */
function findUnsafe(value: unknown, depth = 1): Issue | null {
  switch (typeof value) {
    case 'number':
      if (!Number.isFinite(value)) return { path: '', message: 'is not a finite number' }
      return Number.isInteger(value) && !Number.isSafeInteger(value)
        ? {
            path: '',
            message: 'is a whole number beyond 2^53, which would be rounded; send it as a text',
          }
        : null
    case 'string':
      return value.isWellFormed() ? null : { path: '', message: 'is not well-formed Unicode' }
    case 'object':
      return value === null ? null : inside(value, depth)
    default:
      return null
  }
}

// The path is built while the recursion returns, so a valid body costs nothing.
function inside(value: object, depth: number): Issue | null {
  if (depth > DEEPEST) return TOO_DEEP
  const isList = Array.isArray(value)
  for (const key in value) {
    if (!isList && key === '__proto__') return { path: key, message: 'is not allowed as a name' }
    if (!isList && !key.isWellFormed())
      return { path: '', message: 'has a name that is not well-formed Unicode' }
    const unsafe = findUnsafe(Reflect.get(value, key), depth + 1)
    if (unsafe === TOO_DEEP) return unsafe
    if (unsafe)
      return {
        path: unsafe.path === '' ? pathPart(key) : `${pathPart(key)}.${unsafe.path}`,
        message: unsafe.message,
      }
  }
  return null
}

/**
 * Returns the same answer with a body that logs its error. The reader of the body sees only the
 * request's id, because callers must not see the cause, as with status 500.
 */
export function watchBody(response: Response, requestId: string, logger: Logger): Response {
  if (response.body === null) return response
  const reader = response.body.getReader()
  let hasLeft = false
  const breakOff = (
    controller: ReadableStreamDefaultController<Uint8Array>,
    error: unknown,
  ): void => {
    if (hasLeft) return
    hasLeft = true
    // A slow client is not an error.
    if (error instanceof SlowReaderError)
      logger.info('A response was cut off because its reader was too slow', { requestId, error })
    else logger.error('A response ended early', { requestId, error })
    controller.error(new Error(`The response ended early (request ${requestId})`))
  }
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // The error is noticed at once. The next read would be too late, because the reader may
        // never read again.
        void reader.closed.catch((error: unknown) => breakOff(controller, error))
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          // A reader that has left cancels the current read.
          if (hasLeft) return
          if (done) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          breakOff(controller, error)
        }
      },
      cancel(reason) {
        hasLeft = true
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { status: response.status, headers: response.headers })
}

/**
 * Path parameters, percent-decoded.
 *
 * @throws {PlatformError} 400 for an invalid encoding
 */
export function readParams(
  raw: Readonly<Record<string, string>>,
  schema: GenericSchema<unknown, unknown> | undefined,
): unknown {
  if (!schema) return undefined
  const params: Record<string, string> = {}
  for (const name in raw) params[name] = decode(name, raw[name] ?? '')
  // The names come from the route's path, so only values can be wrong.
  const { success, output } = safeParse(schema, params, ABORT_EARLY)
  return success ? output : validate(schema, params)
}

function decode(name: string, text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    throw badRequest([{ path: name, message: 'is not valid percent-encoding' }])
  }
}

/**
 * Parses the query of a URL by its route's schema.
 *
 * @throws {PlatformError} 400 with the unknown, repeated and wrong parameters
 */
export function readQuery(
  params: URLSearchParams,
  schema: GenericSchema<unknown, unknown> | undefined,
): unknown {
  if (params.size === 0) return schema ? validate(schema, {}) : undefined
  const values = new Map<string, string>()
  const issues: Issue[] = []
  for (const [name, value] of params) {
    if (values.has(name)) issues.push({ path: name, message: 'is given more than once' })
    else if (!schema || name === '__proto__')
      issues.push({
        path: name,
        message: schema ? 'unknown parameter' : 'unknown parameter; this operation takes none',
      })
    values.set(name, value)
  }
  if (issues.length > 0) throw badRequest(issues)
  return schema ? validate(schema, Object.fromEntries(values)) : undefined
}

/** @throws {PlatformError} 406 with the available types, unless the request accepts one of `others` */
export function demandAcceptable(
  request: Incoming,
  contentType: string,
  others: readonly string[] = [],
): void {
  const acceptHeader = request.headers.get('accept')
  if (accepts(acceptHeader, contentType) || others.some((other) => accepts(acceptHeader, other)))
    return
  throw new PlatformError(
    'NOT_ACCEPTABLE',
    `The response is ${contentType.split(';')[0]}, which Accept excludes`,
  )
}

/**
 * Validates a body by its route's schema, and returns the parsed value.
 *
 * @throws {PlatformError} 400 with every wrong field; if the body is missing, with every required
 *   one
 */
export function validateBody(schema: GenericSchema<unknown, unknown>, body: unknown): unknown {
  if (body !== undefined || checkSchema(schema, body).issues === null) return validate(schema, body)
  throw badRequest([
    { path: '', message: 'the body is missing: send a JSON object' },
    ...(checkSchema(schema, {}).issues ?? []),
  ])
}

/**
 * Validates an input by a schema and returns the parsed value.
 *
 * @throws {PlatformError} 400 with every wrong field.
 */
export function validate(schema: GenericSchema<unknown, unknown>, input: unknown): unknown {
  const checked = checkSchema(schema, input)
  if (checked.issues === null) return checked.output
  throw badRequest(checked.issues)
}

const MAX_KEY_LENGTH = 255

/**
 * Reads the caller's key. `null`: the request has no key.
 *
 * @throws {PlatformError} 400 for one that is empty or too long
 */
export function readIdempotencyKey(headers: RequestHeaders): string | null {
  const key = headers.get('idempotency-key')
  if (key !== null && (key === '' || key.length > MAX_KEY_LENGTH))
    throw badRequest([
      { path: 'Idempotency-Key', message: `must have 1 to ${MAX_KEY_LENGTH} characters` },
    ])
  return key
}
