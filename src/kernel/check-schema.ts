import { safeParse } from 'valibot'
import type { BaseIssue, GenericSchema } from 'valibot'
import type { Issue } from './errors.ts'
import { MOST_VALUES, beyondBounds, hasMoreValues } from './input-bounds.ts'
import { misreadPlaces } from './misread-places.ts'
import { isUnknownKey, schemaIssues } from './schema-issues.ts'

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
