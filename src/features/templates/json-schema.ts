import { toJsonSchema } from '@valibot/to-json-schema'
import type { GenericSchema } from 'valibot'
import type { JsonObject } from '../tasks/schema.ts'

/**
 * Parameters as JSON Schema (draft 2020-12), as they travel. What is checked by code alone is left
 * out.
 */
export function jsonSchemaOf(schema: GenericSchema<unknown, object>): JsonObject {
  const { $schema, ...rest } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode: 'input',
    errorMode: 'ignore',
  })
  // JSON alone, without what the converter leaves undefined.
  return JSON.parse(JSON.stringify({ $schema, ...rest }))
}
