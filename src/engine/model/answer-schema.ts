import type { Json } from '../../kernel/json.ts'
import { modelFields } from '../recipe/compile-model.ts'
import type { ModelColumn, ModelPlan } from '../recipe/compile-model.ts'

/** A column as it is called in questions and answers. */
export interface AskedColumn extends Pick<ModelColumn, 'column' | 'source'> {
  readonly name: string
}

/** What tells the rows of an answer apart. */
export const PART = 'part'
/** Names that endpoints take; other columns are numbered. */
const PLAIN = /^[A-Za-z_][\w-]{0,63}$/

/** Names for columns, which may be called anything, and be written in any script. */
export function askedColumns(
  columns: readonly Pick<ModelColumn, 'column' | 'source'>[],
): readonly AskedColumn[] {
  const given = new Set(columns.map(({ column }) => column))
  return columns.map(({ column, source }, at) => {
    if (PLAIN.test(column) && column !== PART) return { name: column, column, source }
    let name = `field_${at + 1}`
    while (given.has(name)) name += '_'
    return { name, column, source }
  })
}

/** The JSON Schema of an answer about these columns. */
export function answerSchema(
  rows: ModelPlan['rows'],
  columns: readonly AskedColumn[],
): { readonly [keyword: string]: Json } {
  const properties = propertiesOf(columns)
  if (rows === 'page') return closed(properties)
  const of =
    rows === 'items'
      ? { [PART]: { type: 'integer', description: 'The number of the part.' }, ...properties }
      : properties
  return closed({ rows: { type: 'array', items: closed(of) } })
}

function propertiesOf(columns: readonly AskedColumn[]): { readonly [name: string]: Json } {
  return Object.fromEntries(
    columns.map(({ name, source }) => [
      name,
      { ...valueSchema(source), description: descriptionOf(source) },
    ]),
  )
}

function valueSchema({ as, many, fields }: ModelColumn['source']): {
  readonly [keyword: string]: Json
} {
  if (fields !== undefined) {
    const inner = closed(propertiesOf(askedColumns(modelFields(fields))))
    return many ? { type: 'array', items: inner } : { anyOf: [inner, { type: 'null' }] }
  }
  const type = as === 'number' || as === 'integer' || as === 'boolean' ? as : 'string'
  return many ? { type: 'array', items: { type } } : { type: [type, 'null'] }
}

function descriptionOf({ model, as }: ModelColumn['source']): string {
  const how =
    as === 'date'
      ? ' (as ISO 8601)'
      : as === 'json'
        ? ' (as JSON, in a string)'
        : as === 'url' || as === 'media'
          ? ' (its address, as the text has it)'
          : ''
  return `${model}${how}`
}

function closed(properties: { readonly [name: string]: Json }): {
  readonly [keyword: string]: Json
} {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  }
}
