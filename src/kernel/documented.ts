import { metadata } from 'valibot'
import type { GenericSchema, MetadataAction } from 'valibot'
import type { Json } from './json.ts'

/** What the OpenAPI description has to know of a schema beyond what the schema's own parts say. */
export interface SchemaFacts {
  /** Name among the description's components. A schema that holds itself needs one. */
  readonly component?: string
  /**
   * Described instead of this schema, where code decides what it accepts: a component, unless
   * `component` names it.
   */
  readonly as?: GenericSchema<unknown, unknown>
  /** The same, as JSON Schema: for values that travel as text and are not meant as text. */
  readonly json?: { readonly [keyword: string]: Json }
}

/** A pipe item that changes nothing about validation. */
export function documented<T>(
  facts: SchemaFacts,
): MetadataAction<T, { readonly documented: SchemaFacts }> {
  return metadata({ documented: facts })
}
