import { isList } from '../../../kernel/json.ts'
import type { Json } from '../../../kernel/json.ts'
import type { FieldSource, ValueType } from '../../recipe/field-schema.ts'
import type { PageContent } from '../page/page-content.ts'
import { checkedRegex } from '../value/checked-regex.ts'
import { convertJson } from '../value/convert.ts'
import type { Compiling } from './place.ts'
import { compileTransforms, type Step } from './transform.ts'

/**
 * What a source's `regex`, `transform` and `as` make of a text: a list for `many`, else one value,
 * or the list of `split`.
 */
export type Refine = (text: string, page: PageContent) => readonly Json[]

/**
 * Compiles them; `null` where a source has neither `regex` nor `transform`, so that a type is all
 * there is to it.
 */
export function compileRefine(
  { regex, group, transform, as, many }: FieldSource,
  at: string,
  { issues }: Compiling,
): Refine | null {
  if (regex === undefined && transform === undefined) return null
  const pattern = regex === undefined ? null : checkedRegex(regex, group, `${at}.regex`, issues)
  const steps =
    transform === undefined ? [] : compileTransforms(transform, `${at}.transform`, issues)
  return (text, page) => {
    const matched =
      regex === undefined
        ? [text]
        : pattern === null
          ? []
          : many === true
            ? pattern.all(text, page.budget)
            : [pattern.first(text, page.budget)].filter((found) => found !== null)
    return matched.flatMap((found) => {
      const value = typed(run(steps, found, page), as, page)
      return value === null ? [] : many === true && isList(value) ? value : [value]
    })
  }
}

/** A found value as a text that can be refined. */
export function textOfJson(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function run(steps: readonly Step[], text: string, page: PageContent): Json {
  let value: Json = text
  for (const step of steps) value = step(value, page)
  return value
}

function typed(value: Json, as: ValueType | undefined, page: PageContent): Json {
  if (isList(value)) {
    const known = value.map((one) => typed(one, as, page)).filter((one) => one !== null)
    return known.length === 0 ? null : known
  }
  if (value === '') return null
  // What steps have made of a text stays as it is.
  return as === undefined || as === 'text' || as === 'html' || as === 'markdown'
    ? value
    : convertJson(value, as, page)
}
