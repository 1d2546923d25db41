import { safeParse } from 'valibot'
import type { BaseIssue, GenericSchema } from 'valibot'
import type { Issue } from './errors.ts'
import { isUnknownKey, schemaIssues } from './schema-issues.ts'

/** What a schema makes of an input, or everything that is wrong with it. */
export type Checked<T> = { readonly output: T; readonly issues: null } | { readonly issues: readonly Issue[] }

/** Bounds what a hostile body can cost. */
const MAX_ROUNDS = 5

/** Validates JSON. Unlike the schema library, which stops at an object's first unknown field, it names the first five of each object. */
export function checkSchema<T>(schema: GenericSchema<unknown, T>, input: unknown): Checked<T> {
  const result = safeParse(schema, input)
  return result.success ? { output: result.output, issues: null } : { issues: [...schemaIssues(result.issues), ...furtherUnknown(schema, input)] }
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
