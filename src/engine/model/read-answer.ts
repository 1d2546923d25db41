import { isList, isObject, memberOf } from '../../kernel/json.ts'
import type { Json, Row } from '../../kernel/json.ts'
import type { PageQuestion } from '../../ports/page-processor.ts'
import type { PageLosses } from '../../ports/page-limits.ts'
import { PageBudget } from '../extract/page/page-budget.ts'
import { PageContent, START } from '../extract/page/page-content.ts'
import { parseJson } from '../extract/page/parse-json.ts'
import { convertJson, hasValue } from '../extract/value/convert.ts'
import { modelFields } from '../plan/compile-model.ts'
import type { ModelColumn, ModelPlan } from '../plan/compile-model.ts'
import { askedColumns, PART } from './question.ts'
import type { AskedColumn } from './question.ts'

/** Maximum rows of one answer. */
const MOST_ROWS = 5_000
/** Limits on the cost of reading one answer, because it runs on the serving thread: some 50 ms. */
const LIMITS = { steps: 2_000_000, bytes: 8 * 1_024 * 1_024 }
const NOTHING = new Uint8Array()

/** The origin that is named for losses of an answer. */
const WHERE = 'the answer of the model'

/** The rows of an answer, and the parts that limits left out. */
export interface ModelRows {
  readonly rows: readonly Row[]
  readonly losses: PageLosses
}

/** Thrown for an answer that does not follow the schema. */
class WrongShape extends Error {}

/**
 * Returns a page's rows with the model's answer added, each value converted to its type. Returns
 * `null` for an answer that does not follow the schema. Values from the page itself are kept. If
 * the answer has too many rows or costs too much to read, the rows read until then are kept.
 */
export function readAnswer(
  kind: ModelPlan['rows'],
  columns: readonly AskedColumn[],
  { parts, baseUrl }: PageQuestion,
  rows: readonly Row[],
  answer: Json,
): ModelRows | null {
  const budget = new PageBudget(LIMITS)
  budget.where = WHERE
  const page = new PageContent(
    { url: baseUrl, contentType: 'text/plain', body: NOTHING },
    START,
    budget,
  )
  const readAll = (): readonly Row[] | null => {
    if (kind === 'page') {
      const values = budget.attempt<Row>(WHERE, () => valuesOf(answer, columns, page), {})
      return rows.map((row) => ({ ...row, ...missing(row, values) }))
    }
    const list = memberOf(answer, 'rows')
    if (!isList(list)) return null
    if (kind !== 'items') {
      if (list.length > MOST_ROWS) budget.cut('rows', MOST_ROWS, WHERE)
      const read = readEach(list.slice(0, MOST_ROWS), budget, (entry) =>
        valuesOf(entry, columns, page),
      )
      return read.map((values) => ({ ...rows[0], ...values }))
    }
    const byRow = new Map<number, Row>()
    readEach(list, budget, (entry) => {
      const part = memberOf(entry, PART)
      const row = typeof part === 'number' ? parts[part - 1]?.row : undefined
      if (row !== undefined && !byRow.has(row)) byRow.set(row, valuesOf(entry, columns, page))
    })
    return byRow.size === 0 && budget.overrun === null
      ? null
      : rows.map((row, index) => ({ ...row, ...missing(row, byRow.get(index) ?? {}) }))
  }
  try {
    const read = readAll()
    return read && { rows: read, losses: budget.losses }
  } catch (error) {
    if (error instanceof WrongShape) return null
    throw error
  }
}

/** Reads entries in order, until the budget ends. */
function readEach<T>(
  entries: readonly Json[],
  budget: PageBudget,
  read: (entry: Json) => T,
): readonly T[] {
  const done: T[] = []
  try {
    for (const entry of entries) done.push(read(entry))
  } catch (error) {
    return budget.settle(error, done)
  }
  return done
}

function missing(row: Row, values: Row): Row {
  return Object.fromEntries(Object.entries(values).filter(([column]) => !hasValue(row[column])))
}

/**
 * Reads the values of columns in an object. A missing value is absent. An object without any of the
 * columns is not an answer.
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
  return value.map((item) => oneOf(item, source, page)).filter((item) => item !== null)
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
  // JSON is sent in a string, because no schema could describe it. It may be as deep as any JSON
  // of a page.
  if (as === 'json')
    return typeof value === 'string'
      ? (parseJson(value) ?? value)
      : (parseJson(JSON.stringify(value)) ?? null)
  if (typeof value === 'object') throw new WrongShape()
  const read = convertJson(typeof value === 'string' ? value.toWellFormed() : value, as, page)
  return read === '' ? null : read
}
