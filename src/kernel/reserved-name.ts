/**
 * Names that a record cannot have, as code of the language, and of libraries, takes them for
 * something else.
 */
const RESERVED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** Whether a name cannot be that of a column, or of anything else that names values. */
export function isReservedName(name: string): boolean {
  return RESERVED.has(name)
}
