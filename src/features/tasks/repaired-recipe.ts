import type { RecipeInput } from '../../engine/recipe/recipe-input.ts'
import { isObject } from '../../kernel/json.ts'
import type { Json } from '../../kernel/json.ts'
import type { FieldRelocation, RelocationRecord } from '../executions/records.ts'

/** A repair of a recipe by a proposal. */
export interface Repair {
  readonly recipe: Json
  /** The columns whose fields change. */
  readonly fields: readonly string[]
}

/**
 * Replaces sources that no longer match by proposed ones. `chosen` picks the fields.
 *
 * @returns `null` if the recipe no longer has these sources, or nothing is chosen
 */
export function repairedRecipe(
  recipe: RecipeInput,
  { items, fields }: RelocationRecord,
  chosen: (field: FieldRelocation) => boolean,
): Repair | null {
  const { extract } = recipe
  if (extract === undefined || extract === 'auto' || extract.fields === undefined) return null
  const accepted = fields.filter((field) => field.proposal !== null && chosen(field))
  if (accepted.length === 0 || (items !== null && extract.items !== items.source)) return null
  const current = new Map<string, unknown>(Object.entries(extract.fields))
  if (!accepted.every(({ field, source }) => isSame(current.get(field), source))) return null
  const copy: Json = JSON.parse(JSON.stringify(recipe))
  const parts = isObject(copy) ? copy : {}
  const rules = isObject(parts['extract']) ? parts['extract'] : {}
  const old = isObject(rules['fields']) ? rules['fields'] : {}
  return {
    recipe: {
      ...parts,
      extract: {
        ...rules,
        ...(items !== null && { items: items.proposal }),
        fields: {
          ...old,
          ...Object.fromEntries(accepted.map(({ field, proposal }) => [field, proposal])),
        },
      },
    },
    fields: accepted.map(({ field }) => field),
  }
}

/** True if a recipe already contains all changes of a proposal. */
export function isRepaired({ extract }: RecipeInput, { items, fields }: RelocationRecord): boolean {
  if (extract === undefined || extract === 'auto' || extract.fields === undefined) return false
  const current = new Map<string, unknown>(Object.entries(extract.fields))
  return (
    (items === null || extract.items === items.proposal) &&
    fields.every(({ field, proposal }) => proposal === null || isSame(current.get(field), proposal))
  )
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
