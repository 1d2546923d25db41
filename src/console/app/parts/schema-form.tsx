import { useId } from 'preact/hooks'
import { isObject } from '../../../kernel/json.ts'
import { words } from '../words.ts'

/** Typed values by name of the parameter. All of them are texts until they are parsed. */
export type FormEntries = Readonly<Record<string, string | boolean>>

/** One field of a form, from a JSON Schema. */
interface Field {
  readonly name: string
  readonly about: string
  readonly kind: 'text' | 'number' | 'switch' | 'lines' | 'choice' | 'json'
  readonly choices: readonly string[]
  readonly isRequired: boolean
}

/** The fields of an object's schema (JSON Schema, draft 2020-12). */
export function fieldsOf(schema: unknown): readonly Field[] {
  if (!isObject(schema) || !isObject(schema['properties'])) return []
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  return Object.entries(schema['properties']).map(([name, value]) => {
    const property = isObject(value) ? value : {}
    const about = property['description']
    const choices = Array.isArray(property['enum']) ? property['enum'].map(String) : []
    return {
      name,
      about: typeof about === 'string' ? about : '',
      kind: choices.length > 0 ? 'choice' : kindOf(property),
      choices,
      isRequired: required.includes(name) && property['default'] === undefined,
    }
  })
}

function kindOf({ type, items }: { readonly [key: string]: unknown }): Field['kind'] {
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'boolean') return 'switch'
  if (type === 'array' && isObject(items) && items['type'] === 'string') return 'lines'
  return type === 'string' ? 'text' : 'json'
}

/** Converts typed texts to the parameters that the schema describes. Empty fields are left out. */
export function valuesOf(schema: unknown, typed: FormEntries): Record<string, unknown> {
  const entries = fieldsOf(schema).flatMap(({ name, kind }): [string, unknown][] => {
    const value = typed[name]
    if (value === undefined || value === '') return []
    if (typeof value === 'boolean') return [[name, value]]
    // A text that is not a number is sent unchanged, and the service reports it.
    if (kind === 'number') return [[name, Number.isNaN(Number(value)) ? value : Number(value)]]
    if (kind === 'json') return [[name, parsed(value)]]
    if (kind !== 'lines') return [[name, value]]
    const lines = value.split('\n').map((line) => line.trim())
    return [[name, lines.filter((line) => line !== '')]]
  })
  return Object.fromEntries(entries)
}

/** Parameters in the form. */
export function typedOf(schema: unknown, values: unknown): FormEntries {
  const parameters = isObject(values) ? values : {}
  return Object.fromEntries(
    fieldsOf(schema).flatMap(({ name, kind }): [string, string | boolean][] => {
      const value = parameters[name]
      if (value === undefined) return []
      if (typeof value === 'boolean') return [[name, value]]
      if (kind === 'lines' && Array.isArray(value)) return [[name, value.join('\n')]]
      return [[name, typeof value === 'string' ? value : JSON.stringify(value)]]
    }),
  )
}

/** Text that is not JSON is sent unchanged, and the service reports the problem. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The fields of a form that a JSON Schema describes. */
export function SchemaFields({
  schema,
  typed,
  onTyped,
}: {
  readonly schema: unknown
  readonly typed: FormEntries
  readonly onTyped: (typed: FormEntries) => void
}) {
  // A screen may have several forms.
  const form = useId()
  const set = (name: string, value: string | boolean) => onTyped({ ...typed, [name]: value })
  return (
    <>
      {fieldsOf(schema).map(({ name, about, kind, choices, isRequired }) => {
        const value = typed[name]
        const text = typeof value === 'string' ? value : ''
        const id = `${form}-${name}`
        const common = { id, required: isRequired, 'aria-describedby': `${id}-about` }
        return (
          <div key={name} class="field">
            <label for={id}>
              {name}
              {kind === 'lines' && ` (${words.templates.list})`}
            </label>
            {kind === 'switch' ? (
              <input
                {...common}
                required={false}
                type="checkbox"
                checked={value === true}
                onChange={(event) => set(name, event.currentTarget.checked)}
              />
            ) : kind === 'choice' ? (
              <select
                {...common}
                value={text}
                onChange={(event) => set(name, event.currentTarget.value)}
              >
                <option value="" />
                {choices.map((choice) => (
                  <option key={choice}>{choice}</option>
                ))}
              </select>
            ) : kind === 'lines' || kind === 'json' ? (
              <textarea
                {...common}
                rows={3}
                value={text}
                onInput={(event) => set(name, event.currentTarget.value)}
              />
            ) : (
              <input
                {...common}
                inputMode={kind === 'number' ? 'decimal' : 'text'}
                value={text}
                onInput={(event) => set(name, event.currentTarget.value)}
              />
            )}
            <small id={`${id}-about`}>{about}</small>
          </div>
        )
      })}
    </>
  )
}
