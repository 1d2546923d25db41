import { isList, isObject } from '../../../kernel/json.ts'
import type { Json } from '../../../kernel/json.ts'
import { isReservedName } from '../../../kernel/names.ts'
import type { Field, ValueReading } from '../../recipe/recipe-input.ts'
import { StepParts, type Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { numberReadingParts } from '../value/number-signs.ts'
import type { NumbersOfPage } from '../value/number-signs.ts'
import { parseDate } from '../value/parse-date.ts'
import { namesOf } from '../value/wide-names.ts'

const SAMPLE = 200
const MOST_FIELDS = 200
const LONGEST_NAME = 128
const SOME_ADDRESS = 'https://a.example/'
const NUMBER = /^[+-]?(?:0|[1-9]\d{0,14}|[1-9]\d{0,2}(?:,\d{3}){1,4})(?:\.\d{1,15})?$/
const DATE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d[\d:.]{0,10} ?(?:Z|UTC|[+-]\d\d:?\d\d)?)?$/
const ADDRESS = /^https?:\/\/\S+$/i
/** Members whose paths are addresses of the same site. */
const ADDRESS_NAME = /(?:^|[_-]|[a-z](?=[UHL]))(?:url|uri|href|link|permalink)$/i
const PATH = /^\/[^\s/]\S*$/
/** Steps that a turn counts for a name of a record, and for a value of a column. */
const NAME_STEPS = 12
const VALUE_STEPS = 40

/** RecordValues of a page, and the values of theirs that count. */
export interface RecordValues {
  readonly documents: readonly Json[]
  /** The JSONPath of the records in the value from which a row is made. */
  readonly within: string
  /** False for a value that is left out. */
  counts(value: Json): boolean
}

/** All values of the records of some documents. */
export function allOf(documents: readonly Json[]): RecordValues {
  return { documents, within: '$', counts: () => true }
}

/**
 * Returns fields for a list of records of a page: one per member of the first records. Its type is
 * the one that all of its values there have: number, date or address, else the value as it is.
 */
export function* recordFieldParts(
  { documents, within, counts }: RecordValues,
  page: NumbersOfPage & { readonly budget: PageBudget },
): Parts<Record<string, Field>> {
  const { budget } = page
  const parts = new StepParts(budget)
  const values = new Map<string, Json[]>()
  for (const document of documents) {
    for (const record of isList(document) ? document.slice(0, SAMPLE) : []) {
      if (!isObject(record)) continue
      for (const name of namesOf(record)) {
        budget.unpaid(NAME_STEPS)
        if (parts.ends()) yield
        const value = record[name] ?? null
        if (!counts(value)) continue
        const earlier = values.get(name)
        if (earlier !== undefined) earlier.push(value)
        else if (values.size < MOST_FIELDS && isColumn(name)) values.set(name, [value])
      }
    }
  }
  const names: string[] = []
  const columns: (readonly string[])[] = []
  const numbers: (readonly string[])[] = []
  for (const [name, all] of values) {
    budget.unpaid(VALUE_STEPS * all.length)
    if (parts.ends()) yield
    const texts = textsOf(all)
    names.push(name)
    columns.push(texts)
    numbers.push(texts.every((text) => NUMBER.test(text)) ? texts : [])
  }
  const readings = yield* numberReadingParts(numbers, page, names)
  const fields: [name: string, field: Field][] = []
  for (const [index, texts] of columns.entries()) {
    budget.unpaid(VALUE_STEPS * texts.length)
    if (parts.ends()) yield
    const name = names[index] ?? ''
    const field = fieldOf(
      memberPath(within, name),
      ADDRESS_NAME.test(name) ? texts.map((text) => text.replace(PATH, SOME_ADDRESS)) : texts,
      numbers[index]?.length === 0 ? null : (readings[index] ?? null),
    )
    fields.push([name, field])
  }
  return Object.fromEntries(fields)
}

/** The texts of a column. Empty if one of its values is not a text. */
function textsOf(values: readonly Json[]): readonly string[] {
  const present = values.filter((value) => value !== null)
  const texts = present.flatMap((value) => (typeof value === 'string' ? value.trim() : []))
  return texts.length === present.length ? texts : []
}

function fieldOf(json: string, texts: readonly string[], number: ValueReading | null): Field {
  const all = (test: (text: string) => boolean): boolean => texts.length > 0 && texts.every(test)
  if (number !== null) return { json, as: number }
  if (all((text) => DATE.test(text) && parseDate(text) !== null)) return { json, as: 'date' }
  if (all((text) => ADDRESS.test(text))) return { json, as: 'url' }
  return json
}

/** The JSONPath of a member of the value that another JSONPath finds. */
export function memberPath(path: string, name: string): string {
  return /^[A-Za-z_]\w*$/.test(name)
    ? `${path}.${name}`
    : `${path}['${name.replace(/[\\']/g, '\\$&')}']`
}

function isColumn(name: string): boolean {
  return name !== '' && name.length <= LONGEST_NAME && !isReservedName(name)
}
