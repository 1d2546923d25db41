import type { GenericSchema } from 'valibot'
import { badRequest } from '../kernel/errors.ts'
import { validate } from './validate.ts'

/**
 * Path parameters, percent-decoded.
 *
 * @throws {PlatformError} 400 for an encoding that stands for no text.
 */
export function readParams(
  raw: Readonly<Record<string, string>>,
  schema: GenericSchema<unknown, unknown> | undefined,
): unknown {
  if (!schema) return undefined
  return validate(
    schema,
    Object.fromEntries(Object.entries(raw).map(([name, text]) => [name, decode(name, text)])),
  )
}

function decode(name: string, text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    throw badRequest([{ path: name, message: 'is not valid percent-encoding' }])
  }
}
