import type { GenericSchema } from 'valibot'
import { checkSchema } from '../kernel/schema.ts'
import { badRequest } from '../kernel/errors.ts'

/**
 * What a schema makes of an input.
 *
 * @throws {PlatformError} 400 with every wrong field.
 */
export function validate(schema: GenericSchema<unknown, unknown>, input: unknown): unknown {
  const checked = checkSchema(schema, input)
  if (checked.issues === null) return checked.output
  throw badRequest(checked.issues)
}
