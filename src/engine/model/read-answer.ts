import { isList, isObject } from '../../kernel/json.ts'
import type { Json, Row } from '../../kernel/json.ts'
import type { PageQuestion } from '../../ports/page-processor.ts'
import { PageBudget, PageTooCostly } from '../extract/page/page-budget.ts'
import { PageContent, START } from '../extract/page/page-content.ts'
import { parseJson } from '../extract/page/parse-json.ts'
import { convertJson, hasValue } from '../extract/value/convert.ts'
import { modelFields } from '../plan/compile-model.ts'
import type { ModelColumn, ModelPlan } from '../plan/compile-model.ts'
import { askedColumns, PART } from './question.ts'
import type { AskedColumn } from './question.ts'

/** Rows that one answer may have. */
const MOST_ROWS = 5_000
/** What reading one answer may cost, which is done on the thread that serves: some 50 ms. */
const LIMITS = { steps: 2_000_000, bytes: 8 * 1_024 * 1_024 }
const NOTHING = new Uint8Array()

/** Thrown for what does not follow the schema. */
class WrongShape extends Error {}

/**
 * The rows of a page with what a model has answered, each value read as its type; `null` for an
 * answer that does not follow the schema, or takes too much to be read. What the page itself gave
 * stays.
 */
export function readAnswer(
  kind: ModelPlan['rows'],
  columns: readonly AskedColumn[],
  { parts, baseUrl }: PageQuestion,
  rows: readonly Row[],
  answer: Json,
): readonly Row[] | null {
  const page = new PageContent(
    { url: baseUrl, contentType: 'text/plain', body: NOTHING },
    START,
    new PageBudget(LIMITS),
  )
  try {
    if (kind === 'page')
      return rows.map((row) => ({ ...row, ...missing(row, valuesOf(answer, columns, page)) }))
    const list = memberOf(answer, 'rows')
    if (!isList(list)) return null
    if (kind !== 'items')
      return list
        .slice(0, MOST_ROWS)
        .map((entry) => ({ ...rows[0], ...valuesOf(entry, columns, page) }))
    const byRow = new Map<number, Row>()
    for (const entry of list) {
      const part = memberOf(entry, PART)
      const row = typeof part === 'number' ? parts[part - 1]?.row : undefined
      if (row !== undefined && !byRow.has(row)) byRow.set(row, valuesOf(entry, columns, page))
    }
    return byRow.size === 0
      ? null
      : rows.map((row, at) => ({ ...row, ...missing(row, byRow.get(at) ?? {}) }))
  } catch (error) {
    if (error instanceof WrongShape || error instanceof PageTooCostly) return null
    throw error
  }
}

function missing(row: Row, values: Row): Row {
  return Object.fromEntries(Object.entries(values).filter(([column]) => !hasValue(row[column])))
}

/**
 * The values of columns in an object. A value that is not there is none; an object that has none of
 * them is an answer to something else.
 */
function valuesOf(
  answer: Json | undefined,
  columns: readonly AskedColumn[],
  page: PageContent,
): Row {
  if (!isObject(answer) || !columns.some(({ name }) => Object.hasOwn(answer, name)))
    throw new WrongShape()
  return Object.fromEntries(
    columns.map(({ name, column, source }) => [
      column,
      valueOf(memberOf(answer, name) ?? null, source, page),
    ]),
  )
}

function valueOf(value: Json, source: ModelColumn['source'], page: PageContent): Json {
  if (source.many !== true) return oneOf(value, source, page)
  if (value === null) return []
  if (!isList(value)) throw new WrongShape()
  return value.map((one) => oneOf(one, source, page)).filter((one) => one !== null)
}

function oneOf(
  value: Json,
  { as = 'text', fields }: ModelColumn['source'],
  page: PageContent,
): Json {
  if (value === null) return null
  if (fields !== undefined) {
    const inner = valuesOf(value, askedColumns(modelFields(fields)), page)
    return Object.values(inner).some(hasValue) ? inner : null
  }
  // In a string, as no schema could say what it is; as deep as any JSON of a page.
  if (as === 'json')
    return typeof value === 'string'
      ? (parseJson(value) ?? value)
      : (parseJson(JSON.stringify(value)) ?? null)
  if (typeof value === 'object') throw new WrongShape()
  const read = convertJson(typeof value === 'string' ? value.toWellFormed() : value, as, page)
  return read === '' ? null : read
}

function memberOf(value: Json, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}
