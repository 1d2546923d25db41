import { safeParse } from 'valibot'
import type { BaseIssue, GenericSchema } from 'valibot'
import type { Issue } from './errors.ts'
import { hasMoreNodes } from './has-more-nodes.ts'
import { listsForObjects } from './lists-for-objects.ts'
import { isUnknownKey, schemaIssues } from './schema-issues.ts'

/** What a schema makes of an input, or everything that is wrong with it. */
export type Checked<T> = { readonly output: T; readonly issues: null } | { readonly issues: readonly Issue[] }

/** Bounds what a hostile body can cost. */
const MAX_ROUNDS = 5
/** Of an input with more values than this the first wrong place alone is named: to find all of them costs many times as much. */
const MOST_NODES = 2_000

/**
 * Validates JSON. Unlike the schema library it takes no list for an object, and names the first five unknown fields of
 * each object and not just one.
 */
export function checkSchema<T>(schema: GenericSchema<unknown, T>, input: unknown): Checked<T> {
  const first = safeParse(schema, input, { abortEarly: true })
  const misplaced = listsForObjects(input, first.output)
  if (first.success && misplaced.length === 0) return { output: first.output, issues: null }
  if (hasMoreNodes(input, MOST_NODES)) return { issues: [...schemaIssues(first.issues ?? []), ...misplaced] }
  const all = first.success ? null : safeParse(schema, input)
  return { issues: [...schemaIssues(all?.issues ?? []), ...(all ? listsForObjects(input, all.output) : misplaced), ...(all ? furtherUnknown(schema, input) : [])] }
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
  if (item && typeof item.input === 'object' && item.input !== null) Reflect.deleteProperty(item.input, String(item.key))
}
