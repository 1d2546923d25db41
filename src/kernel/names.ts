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

/** A longer name is not compared: the time that takes grows with it. */
const LONGEST_GUESSED = 50

/** The name that differs least, if at most two characters do. For messages about a misspelt one. */
export function nearest(name: string, names: readonly string[]): string | null {
  if (name.length > LONGEST_GUESSED) return null
  const near = names
    // Comparing costs the product of the lengths.
    .filter((candidate) => Math.abs(candidate.length - name.length) <= 2)
    .map((candidate) => ({
      known: candidate,
      edits: editsBetween(name.toLowerCase(), candidate.toLowerCase()),
    }))
    .filter(({ known: candidate, edits }) => edits <= 2 && edits < candidate.length)
    .toSorted((a, b) => a.edits - b.edits)
  return near[0]?.known ?? null
}

/** The least number of characters that are added, removed or replaced (Levenshtein). */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

/** A misspelt name's way out for a message: the name that was probably meant, or all there are. */
export function namesInstead(name: string, names: readonly string[]): string {
  const suggestion = nameMeant(name, names)
  if (suggestion !== '') return suggestion
  return names.length === 0 || names.length > MOST_LISTED ? '' : `; known: ${names.join(', ')}`
}

/** As {@link namesInstead}, for a message that lists the names itself. */
export function nameMeant(name: string, names: readonly string[]): string {
  const near = nearest(name, names)
  // The first word of a name is more than a slip of two letters.
  const longer = names.filter((candidate) => candidate.startsWith(`${name}-`))
  const suggestion = longer.length > 0 ? longer.slice(0, MOST_MEANT).join(' or ') : near
  return suggestion === null ? '' : `; did you mean ${suggestion}?`
}

const MOST_MEANT = 3

const MOST_LISTED = 50
