import { safeParse } from 'valibot'
import type { GenericSchema } from 'valibot'
import { badRequest } from '../kernel/errors.ts'
import { schemaIssues } from '../kernel/schema-issues.ts'

/** What a schema makes of an input. @throws {PlatformError} 400 with every wrong field. */
export function validate(schema: GenericSchema<unknown, unknown>, input: unknown): unknown {
  const result = safeParse(schema, input)
  if (result.success) return result.output
  throw badRequest(schemaIssues(result.issues))
}
