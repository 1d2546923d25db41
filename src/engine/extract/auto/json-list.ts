import { isList, isObject } from '../../../kernel/json.ts'
import type { Json, JsonObject } from '../../../kernel/json.ts'
import type { Field } from '../../recipe/recipe-input.ts'
import type { NumbersOfPage } from '../value/number-signs.ts'
import { memberPath, recordFieldParts, type RecordValues } from '../document/record-fields.ts'
import { AheadPay, inSlices, QuickPass, StepParts, type Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { namesOf } from '../value/wide-names.ts'

/** Objects of a document at the same path in it, such as `$.data.products[*]`. */
export interface JsonList {
  /** JSONPath of the objects (RFC 9535). */
  readonly items: string
  readonly fields: Readonly<Record<string, Field>>
  readonly count: number
}

const LEAST_ITEMS = 2
/** Depth at which the search for lists ends. */
const MOST_DEPTH = 12
/** Maximum number of objects and lists that are searched. */
const MOST_VALUES = 20_000
/** Number of objects of a list whose members become columns. */
const SAMPLE = 50
/**
 * Maximum number of different paths of objects, because documents that use ids as names have one
 * path for each.
 */
const MOST_LISTS = 500
const MOST_COLUMNS = 30
/** A recipe accepts at most 500 characters. */
const LONGEST_PATH = 300
/** Minimum number of objects with their own names that count as a list. */
const LEAST_NAMED = 3
const TYPE = /^\w{1,60}$/
/** The member of a GraphQL object that names its type, for programs. */
const TYPE_NAME = '__typename'
/** Matches a name that a path can contain unchanged. */
const PRINTABLE = /^[^\p{C}]{1,100}$/u
/** A column has a value in at least this share of the objects. */
const LEAST_FILLED = 0.1
/** Number of columns above which more columns do not make a list likelier. */
const ENOUGH_COLUMNS = 8
/** Steps to visit a member, and those that a turn counts for its name. */
const MEMBER_STEPS = 4
const NAME_STEPS = 8

interface ListSample {
  readonly path: string
  count: number
  readonly sample: JsonObject[]
}

/**
 * Returns the lists of objects in some documents, best first: those with many objects that have
 * many values of their own. A list in each object of another one is one list: its path has two
 * `[*]`.
 */
export function* jsonLists(
  documents: readonly Json[],
  page: NumbersOfPage & { readonly budget: PageBudget },
): Parts<readonly JsonList[]> {
  const lists: (JsonList & { readonly score: number })[] = []
  for (const { path, count, sample } of yield* listSamples(documents, page.budget)) {
    if (count < LEAST_ITEMS) continue
    const fields = yield* fieldParts(sample, page)
    yield
    const columns = Object.keys(fields).length
    if (columns < 2) continue
    const score = Math.sqrt(count) * Math.min(ENOUGH_COLUMNS, columns)
    lists.push({ items: path, fields, count, score })
  }
  return lists
    .toSorted((a, b) => b.score - a.score)
    .map(({ items, fields, count }) => ({ items, fields, count }))
}

function* listSamples(
  documents: readonly Json[],
  budget: PageBudget,
): Parts<readonly ListSample[]> {
  const samples = new Map<string, ListSample>()
  const pass = new QuickPass(budget, NAME_STEPS)
  const open = documents.map((value) => ({ value, path: '$', depth: 0 }))
  // In order of the document, level by level: a path that is nearer to the root comes first.
  for (let index = 0; index < open.length; index++) {
    const entry = open[index]
    if (entry === undefined) break
    const { value, path, depth } = entry
    const add = (child: Json, childPath: string): void => {
      if (!isObject(child) && !isList(child)) return
      if (isObject(child) && childPath.includes('[*]')) note(samples, childPath, child)
      if (open.length < MOST_VALUES && depth < MOST_DEPTH && childPath.length <= LONGEST_PATH)
        open.push({ value: child, path: childPath, depth: depth + 1 })
    }
    if (isList(value)) {
      budget.workAhead(2 + 2 * value.length)
      for (const slice of inSlices(value)) {
        for (const child of slice) add(child, `${path}[*]`)
        budget.did(2 * slice.length)
        yield
      }
      budget.did()
    } else if (isObject(value)) {
      const names = namesOf(value)
      budget.work(2)
      const pay = new AheadPay(budget, MEMBER_STEPS, names.length)
      for (const name of names) {
        if (pay.ends() || pass.ends()) yield
        const child = value[name] ?? null
        if (typeof child === 'object' && child !== null && PRINTABLE.test(name))
          add(child, memberPath(path, name))
      }
      pay.end()
      if (names.length >= LEAST_NAMED) yield* noteNamed(samples, path, value, names, pass)
    }
  }
  return [...samples.values()]
}

/**
 * Adds the objects of an object that has them by their ids: those of one type in the cache of a
 * GraphQL client, or all of them.
 */
function* noteNamed(
  samples: Map<string, ListSample>,
  path: string,
  object: JsonObject,
  names: readonly string[],
  pass: QuickPass,
): Parts<void> {
  let areIds = true
  for (const name of names) {
    if (pass.ends()) yield
    areIds = /\d/.test(name) && isObject(object[name])
    if (!areIds) break
  }
  for (const name of names) {
    if (pass.ends()) yield
    const value = object[name]
    if (!isObject(value)) continue
    const type = value[TYPE_NAME]
    if (typeof type === 'string' && TYPE.test(type))
      note(samples, `${path}[?@.${TYPE_NAME}=='${type}']`, value)
    else if (areIds) note(samples, `${path}[*]`, value)
  }
}

function note(samples: Map<string, ListSample>, path: string, value: JsonObject): void {
  const list = samples.get(path)
  if (list !== undefined) {
    list.count++
    if (list.sample.length < SAMPLE) list.sample.push(value)
  } else if (samples.size < MOST_LISTS) samples.set(path, { path, count: 1, sample: [value] })
}

/**
 * The members with a text, a number or a truth value, also those of an object in the object:
 * `price.amount` becomes `price_amount`. Lists in it are left out.
 */
function* fieldParts(
  sample: readonly JsonObject[],
  page: NumbersOfPage & { readonly budget: PageBudget },
): Parts<Record<string, Field>> {
  const { budget } = page
  budget.work(20 * sample.length)
  const own = yield* recordFieldParts(valuesOf(sample, '$'), page)
  const columns = Object.entries(own).filter(
    ([column]) => column !== TYPE_NAME && filledShare(sample, column, sample.length),
  )
  const inner: Record<string, Field> = {}
  for (const name of yield* innerNames(sample, budget)) {
    if (columns.length + Object.keys(inner).length >= MOST_COLUMNS) break
    const parts = sample.flatMap((object) => {
      const part = object[name]
      return isObject(part) ? [part] : []
    })
    budget.work(10 * parts.length)
    const fields = yield* recordFieldParts(valuesOf(parts, memberPath('$', name)), page)
    yield
    for (const [column, field] of Object.entries(fields)) {
      const free = `${name}_${column}`
      if (filledShare(parts, column, sample.length) && !Object.hasOwn(own, free))
        inner[free] = field
    }
  }
  return Object.fromEntries([...columns, ...Object.entries(inner)].slice(0, MOST_COLUMNS))
}

/** The names whose values are objects in some of the sample. */
function* innerNames(
  sample: readonly JsonObject[],
  budget: PageBudget,
): Parts<ReadonlySet<string>> {
  const parts = new StepParts(budget)
  const names = new Set<string>()
  for (const object of sample)
    for (const name of namesOf(object)) {
      budget.unpaid(NAME_STEPS)
      if (parts.ends()) yield
      if (isObject(object[name])) names.add(name)
    }
  return names
}

/** RecordValues without their objects and lists. */
function valuesOf(objects: readonly JsonObject[], within: string): RecordValues {
  const counts = (value: Json): boolean => typeof value !== 'object' || value === null
  return { documents: [[...objects]], within, counts }
}

function filledShare(objects: readonly JsonObject[], name: string, of: number): boolean {
  const filled = objects.filter((object) => {
    const value = object[name]
    return value !== undefined && value !== null && value !== '' && typeof value !== 'object'
  })
  return filled.length >= Math.max(1, LEAST_FILLED * of)
}
