import type { JsonObject } from '../../kernel/json.ts'
import { toJsonSchema } from '@valibot/to-json-schema'
import type { GenericSchema } from 'valibot'

/**
 * Converts a parameter schema to JSON Schema (draft 2020-12), for the wire. Checks that exist only
 * in code are omitted.
 */
export function jsonSchemaOf(schema: GenericSchema<unknown, object>): JsonObject {
  const { $schema, ...rest } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode: 'input',
    errorMode: 'ignore',
  })
  // Plain JSON, without members that the converter leaves undefined.
  return JSON.parse(JSON.stringify({ $schema, ...rest }))
}
