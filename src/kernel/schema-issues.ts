import type { BaseIssue } from 'valibot'
import type { Issue } from './errors.ts'
import { pathPart } from './path-part.ts'

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
export function isUnknownKey(issue: BaseIssue<unknown>): boolean {
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
