import type { Issue } from '../../../kernel/errors.ts'
import { isList } from '../../../kernel/json.ts'
import type { Json } from '../../../kernel/json.ts'
import type { Transform } from '../../recipe/recipe-input.ts'
import { VALUE_BYTES } from '../page/parse-json.ts'
import type { PageBudget } from '../page/page-budget.ts'
import type { PageContent } from '../page/page-content.ts'
import { collapse } from '../tree/text-content.ts'
import { checkedRegex } from '../value/linear-regex.ts'
import { searchSteps } from '../page/page-budget.ts'

/** One step on a value: a text, or the list that `split` makes. `null`: there is no value any more. */
export type Step = (value: Json, page: PageContent) => Json

/** Maximum length of the texts and lists that steps make. */
const MAX_TEXT = 1_000_000
const MAX_PARTS = 10_000
const ADDRESS = /^[^\s@]{1,64}@[^\s@]{1,255}$/
const PARTS = 'parts of a text'

/** Compiles `transform`. The field applies `default`, because it also applies to missing values. */
export function compileTransforms(
  transforms: readonly Transform[],
  sourcePath: string,
  issues: Issue[],
): readonly Step[] {
  return transforms.flatMap(
    (transform, index) => compileStep(transform, `${sourcePath}.${index}`, issues) ?? [],
  )
}

/** Returns the value of the last `default`, which replaces a missing value. */
export function defaultOf(transforms: readonly Transform[]): string | number | boolean | undefined {
  for (const step of transforms.toReversed())
    if (typeof step === 'object' && step.default !== undefined) return step.default
  return undefined
}

function compileStep(transform: Transform, stepPath: string, issues: Issue[]): Step | null {
  switch (transform) {
    case 'trim':
      return eachText((text) => text.trim())
    case 'collapse':
      return eachText(collapse)
    case 'lower':
      return eachText((text) => text.toLowerCase())
    case 'upper':
      return eachText((text) => text.toUpperCase())
    case 'name':
      return eachText(nameOfMailbox)
  }
  const { replace, split, join, item, slice, prefix, suffix, map } = transform
  if (replace !== undefined) return compileReplace(replace, stepPath, issues)
  if (split !== undefined) return (value, page) => splitAll(value, split, page.budget)
  if (join !== undefined)
    return (value, { budget }) => (isList(value) ? joined(value, join, budget) : value)
  if (item !== undefined) return (value) => listOf(value).at(item) ?? null
  if (slice !== undefined) return eachText((text) => text.slice(...slice))
  if (prefix !== undefined) return eachText((text) => (text === '' ? text : prefix + text))
  if (suffix !== undefined) return eachText((text) => (text === '' ? text : text + suffix))
  if (map !== undefined)
    return each((value) =>
      typeof value === 'string' && Object.hasOwn(map, value) ? (map[value] ?? null) : value,
    )
  return null
}

/** The name in a mail address (RFC 5322): `Ida <i@a.example>`; or, as in RSS, `i@a.example (Ida)`. */
function nameOfMailbox(text: string): string {
  const open = text.search(/[<(]/)
  if (open === -1 || !/[>)]$/.test(text)) return text
  const [outer, inner] = [text.slice(0, open).trim(), text.slice(open + 1, -1).trim()]
  if (ADDRESS.test(inner) && outer !== '') return outer.replaceAll('"', '')
  return ADDRESS.test(outer) && inner !== '' ? inner : text
}

function compileReplace(
  replace: NonNullable<Exclude<Transform, string>['replace']>,
  stepPath: string,
  issues: Issue[],
): Step | null {
  if ('regex' in replace) {
    const regex = checkedRegex(replace.regex, undefined, `${stepPath}.replace.regex`, issues)
    return regex === null
      ? null
      : each((value, page) =>
          typeof value === 'string'
            ? shortened(regex.replace(value, replace.with, page.budget), page.budget)
            : value,
        )
  }
  const [text, other] = replace
  return each((value, page) =>
    typeof value === 'string' ? replaced(value, text, other, page.budget) : value,
  )
}

/**
 * Replaces one match at a time, so that a long replacement for each character is paid for before it
 * is made.
 */
function replaced(value: string, text: string, other: string, budget: PageBudget): string {
  budget.work(value.length + searchSteps(value, text))
  const between = value.split(text)
  budget.make(between.length * other.length)
  return shortened(between.join(other), budget)
}

function shortened(text: string, budget: PageBudget): string {
  if (text.length <= MAX_TEXT) return text
  budget.cut('characters of a text', MAX_TEXT)
  return text.slice(0, MAX_TEXT)
}

function splitAll(value: Json, separator: string, budget: PageBudget): readonly Json[] {
  const pieces: Json[] = []
  for (const text of listOf(value)) {
    for (const part of parts(text, separator, budget)) {
      if (pieces.length === MAX_PARTS) {
        budget.cut(PARTS, MAX_PARTS)
        return pieces
      }
      pieces.push(part)
    }
  }
  return pieces
}

function parts(value: Json, separator: string, budget: PageBudget): readonly Json[] {
  if (typeof value !== 'string') return [value]
  budget.work(value.length)
  const pieces = value.split(separator, MAX_PARTS + 1)
  budget.make(VALUE_BYTES * pieces.length + value.length)
  if (pieces.length > MAX_PARTS) {
    budget.cut(PARTS, MAX_PARTS)
    pieces.pop()
  }
  return pieces.map((part) => part.trim()).filter((part) => part !== '')
}

function joined(values: readonly Json[], separator: string, budget: PageBudget): string {
  const texts = values.map(String)
  budget.make(texts.reduce((size, text) => size + text.length + separator.length, 0))
  return texts.join(separator)
}

function each(change: Step): Step {
  return (value, page) =>
    isList(value) ? value.map((item) => change(item, page)) : change(value, page)
}

function eachText(change: (text: string) => string): Step {
  return each((value, { budget }) => {
    if (typeof value !== 'string') return value
    budget.work(2 + (value.length >> 1))
    const text = change(value)
    if (text !== value) budget.make(VALUE_BYTES + text.length)
    return text
  })
}

function listOf(value: Json): readonly Json[] {
  return isList(value) ? value : value === null ? [] : [value]
}
