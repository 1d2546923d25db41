import type { GenericSchema } from 'valibot'
import type { SchemaFacts } from '../../kernel/schema.ts'

type Schema = GenericSchema<unknown, unknown>

/** The facts that a schema's pipe states about it, if any. */
export function factsOf(schema: object): SchemaFacts | null {
  const pipe: readonly unknown[] = 'pipe' in schema && Array.isArray(schema.pipe) ? schema.pipe : []
  const facts = pipe.map(factsIn).filter((found) => found !== null)
  return facts.at(-1) ?? null
}

/** The facts that one item of a pipe states. */
export function factsIn(item: unknown): SchemaFacts | null {
  if (!isObject(item) || item['kind'] !== 'metadata' || !isObject(item['metadata'])) return null
  const facts = item['metadata']['documented']
  return isFacts(facts) ? facts : null
}

/**
 * Every named schema that can be reached from the given ones, by name.
 *
 * @throws {Error} for one name of two schemas, and for a schema of code alone that says nothing
 *   about itself.
 */
export function findComponents(roots: readonly Schema[]): Map<string, Schema> {
  const found = new Map<string, Schema>()
  const seen = new Set<object>()
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null || seen.has(node)) return
    seen.add(node)
    if (Array.isArray(node)) return node.forEach(visit)
    if (!isSchema(node)) return Object.values(node).forEach(visit)
    const facts = factsOf(node)
    const described = facts?.as ?? node
    if (facts?.component !== undefined) {
      const known = found.get(facts.component)
      if (known && known !== described)
        throw new Error(`Two schemas are documented as ${facts.component}`)
      found.set(facts.component, described)
    }
    if (facts?.json) return
    if (facts?.as) return visit(facts.as)
    if (node.type === 'custom') throw new Error('A custom schema must be documented')
    if ('getter' in node && typeof node.getter === 'function')
      visit(Reflect.apply(node.getter, undefined, []))
    Object.values(node).forEach(visit)
  }
  roots.forEach(visit)
  return found
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function isSchema(value: object): value is Schema {
  return 'kind' in value && value.kind === 'schema'
}

function isFacts(value: unknown): value is SchemaFacts {
  return isObject(value) && ('component' in value || 'as' in value || 'json' in value)
}
