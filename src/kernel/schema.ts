import { safeParse, metadata } from 'valibot'
import type { BaseIssue, GenericSchema, MetadataAction } from 'valibot'
import type { Issue } from './errors.ts'
import type { Json } from './json.ts'
import { pathPart, isReservedName } from './names.ts'

/** What a schema makes of an input, or everything that is wrong with it. */
export type Checked<T> =
  | { readonly output: T; readonly issues: null }
  | { readonly issues: readonly Issue[] }

/** Bounds what a hostile body can cost. */
const MAX_ROUNDS = 5
/**
 * Of an input with more values than this the first wrong place alone is named: to find all of them
 * costs many times as much.
 */
const MOST_FULLY_TOLD = 2_000

/**
 * Validates JSON, of no more values than `most`. Unlike the schema library it takes no list for an
 * object, leaves out no name without saying so, and names the first five unknown fields of each
 * object and not just one.
 */
export function checkSchema<T>(
  schema: GenericSchema<unknown, T>,
  input: unknown,
  most = MOST_VALUES,
): Checked<T> {
  const beyond = beyondBounds(input, most)
  if (beyond !== null) return { issues: [{ path: '', message: beyond }] }
  const first = safeParse(schema, input, { abortEarly: true })
  const misread = misreadPlaces(input, first.output)
  if (first.success && misread.length === 0) return { output: first.output, issues: null }
  if (hasMoreValues(input, MOST_FULLY_TOLD))
    return withMisread(schemaIssues(first.issues ?? []), misread, [])
  const all = first.success ? null : safeParse(schema, input)
  return withMisread(
    schemaIssues(all?.issues ?? []),
    all ? misreadPlaces(input, all.output) : misread,
    all ? furtherUnknown(schema, input) : [],
  )
}

/** Everything that is wrong; a place that the schema speaks about itself is not named twice. */
function withMisread(
  told: readonly Issue[],
  misread: readonly Issue[],
  further: readonly Issue[],
): { readonly issues: readonly Issue[] } {
  const paths = new Set(told.map(({ path }) => path))
  return { issues: [...told, ...misread.filter(({ path }) => !paths.has(path)), ...further] }
}

/** Looks again and again without the fields that were found before. */
function furtherUnknown(schema: GenericSchema<unknown, unknown>, input: unknown): Issue[] {
  const rest: unknown = structuredClone(input)
  const found: Issue[] = []
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const unknown = (safeParse(schema, rest).issues ?? []).filter(isUnknownKey)
    if (unknown.length === 0) break
    if (round > 0) found.push(...schemaIssues(unknown))
    unknown.forEach(removeKey)
  }
  return found
}

function removeKey(issue: BaseIssue<unknown>): void {
  const item = issue.path?.at(-1)
  if (item && typeof item.input === 'object' && item.input !== null)
    Reflect.deleteProperty(item.input, String(item.key))
}

/** What the OpenAPI description has to know of a schema beyond what the schema's own parts say. */
export interface SchemaFacts {
  /** Name among the description's components. A schema that holds itself needs one. */
  readonly component?: string
  /**
   * Described instead of this schema, where code decides what it accepts: a component, unless
   * `component` names it.
   */
  readonly as?: GenericSchema<unknown, unknown>
  /** The same, as JSON Schema: for values that travel as text and are not meant as text. */
  readonly json?: { readonly [keyword: string]: Json }
}

/** A pipe item that changes nothing about validation. */
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

/** Says in plain English what a schema found wrong, each at its dotted path below `root`. */
export function schemaIssues(issues: readonly BaseIssue<unknown>[], root = ''): Issue[] {
  return issues.flatMap((issue) => {
    const path = pathOf(issue, root)
    // No variant of a union fitted: speak about the one that came closest.
    if (issue.issues) return schemaIssues(closest(issue.issues), path)
    return [{ path, message: messageOf(issue) }]
  })
}

function pathOf(issue: BaseIssue<unknown>, root: string): string {
  return [
    ...(root === '' ? [] : [root]),
    ...(issue.path ?? []).map((item) => pathPart(String(item.key))),
  ].join('.')
}

/**
 * Of the issues of several variants, those of the variant that the value was meant for, as far as
 * one can tell.
 */
function closest(issues: readonly BaseIssue<unknown>[]): readonly BaseIssue<unknown>[] {
  const deep = issues.filter(
    (issue) => issue.path !== undefined && !isMissing(issue) && !isUnknownKey(issue),
  )
  if (deep.length > 0) return deep.slice(0, 1)
  return issues.slice(0, 1)
}

/** Whether the issue is a field that the schema does not have. */
function isUnknownKey(issue: BaseIssue<unknown>): boolean {
  return issue.type === 'strict_object' && issue.expected === 'never'
}

function isMissing(issue: BaseIssue<unknown>): boolean {
  return issue.received === 'undefined' && issue.kind === 'schema'
}

function messageOf(issue: BaseIssue<unknown>): string {
  // A message of the schema's own is better than any made from its type.
  if (!/^Invalid [\w ]+: /.test(issue.message)) return issue.message
  if (isUnknownKey(issue)) return 'unknown field'
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
    case 'picklist':
    case 'literal':
      return `must be ${(issue.expected ?? '')
        .replace(/^\(|\)$/g, '')
        .replaceAll(' | ', ', ')
        .replace(/, ([^,]*)$/, ' or $1')}`
    default:
      return issue.kind === 'schema' && issue.expected
        ? `must be ${NOUN[issue.expected] ?? issue.expected}`
        : 'is not valid'
  }
}

/**
 * The places of an input that the schema library reads as something else, and says nothing:
 *
 * - a list where a schema made an object of it: `recipe.crawl: []` would be as good as `{}`;
 * - a name such as `constructor`, which a record leaves out.
 */
function misreadPlaces(input: unknown, output: unknown): Issue[] {
  if (!isCompound(input) || !isCompound(output) || input === output) return []
  if (Array.isArray(input)) {
    if (!Array.isArray(output)) return [{ path: '', message: 'must be an object' }]
    return input.flatMap((item, at) => below(String(at), misreadPlaces(item, output[at])))
  }
  const issues: Issue[] = []
  for (const [key, value] of Object.entries(input)) {
    if (isReservedName(key) && !Object.hasOwn(output, key))
      issues.push({ path: key, message: 'is not allowed as a name' })
    else if (isCompound(value))
      issues.push(...below(pathPart(key), misreadPlaces(value, Reflect.get(output, key))))
  }
  return issues
}

function below(key: string, issues: Issue[]): Issue[] {
  return issues.map(({ path, message }) => ({
    path: path === '' ? key : `${key}.${path}`,
    message,
  }))
}

function isCompound(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/**
 * Values that one input may have in it, lists, objects and what they hold all counted. A recipe of
 * 10,000 start URLs and 200 columns has some 12,000. To check one costs one or two microseconds.
 */
export const MOST_VALUES = 30_000

/** Levels of lists and objects that an input may have. */
export const DEEPEST = 64

const DEEP = -2

/**
 * Why an input is more than anybody would check; `null` where it is not. Looks at no more than
 * `most` values.
 */
export function beyondBounds(value: unknown, most = MOST_VALUES): string | null {
  const left = count(value, most, 0)
  if (left >= 0) return null
  return left === DEEP ? `is deeper than ${DEEPEST} levels` : tooManyValues(most)
}

/** How an input with more than `most` values is refused. */
export function tooManyValues(most: number): string {
  return `has more than ${most.toLocaleString('en')} values in it, which is the most; divide it among several requests`
}

/** Whether a value has more than `most` values in it, or is deeper than {@link DEEPEST}. */
function hasMoreValues(value: unknown, most: number): boolean {
  return count(value, most, 0) < 0
}

/** How many are left of `most`; negative if there were too few. */
function count(value: unknown, most: number, depth: number): number {
  let left = most - 1
  if (typeof value !== 'object' || value === null) return left
  if (depth === DEEPEST) return DEEP
  for (const key in value) {
    if (left < 0) break
    left = count(Reflect.get(value, key), left, depth + 1)
  }
  return left
}
