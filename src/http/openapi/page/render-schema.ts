import type { JsonSchema } from '../types.ts'
import { isObject } from '../../../kernel/json.ts'
import { html, words } from '../../../kernel/http/html.ts'
import type { Html } from '../../../kernel/http/html.ts'

const SCHEMAS = '#/components/schemas/'

/** The mark of a required field. */
export const REQUIRED = html`<span class="required" title="required">*</span>`

/**
 * Renders a schema: its fields in a list, each with type, limits and description. Named schemas are
 * links, except the outermost one, which is shown in full.
 */
export function renderSchema(
  schema: JsonSchema,
  named: Readonly<Record<string, JsonSchema>>,
): Html {
  const component = named[nameOf(schema) ?? '']
  if (component)
    return html`<p class="type named">${typeOf(schema)}</p>${renderSchema(component, {})}`
  const fields = fieldsOf(schema)
  if (!fields) return html`<p>${typeOf(schema)} ${limitsOf(schema)} ${about(schema)}</p>`
  return html`${about(schema) && html`<p>${about(schema)}</p>`}${fields}`
}

/** One line that shows the values that a schema accepts: `string`, `Task[]`, `"a" | "b"`. */
export function typeOf(schema: JsonSchema): Html {
  const name = nameOf(schema)
  if (name !== null && !('enum' in schema)) return html`<a href="#schema-${name}">${name}</a>`
  if ('const' in schema) return html`<code>${JSON.stringify(schema['const'])}</code>`
  if (Array.isArray(schema['enum']))
    return separated(schema['enum'].map((value) => html`<code>${JSON.stringify(value)}</code>`))
  const options = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(options)) return separated(options.filter(isObject).map(typeOf))
  if (schema['type'] === 'array')
    return html`${isObject(schema['items']) ? typeOf(schema['items']) : 'any'}[]`
  if (schema['type'] === 'object' && isObject(schema['additionalProperties']))
    return html`map of ${typeOf(schema['additionalProperties'])}`
  const type = schema['type']
  return html`${typeof type === 'string' ? type : Array.isArray(type) ? type.join(' | ') : 'any'}`
}

/** The limits of a schema, in a few words each. */
export function limitsOf(schema: JsonSchema): Html {
  const {
    minimum,
    maximum,
    minLength,
    maxLength,
    minItems,
    maxItems,
    minProperties,
    maxProperties,
    pattern,
    format,
  } = schema
  const limits = [
    range(minimum, maximum, ''),
    range(minLength, maxLength, ' characters'),
    range(minItems, maxItems, ' items'),
    range(minProperties, maxProperties, ' fields'),
    typeof format === 'string' ? format : '',
    typeof pattern === 'string' ? pattern : '',
    'default' in schema ? `default ${JSON.stringify(schema['default'])}` : '',
  ]
  return html`<span class="limit">${limits.filter((text) => text !== '').join(', ')}</span>`
}

function fieldsOf(schema: JsonSchema): Html | null {
  const inner =
    isObject(schema['items']) && nameOf(schema['items']) === null ? fieldsOf(schema['items']) : null
  if (inner) return inner
  const options = schema['anyOf']
  if (Array.isArray(options)) {
    const deep = options
      .filter(isObject)
      .flatMap((option) => (nameOf(option) === null ? (fieldsOf(option) ?? []) : []))
    return deep.length > 0 ? html`${deep}` : null
  }
  if (!isObject(schema['properties'])) return null
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const fields = Object.entries(schema['properties']).flatMap(([name, field]) =>
    isObject(field) ? [fieldOf(name, field, required.includes(name))] : [],
  )
  return html`<ul class="fields">${fields}</ul>`
}

function fieldOf(name: string, field: JsonSchema, isRequired: boolean): Html {
  const deeper = nameOf(field) === null ? fieldsOf(field) : null
  return html`<li><code class="name">${name}</code>${isRequired && REQUIRED}
<span class="type">${typeOf(field)}</span> ${limitsOf(field)}${about(field)}${deeper}</li>`
}

function about({ description }: JsonSchema): Html | null {
  return typeof description === 'string'
    ? html`<span class="about">${words(description)}</span>`
    : null
}

function nameOf({ $ref }: JsonSchema): string | null {
  return typeof $ref === 'string' && $ref.startsWith(SCHEMAS) ? $ref.slice(SCHEMAS.length) : null
}

function separated(types: readonly Html[]): Html {
  return html`${types.map((type, index) => html`${index > 0 && ' | '}${type}`)}`
}

function range(min: unknown, max: unknown, unit: string): string {
  if (min === 1 && max === undefined && unit !== '') return 'not empty'
  if (typeof min === 'number' && typeof max === 'number')
    return min === max ? `${min}${unit}` : `${min}–${max}${unit}`
  if (typeof min === 'number') return `at least ${min}${unit}`
  return typeof max === 'number' ? `at most ${max}${unit}` : ''
}
