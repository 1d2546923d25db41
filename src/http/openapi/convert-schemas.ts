import { toJsonSchemaDefs } from '@valibot/to-json-schema'
import type { GenericSchema } from 'valibot'
import type { JsonSchema } from './types.ts'
import { isObject, isStructure } from '../../kernel/json.ts'
import type { SchemaFacts } from '../../kernel/schema.ts'

type Schema = GenericSchema<unknown, unknown>

/** The schemas as JSON Schema. Those with a name are references to `components`. */
export interface ConvertedSchemas {
  readonly components: Readonly<Record<string, JsonSchema>>
  of(schema: Schema): JsonSchema
}

/** Checks by code, which narrow what a schema accepts. JSON Schema cannot express them. */
const CODE = ['trim', 'check', 'raw_transform', 'finite']
const PREFIX = '#/components/schemas/'

/**
 * Converts the schemas of all routes at once, so that each name means one schema. Schemas describe
 * the wire format, before any transformation.
 */
export function convertSchemas(roots: readonly Schema[]): ConvertedSchemas {
  const named = findComponents(roots)
  const unnamed = new Map([...new Set(roots)].map((schema, index) => [schema, `/${index}`]))
  const definitions = Object.fromEntries([
    ...named,
    ...[...unnamed].map(([schema, name]) => [name, schema] as const),
  ])
  for (const [schema, name] of unnamed)
    if ([...named.values()].includes(schema)) Reflect.deleteProperty(definitions, name)
  const nameOf = (schema: Schema): string => {
    const name =
      factsOf(schema)?.component ?? [...named].find(([, member]) => member === schema)?.[0]
    if (name === undefined) throw new Error('A schema that stands for another must be a component')
    return name
  }
  const converted = toJsonSchemaDefs(definitions, {
    target: 'draft-2020-12',
    typeMode: 'input',
    ignoreActions: CODE,
    overrideRef: ({ referenceId }) => PREFIX + referenceId,
    // The check above has shown that these schemas are documented. The metadata later in the pipe
    // replaces this result.
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
      const definition = converted[unnamed.get(schema) ?? '']
      if (!definition) throw new Error('A schema was not given to be converted')
      return { ...definition }
    },
  }
}

/** The facts that a schema's pipe states about it, if any. */
function factsOf(schema: object): SchemaFacts | null {
  const pipe: readonly unknown[] = 'pipe' in schema && Array.isArray(schema.pipe) ? schema.pipe : []
  const facts = pipe.map(factsIn).filter((fact) => fact !== null)
  return facts.at(-1) ?? null
}

/** The facts that one item of a pipe states. */
function factsIn(item: unknown): SchemaFacts | null {
  if (!isObject(item) || item['kind'] !== 'metadata' || !isObject(item['metadata'])) return null
  const facts = item['metadata']['documented']
  return isFacts(facts) ? facts : null
}

/**
 * Returns every named schema that the given ones refer to, by name.
 *
 * @throws {Error} if two schemas have one name, or if a schema that is only code has no
 *   description.
 */
function findComponents(roots: readonly Schema[]): Map<string, Schema> {
  const components = new Map<string, Schema>()
  const seen = new Set<object>()
  const visit = (node: unknown): void => {
    if (!isStructure(node) || seen.has(node)) return
    seen.add(node)
    if (Array.isArray(node)) return node.forEach(visit)
    if (!isSchema(node)) return Object.values(node).forEach(visit)
    const facts = factsOf(node)
    const described = facts?.as ?? node
    if (facts?.component !== undefined) {
      const named = components.get(facts.component)
      if (named && named !== described)
        throw new Error(`Two schemas are documented as ${facts.component}`)
      components.set(facts.component, described)
    }
    if (facts?.json) return
    if (facts?.as) return visit(facts.as)
    if (node.type === 'custom') throw new Error('A custom schema must be documented')
    if ('getter' in node && typeof node.getter === 'function')
      visit(Reflect.apply(node.getter, undefined, []))
    Object.values(node).forEach(visit)
  }
  roots.forEach(visit)
  return components
}

function isSchema(value: object): value is Schema {
  return 'kind' in value && value.kind === 'schema'
}

function isFacts(value: unknown): value is SchemaFacts {
  return isObject(value) && ('component' in value || 'as' in value || 'json' in value)
}
