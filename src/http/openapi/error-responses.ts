import { ERROR_CODES, statusOf } from '../../kernel/errors.ts'
import type { ErrorCode } from '../../kernel/errors.ts'
import { ERROR_TEXTS } from './error-texts.ts'
import { headerRef } from './headers.ts'
import type { Rules } from './rules.ts'
import type { JsonSchema, Reference, ResponseObject } from './types.ts'

/** Parts of error bodies (spec part 7). */
export const ERROR_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  ErrorCode: {
    type: 'string',
    enum: ERROR_CODES,
    description:
      'Machine-readable. Branch on it and on the status, never on the message. The list is closed.',
  },
  Issue: {
    type: 'object',
    required: ['path', 'message'],
    additionalProperties: false,
    properties: {
      path: {
        type: 'string',
        description: 'Where, such as `recipe.extract.fields.price.css`; empty for the whole.',
      },
      message: { type: 'string' },
    },
  },
  PreviewLimitExceeded: {
    type: 'object',
    required: ['error', 'message'],
    additionalProperties: false,
    description: "The day's quota of previews is used up.",
    properties: { error: { const: 'preview_limit_exceeded' }, message: { type: 'string' } },
  },
  ErrorText: {
    type: 'object',
    required: ['error'],
    additionalProperties: false,
    properties: { error: { type: 'string', description: 'What went wrong.' } },
  },
}

/** Gathers the error responses of all operations, so that each kind is written once. */
export class ErrorResponses {
  readonly #components = new Map<string, ResponseObject>()

  /** The responses of an operation, by status. */
  of(rules: Rules): Record<string, Reference> {
    const byStatus = Map.groupBy(rules.errors, statusOf)
    return Object.fromEntries(
      [...byStatus].map(([status, codes]) => [String(status), this.#refer(codes, rules)]),
    )
  }

  get components(): Record<string, ResponseObject> {
    return Object.fromEntries([...this.#components].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }

  #refer(codes: readonly ErrorCode[], rules: Rules): Reference {
    // The limiter's rejection is in the envelope everywhere (spec part 8, rule 7).
    const asText = rules.textErrors && !codes.includes('RATE_LIMIT_EXCEEDED')
    const isLimited = rules.headers.includes('X-RateLimit-Limit')
    // Refusals that are kept for a repetition of the request.
    const isKept =
      rules.successHeaders.includes('Idempotency-Replayed') &&
      codes.some((code) => code === 'NOT_FOUND' || code === 'CONFLICT')
    const name = `${codes.map(pascal).join('Or')}${isLimited ? '' : 'Unlimited'}${isKept ? 'Kept' : ''}${asText ? 'Text' : ''}`
    if (!this.#components.has(name)) {
      const names = [
        ...rules.headers,
        ...(isKept ? ['Idempotency-Replayed' as const] : []),
        ...codes.flatMap((code) => ERROR_TEXTS[code].headers ?? []),
      ]
      this.#components.set(name, {
        description: codes.map((code) => ERROR_TEXTS[code].description).join(' '),
        headers: Object.fromEntries(names.map((header) => [header, headerRef(header)])),
        content: {
          'application/json': {
            schema: asText ? { $ref: '#/components/schemas/ErrorText' } : envelopeOf(codes),
            example: exampleOf(codes, asText),
          },
        },
      })
    }
    return { $ref: `#/components/responses/${name}` }
  }
}

/** The envelope with just the codes that can come with a status. */
function envelopeOf(codes: readonly ErrorCode[]): JsonSchema {
  const error = {
    type: 'object',
    required: ['code', 'message'],
    additionalProperties: false,
    properties: {
      code: { $ref: '#/components/schemas/ErrorCode', enum: codes },
      message: { type: 'string', description: 'For people; its wording may change.' },
      ...(codes.includes('BAD_REQUEST') && {
        issues: { type: 'array', items: { $ref: '#/components/schemas/Issue' } },
      }),
    },
  }
  const envelope = {
    type: 'object',
    required: ['success', 'error'],
    additionalProperties: false,
    properties: { success: { const: false }, error },
  }
  // Quotas have a body of their own (spec part 7).
  return codes.includes('TOO_MANY_REQUESTS')
    ? { anyOf: [envelope, { $ref: '#/components/schemas/PreviewLimitExceeded' }] }
    : envelope
}

function exampleOf(
  [code = 'INTERNAL_SERVER_ERROR']: readonly ErrorCode[],
  asText: boolean,
): object {
  const { message, issues } = ERROR_TEXTS[code]
  return asText
    ? { error: message }
    : { success: false, error: { code, message, ...(issues && { issues }) } }
}

function pascal(code: string): string {
  return code
    .split('_')
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join('')
}
