import type { Outgoing } from '../kernel/http/message.ts'
import { isObject } from '../kernel/json.ts'
import { describeError, failed } from './tool-error.ts'
import type { ServiceError } from './tool-error.ts'
import type { ToolOutcome, RateHeaders, Refusal } from './tool-service.ts'

/** An object of JSON. */
export type Data = { readonly [name: string]: unknown }

/** Statuses of errors that the caller can correct. */
export const REFUSALS: readonly number[] = [401, 403, 429]

/** The content of any answer of the service. */
export interface ReadAnswer {
  /** `null`: it was refused. */
  readonly data: Data | null
  readonly refusal: Refusal | null
  /** The refusal in words for an agent. */
  readonly failure: ToolOutcome['result']
  readonly rates: RateHeaders
}

/** Reads an answer of the service. */
export async function readAnswer(answer: Outgoing): Promise<ReadAnswer> {
  const body = await bodyOf(answer)
  return {
    data: dataOf(body),
    refusal: refusalOf(answer, body),
    failure: refused(answer, body),
    rates: ratesOf(answer),
  }
}

export function refused(answer: Outgoing, body: unknown): ToolOutcome['result'] {
  return failed(
    describeError({
      requestId: headerOf(answer, 'x-request-id'),
      retryAfter: headerOf(answer, 'retry-after'),
      lacksScope: headerOf(answer, 'www-authenticate') !== null,
      error: errorIn(body),
    }),
  )
}

export function refusalOf(answer: Outgoing, body: unknown, refusals = REFUSALS): Refusal | null {
  const { status } = answer
  const error = errorIn(body)
  // An agent must end a run if there are too many, and a used quota lasts until tomorrow. So these
  // errors differ from calls beyond a rate, which can soon be tried again.
  const isCeiling = error !== null && CEILINGS.includes(error.code)
  return refusals.includes(status) && !isCeiling
    ? {
        status,
        challenge: headerOf(answer, 'www-authenticate'),
        retryAfter: headerOf(answer, 'retry-after'),
        message: error?.message ?? null,
      }
    : null
}

const CEILINGS: readonly string[] = ['TOO_MANY_REQUESTS', 'preview_limit_exceeded']

/** A call of the endpoint is one call of the service, so its caller gets the same numbers. */
const RATES = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After']

export function ratesOf({ headers }: Outgoing): RateHeaders {
  const rates: Record<string, string> = {}
  for (const name of RATES) {
    // In answers of this process, headers already have these names.
    const value = headers instanceof Headers ? headers.get(name) : headers[name]
    if (value !== null && value !== undefined) rates[name] = value
  }
  return rates
}

export async function bodyOf(answer: Outgoing): Promise<unknown> {
  const text = answer instanceof Response ? await answer.text() : answer.body
  return text === null ? null : jsonIn(text)
}

/**
 * Characters that a model reads but people do not see: tags, and more than one variation selector
 * after a character. Pages can hide instructions in them. The tags of a flag, such as Scotland's,
 * are visible; they are the captured group.
 */
const UNSEEN =
  /(\u{1F3F4}[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{3,6}\u{E007F})|[\u{E0000}-\u{E007F}]|[\u{E0100}-\u{E01EF}]{2,}/gu

/** The first surrogate, with which all of them begin. */
export const UNSEEN_HALF = '\uDB40'

/** A text without invisible characters. Most texts have none. */
export function seenOf(text: string): string {
  return text.includes(UNSEEN_HALF) ? text.replace(UNSEEN, '$1') : text
}

/** Parses JSON, without characters that nobody sees; `null` for invalid JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(seenOf(text))
  } catch {
    return null
  }
}

export function dataOf(body: unknown): { [name: string]: unknown } | null {
  const data = isObject(body) && body['success'] === true ? body['data'] : null
  return isObject(data) ? data : null
}

export function headerOf({ headers }: Outgoing, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name)
  return (
    Object.entries(headers).find(([headerName]) => headerName.toLowerCase() === name)?.[1] ?? null
  )
}

/** The error of an answer. A quota's error has its code as a text, with the message beside it. */
function errorIn(body: unknown): ServiceError | null {
  if (!isObject(body)) return null
  const { error, message } = body
  return typeof error === 'string' && typeof message === 'string'
    ? { code: error, message, issues: [] }
    : errorOf(error)
}

export function errorOf(body: unknown): ServiceError | null {
  if (!isObject(body)) return null
  const { code, message, issues, limit } = body
  return {
    code: textOf(code),
    message: textOf(message),
    issues: Array.isArray(issues)
      ? issues
          .filter(isObject)
          .map((issue) => `${textOf(issue['path'])}: ${textOf(issue['message'])}`)
      : [],
    atLimit: isObject(limit),
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
