const MAX_LENGTH = 512

/**
 * Refuses a blob name that not every backend could keep apart from all others: a name is one or
 * more `/`-separated segments, none empty, `.` or `..`, of well-formed Unicode without NUL and
 * backslash, at most 512 characters in all.
 *
 * @throws {TypeError}
 */
export function assertBlobName(name: string): void {
  const bad =
    name.length > MAX_LENGTH ||
    !name.isWellFormed() ||
    /[\0\\]/.test(name) ||
    name.split('/').some((segment) => segment === '' || segment === '.' || segment === '..')
  if (bad) throw new TypeError(`Not a name for a blob: ${JSON.stringify(name.slice(0, 100))}`)
}

/**
 * Names that a record cannot have, as code of the language, and of libraries, takes them for
 * something else.
 */
const RESERVED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** True if a name is reserved: it cannot name a column or another value. */
export function isReservedName(name: string): boolean {
  return RESERVED.has(name)
}

const LONGEST = 200

/** A name as a part of an issue's path. A very long name is cut, so that answers stay small. */
export function pathPart(name: string): string {
  return name.length <= LONGEST ? name : `${name.slice(0, LONGEST).toWellFormed()}…`
}
