import type { FieldSource } from '../../recipe/field-schema.ts'
import { textOf } from '../tree/text-content.ts'
import { kept } from './collect.ts'
import type { Compiling, Reader } from './place.ts'
import { compileRefine, textOfJson } from './refine.ts'

/**
 * Compiles a `regex` that stands alone: it is searched in the text of the row's item, or of the
 * page.
 */
export function compileText(source: FieldSource, at: string, compiling: Compiling): Reader {
  const { many = false } = source
  const refine = compileRefine(source, at, compiling)
  return (page, _, place) => {
    const text =
      place.item !== undefined
        ? textOfJson(place.item)
        : place.element === null
          ? page.readable
          : textOf(place.element, page.budget)
    const values = refine?.(text, page) ?? []
    if (many) return values.map((value) => kept(value, page.budget))
    return kept(values[0] ?? null, page.budget)
  }
}
