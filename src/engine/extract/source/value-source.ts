import type { Json } from '../../../kernel/json.ts'
import type { FieldSource } from '../../recipe/field-schema.ts'
import type { PageContent } from '../page/page-content.ts'
import { convertJson } from '../value/convert.ts'
import { collect, type Find } from './collect.ts'
import type { Compiling } from './place.ts'
import { compileRefine, textOfJson } from './refine.ts'

/** What a source makes of all values that were found: the first that is one, or for `many` all. */
export type ReadValues = (found: Find<Json>, page: PageContent) => Json

/** Compiles what comes after finding: the fields below a value, or pattern, steps and type. */
export function compileValues(source: FieldSource, at: string, compiling: Compiling): ReadValues {
  const { as, many = false } = source
  if (source.fields !== undefined) {
    const nested = compiling.group(source.fields, `${at}.fields`, 'json')
    return (found, page) =>
      collect(found, many, page.budget, (item) => nested.read(page, { element: null, item }))
  }
  const refine = compileRefine(source, at, compiling)
  if (refine === null)
    return (found, page) =>
      collect(found, many, page.budget, (value) => convertJson(value, as, page))
  return (found, page) => {
    const value = collect(found, many, page.budget, (one) => {
      const values = one === null ? [] : refine(textOfJson(one), page)
      return many ? values : (values[0] ?? null)
    })
    return many && Array.isArray(value) ? value.flat() : value
  }
}
