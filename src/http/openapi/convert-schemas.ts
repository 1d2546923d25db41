import { toJsonSchemaDefs } from '@valibot/to-json-schema'
import type { GenericSchema } from 'valibot'
import { factsIn, factsOf, findComponents } from './find-components.ts'
import type { JsonSchema } from './types.ts'

type Schema = GenericSchema<unknown, unknown>

/** Schemas as JSON Schema; those with a name are references to `components`. */
export interface ConvertedSchemas {
  readonly components: Readonly<Record<string, JsonSchema>>
  of(schema: Schema): JsonSchema
}

/** What is checked by code: it narrows what a schema accepts, and JSON Schema cannot say how. */
const CODE = ['trim', 'check', 'raw_check', 'finite']
const PREFIX = '#/components/schemas/'

/**
 * Converts the schemas of all rows at once, so that each name stands for one schema. All are
 * described as they travel, before any transformation.
 */
export function convertSchemas(roots: readonly Schema[]): ConvertedSchemas {
  const named = findComponents(roots)
  const unnamed = new Map([...new Set(roots)].map((schema, at) => [schema, `/${at}`]))
  const definitions = Object.fromEntries([
    ...named,
    ...[...unnamed].map(([schema, name]) => [name, schema] as const),
  ])
  for (const [schema, name] of unnamed)
    if ([...named.values()].includes(schema)) Reflect.deleteProperty(definitions, name)
  const nameOf = (schema: Schema): string => {
    const name = factsOf(schema)?.component ?? [...named].find(([, one]) => one === schema)?.[0]
    if (name === undefined) throw new Error('A schema that stands for another must be a component')
    return name
  }
  const converted = toJsonSchemaDefs(definitions, {
    target: 'draft-2020-12',
    typeMode: 'input',
    ignoreActions: CODE,
    overrideRef: ({ referenceId }) => PREFIX + referenceId,
    // Found to be documented before; what stands here is replaced by the metadata that follows in
    // the pipe.
    overrideSchema: ({ valibotSchema }) => (valibotSchema.type === 'custom' ? {} : null),
    overrideAction: ({ valibotAction, jsonSchema }) => {
      const facts = factsIn(valibotAction)
      if (!facts) return null
      if (facts.json) return facts.json
      if (facts.as) return { $ref: PREFIX + (facts.component ?? nameOf(facts.as)) }
      Reflect.deleteProperty(jsonSchema, 'documented')
      return jsonSchema
    },
  })
  const components = Object.fromEntries(
    [...named.keys()].map((name) => [name, { ...converted[name] }]),
  )
  return {
    components,
    of(schema) {
      const facts = factsOf(schema)
      const name = facts?.component ?? (facts?.as ? nameOf(facts.as) : undefined)
      if (name !== undefined) return { $ref: PREFIX + name }
      const found = converted[unnamed.get(schema) ?? '']
      if (!found) throw new Error('A schema was not given to be converted')
      return { ...found }
    },
  }
}
