import type { GenericSchema } from 'valibot'
import type { SchemaFacts } from '../../../src/kernel/schema.ts'

type Schema = GenericSchema<unknown, unknown>

/** A type of a schema: its name, and its declaration in TypeScript. */
interface Declared {
  readonly name: string
  readonly text: string
}

/**
 * The types of a schema and of the components in it, as TypeScript. Descriptions become JSDoc.
 * `names`: names of types whose component has another one.
 *
 * @throws {Error} for a key without a description, which would have no hover text
 */
export function typeSource(root: Schema, names: Readonly<Record<string, string>>): string[] {
  const types = new Map<Schema, Declared>()
  const typeOf = (schema: Schema, path: string): string => {
    const facts = factsOf(schema)
    if (facts?.json) return 'Json'
    const described = facts?.as ?? schema
    const component = facts?.component ?? (facts?.as && factsOf(facts.as)?.component)
    if (component === undefined) return shapeOf(described, path)
    const name = names[component] ?? component
    if (!types.has(described)) {
      types.set(described, { name, text: '' })
      const doc = descriptionOf(schema)
      if (doc === undefined) throw new Error(`${name} has no description`)
      const shape = shapeOf(described, name)
      types.set(described, {
        name,
        text: `${comment(doc)}export type ${name} = ${shape}\n`,
      })
    }
    return name
  }
  const shapeOf = (schema: Schema, path: string): string => {
    switch (schema.type) {
      case 'string':
      case 'number':
      case 'boolean':
        return schema.type
      case 'literal':
        return JSON.stringify(Reflect.get(schema, 'literal'))
      case 'picklist':
        return listOf(schema, 'options')
          .map((option) => JSON.stringify(option))
          .join(' | ')
      case 'union':
        return unionOf(schemasOf(schema, 'options'), path)
      case 'array':
        return `readonly (${typeOf(schemaOf(schema, 'item'), path)})[]`
      case 'strict_tuple':
        return `readonly [${schemasOf(schema, 'items')
          .map((item) => typeOf(item, path))
          .join(', ')}]`
      case 'record':
        return `{ readonly [name: string]: ${typeOf(schemaOf(schema, 'value'), path)} }`
      case 'lazy':
        return typeOf(schemaMadeBy(schema), path)
      case 'strict_object':
        return `{\n${membersOf(schema, path).join('')}}`
      default:
        throw new Error(`${path}: no type can be made of ${schema.type}`)
    }
  }
  // TypeScript lets an object have keys of any member of a union: each member refuses the others'.
  const unionOf = (options: readonly Schema[], path: string): string => {
    const objects = options.filter(isObjectSchema)
    const keys = new Set(objects.flatMap((option) => Object.keys(entriesOf(option))))
    return options
      .map((option) => {
        if (objects.length < 2 || !objects.includes(option)) return typeOf(option, path)
        if (factsOf(option)) throw new Error(`${path}: a named member cannot refuse keys`)
        const refused = [...keys].filter((key) => !(key in entriesOf(option)))
        const never = refused.map((key) => `readonly ${key}?: never\n`)
        return `{\n${membersOf(option, path).join('')}${never.join('')}}`
      })
      .join(' | ')
  }
  const membersOf = (schema: Schema, path: string): string[] =>
    Object.entries(entriesOf(schema)).map(([key, entry]) => {
      const isOptional = entry.type === 'exact_optional'
      const value = isOptional ? schemaOf(entry, 'wrapped') : entry
      const type = typeOf(value, `${path}.${key}`)
      const doc = descriptionOf(value)
      if (doc === undefined) throw new Error(`${path}.${key} has no description`)
      return `${comment(doc)}readonly ${key}${isOptional ? '?' : ''}: ${type}\n`
    })
  typeOf(root, '')
  return [...types.values()].map(({ text }) => text)
}

function comment(text: string): string {
  return `/** ${text.replaceAll('*/', '*\\/')} */\n`
}

/** The description of a schema, or of the schema that is described in its place. */
function descriptionOf(schema: Schema): string | undefined {
  const own = pipeOf(schema)
    .map(
      (item): unknown =>
        Reflect.get(item, 'type') === 'description' && Reflect.get(item, 'description'),
    )
    .findLast((text) => typeof text === 'string')
  const facts = factsOf(schema)
  const json = facts?.json?.['description']
  if (own !== undefined) return own
  if (typeof json === 'string') return json
  if (facts?.as) return descriptionOf(facts.as)
  return schema.type === 'lazy' ? descriptionOf(schemaMadeBy(schema)) : undefined
}

/** The facts that the pipe of a schema states about it. */
function factsOf(schema: Schema): SchemaFacts | undefined {
  return pipeOf(schema)
    .map((item): { documented?: SchemaFacts } => Reflect.get(item, 'metadata') ?? {})
    .findLast(({ documented }) => documented !== undefined)?.documented
}

function pipeOf(schema: Schema): readonly object[] {
  return 'pipe' in schema && Array.isArray(schema.pipe) ? schema.pipe : []
}

function listOf(schema: Schema, key: string): readonly unknown[] {
  const list: unknown = Reflect.get(schema, key)
  if (!Array.isArray(list)) throw new Error(`A ${schema.type} has no ${key}`)
  return list
}

function schemasOf(schema: Schema, key: string): Schema[] {
  return listOf(schema, key).filter(isSchema)
}

function schemaOf(schema: Schema, key: string): Schema {
  const inner: unknown = Reflect.get(schema, key)
  if (!isSchema(inner)) throw new Error(`A ${schema.type} has no ${key}`)
  return inner
}

function schemaMadeBy(schema: Schema): Schema {
  const getter: unknown = Reflect.get(schema, 'getter')
  const inner: unknown = typeof getter === 'function' ? Reflect.apply(getter, undefined, []) : null
  if (!isSchema(inner)) throw new Error('A lazy schema gives none')
  return inner
}

function entriesOf(schema: Schema): Readonly<Record<string, Schema>> {
  const entries: Readonly<Record<string, Schema>> = Reflect.get(schema, 'entries')
  return entries
}

function isObjectSchema(schema: Schema): boolean {
  return schema.type === 'strict_object'
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'schema'
}
