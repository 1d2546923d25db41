import { isStructure } from './json.ts'
import { DEEPEST } from './json-depth.ts'
import { integer, maxValue, metadata, minValue, number, pipe, safeParse } from 'valibot'
import type { BaseIssue, GenericSchema, MetadataAction } from 'valibot'
import type { Issue } from './errors.ts'
import type { Json } from './json.ts'
import { pathPart, isReservedName, nameMeant, namesInstead } from './names.ts'

/** The parsed value of an input, or all its issues. */
export type Checked<T> =
  | { readonly output: T; readonly issues: null }
  | { readonly issues: readonly Issue[] }

/** A number of things. */
export const countSchema = pipe(number(), integer(), minValue(0))

/** A whole number within these bounds. */
export const wholeNumber = (min: number, max: number) =>
  pipe(number(), integer(), minValue(min), maxValue(max))

/** Limits the cost of a hostile body. */
const MAX_ROUNDS = 5
/**
 * For an input with more values than this, only the first issue is reported: finding all of them
 * costs many times as much.
 */
const MOST_FULLY_TOLD = 2_000

/**
 * Validates JSON, of no more values than `most`. Unlike the schema library, it does not accept a
 * list as an object, does not drop names silently, and reports the first five unknown fields of
 * each object instead of one.
 */
export function checkSchema<T>(
  schema: GenericSchema<unknown, T>,
  input: unknown,
  most = MOST_VALUES,
): Checked<T> {
  const beyond = beyondBounds(input, most)
  if (beyond !== null) return { issues: [{ path: '', message: beyond }] }
  const first = safeParse(schema, input, { abortEarly: true })
  const misread = misreadIssues(input, first.output)
  if (first.success && misread.length === 0) return { output: first.output, issues: null }
  if (hasMoreValues(input, MOST_FULLY_TOLD))
    return withMisread(schemaIssues(first.issues ?? [], schema), misread, [])
  const all = first.success ? null : safeParse(schema, input)
  return withMisread(
    schemaIssues(all?.issues ?? [], schema),
    all ? misreadIssues(input, all.output) : misread,
    all ? furtherUnknown(schema, input) : [],
  )
}

/** All issues. A path that the schema itself reports is not reported twice. */
function withMisread(
  issues: readonly Issue[],
  misread: readonly Issue[],
  further: readonly Issue[],
): { readonly issues: readonly Issue[] } {
  const paths = new Set(issues.map(({ path }) => path))
  return { issues: [...issues, ...misread.filter(({ path }) => !paths.has(path)), ...further] }
}

/** Validates repeatedly, each time without the unknown fields found before. */
function furtherUnknown(schema: GenericSchema<unknown, unknown>, input: unknown): Issue[] {
  const rest: unknown = structuredClone(input)
  const issues: Issue[] = []
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const unknown = (safeParse(schema, rest).issues ?? []).filter(isUnknownKey)
    if (unknown.length === 0) break
    if (round > 0) issues.push(...schemaIssues(unknown, schema))
    unknown.forEach(removeKey)
  }
  return issues
}

function removeKey(issue: BaseIssue<unknown>): void {
  const item = issue.path?.at(-1)
  if (item && isStructure(item.input)) Reflect.deleteProperty(item.input, String(item.key))
}

/** Facts about a schema that the OpenAPI description needs and the schema library cannot express. */
export interface SchemaFacts {
  /** Name among the description's components. A recursive schema needs one. */
  readonly component?: string
  /**
   * The schema that the description shows if code checks this one. It is a component, unless
   * `component` names it.
   */
  readonly as?: GenericSchema<unknown, unknown>
  /**
   * The JSON Schema that the description shows for values that are sent as text but have another
   * type.
   */
  readonly json?: { readonly [keyword: string]: Json }
}

/** Creates a pipe item that does not affect validation. */
export function documented<T>(
  facts: SchemaFacts,
): MetadataAction<T, { readonly documented: SchemaFacts }> {
  return metadata({ documented: facts })
}

const NOUN: Readonly<Record<string, string>> = {
  Object: 'an object',
  Array: 'a list',
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
}

/**
 * Converts the issues that a schema has found into plain English messages, each with its dotted
 * path below `root`.
 */
export function schemaIssues(
  issues: readonly BaseIssue<unknown>[],
  schema: GenericSchema<unknown, unknown>,
  root: readonly string[] = [],
): Issue[] {
  return issues.flatMap((issue) => {
    const keys = (issue.path ?? []).map((item) => String(item.key))
    const path = [...root, ...keys]
    if (issue.issues) {
      const variants = schemasAt(schema, keys).filter((inner) => inner !== schema)
      const { found: nested, variant } = closest(issue, variants)
      return schemaIssues(nested, variant ?? schema, path)
    }
    const message = isUnknownKey(issue)
      ? `unknown field${namesInstead(keys.at(-1) ?? '', fieldsAt(schema, keys.slice(0, -1)))}`
      : messageOf(issue)
    return [{ path: path.map(pathPart).join('.'), message }]
  })
}

/** The fields that a schema knows at a path, of all variants that have it. */
function fieldsAt(schema: unknown, keys: readonly string[]): string[] {
  const fields = schemasAt(schema, keys).flatMap((inner) =>
    isStructure(inner) && 'entries' in inner && isStructure(inner.entries)
      ? Object.keys(inner.entries)
      : [],
  )
  return [...new Set(fields)]
}

/** The schemas at a path. There are several if the value may be one of several variants. */
function schemasAt(schema: unknown, keys: readonly string[], depth = 0): unknown[] {
  // Deeper nesting means a schema that contains itself directly.
  if (!isStructure(schema) || depth > DEEPEST) return []
  const inside = (inner: unknown, rest = keys): unknown[] => schemasAt(inner, rest, depth + 1)
  if ('wrapped' in schema) return inside(schema.wrapped)
  if ('getter' in schema && typeof schema.getter === 'function')
    return inside(schema.getter(undefined))
  // The options of a picklist are not schemas.
  if ('options' in schema && Array.isArray(schema.options) && schema.options.some(isStructure))
    return schema.options.flatMap((option: unknown) => inside(option))
  const [key, ...rest] = keys
  if (key === undefined) return [schema]
  if ('entries' in schema && isStructure(schema.entries))
    return inside(Reflect.get(schema.entries, key), rest)
  if ('item' in schema) return inside(schema.item, rest)
  return 'value' in schema ? inside(schema.value, rest) : []
}

/** The variant of a union that the input probably means, with its issues. */
function closest(
  { input, issues }: BaseIssue<unknown>,
  variants: readonly unknown[],
): {
  readonly found: readonly BaseIssue<unknown>[]
  readonly variant?: GenericSchema<unknown, unknown>
} {
  const [best] = variants
    .filter(isSchema)
    .map((variant) => ({ variant, found: issuesOf(variant, input) }))
    .filter(({ found }) => found.length > 0)
    .map(({ variant, found }) => ({
      variant,
      found,
      // A value that has another type or lacks a required field is probably meant for another
      // variant.
      distance:
        found.length +
        1_000 * found.filter(isMissing).length +
        (found.some((issue) => issue.path === undefined && issue.kind === 'schema') ? 1e6 : 0),
    }))
    .toSorted((left, right) => left.distance - right.distance)
  return best ?? { found: issues?.slice(0, 1) ?? [] }
}

function issuesOf(
  schema: GenericSchema<unknown, unknown>,
  input: unknown,
): readonly BaseIssue<unknown>[] {
  return safeParse(schema, input).issues ?? []
}

function isSchema(value: unknown): value is GenericSchema<unknown, unknown> {
  return isStructure(value) && 'kind' in value && value.kind === 'schema'
}

/** Returns true if the issue is an unknown field. */
function isUnknownKey(issue: BaseIssue<unknown>): boolean {
  return issue.type === 'strict_object' && issue.expected === 'never'
}

function isMissing(issue: BaseIssue<unknown>): boolean {
  return issue.received === 'undefined' && issue.kind === 'schema'
}

function messageOf(issue: BaseIssue<unknown>): string {
  // A message that the schema defines is better than one derived from its type.
  if (!/^Invalid [\w ]+: /.test(issue.message)) return issue.message
  if (isMissing(issue)) return 'is required'
  const requirement = String(issue.requirement)
  const things = typeof issue.input === 'string' ? 'characters' : 'items'
  switch (issue.type) {
    case 'min_length':
    case 'min_entries':
      return requirement === '1'
        ? 'must not be empty'
        : `must have at least ${requirement} ${things}`
    case 'max_length':
    case 'max_entries':
      return `must have at most ${requirement} ${things}`
    case 'min_value':
      return `must be at least ${requirement}`
    case 'max_value':
      return `must be at most ${requirement}`
    case 'integer':
      return 'must be a whole number'
    case 'finite':
      return 'must be a finite number'
    case 'iso_timestamp':
      return 'must be an ISO 8601 time such as 2030-01-31T12:00:00Z'
    case 'picklist':
    case 'literal': {
      const words = (issue.expected ?? '').replace(/^\(|\)$/g, '').split(' | ')
      const names = words.map((word) => word.replaceAll('"', ''))
      const suggestion = typeof issue.input === 'string' ? nameMeant(issue.input, names) : ''
      return `must be ${words.join(', ').replace(/, ([^,]*)$/, ' or $1')}${suggestion}`
    }
    default:
      return issue.kind === 'schema' && issue.expected
        ? `must be ${NOUN[issue.expected] ?? issue.expected}`
        : 'is not valid'
  }
}

/**
 * Finds the paths of an input that the schema library silently misreads:
 *
 * - a list in place of an object: `recipe.crawl: []` would pass as `{}`;
 * - a name such as `constructor`, which records drop.
 */
function misreadIssues(input: unknown, output: unknown): Issue[] {
  if (!isStructure(input) || !isStructure(output) || input === output) return []
  if (Array.isArray(input)) {
    if (!Array.isArray(output)) return [{ path: '', message: 'must be an object' }]
    return input.flatMap((item, index) => below(String(index), misreadIssues(item, output[index])))
  }
  const issues: Issue[] = []
  for (const [key, value] of Object.entries(input)) {
    if (isReservedName(key) && !Object.hasOwn(output, key))
      issues.push({ path: key, message: 'is not allowed as a name' })
    else if (isStructure(value))
      issues.push(...below(pathPart(key), misreadIssues(value, Reflect.get(output, key))))
  }
  return issues
}

function below(key: string, issues: Issue[]): Issue[] {
  return issues.map(({ path, message }) => ({
    path: path === '' ? key : `${key}.${path}`,
    message,
  }))
}

/**
 * Maximum number of values in one input: lists, objects and their contents. A recipe of 10,000
 * start URLs and 200 columns has some 12,000. Checking one value takes one or two microseconds.
 */
export const MOST_VALUES = 30_000

const DEEP = -2

/** Returns why an input is too large to validate; `null` if it is not. Visits at most `most` values. */
export function beyondBounds(value: unknown, most = MOST_VALUES): string | null {
  const left = count(value, most, 0)
  if (left >= 0) return null
  return left === DEEP ? `is deeper than ${DEEPEST} levels` : tooManyValues(most)
}

/** The message for an input with more than `most` values. */
export function tooManyValues(most: number): string {
  return `has more than ${most.toLocaleString('en')} values, which is the limit; divide it among several requests`
}

/** Returns whether a value contains more than `most` values, or is deeper than {@link DEEPEST}. */
function hasMoreValues(value: unknown, most: number): boolean {
  return count(value, most, 0) < 0
}

/** Returns how many of `most` are left. Negative: there are more values than `most`. */
function count(value: unknown, most: number, depth: number): number {
  let left = most - 1
  if (!isStructure(value)) return left
  if (depth === DEEPEST) return DEEP
  for (const key in value) {
    if (left < 0) break
    left = count(Reflect.get(value, key), left, depth + 1)
  }
  return left
}
