const MAX_LENGTH = 512

/**
 * Refuses a blob name that some backend could confuse with another. A name is one or more
 * `/`-separated segments, none empty, `.` or `..`, of well-formed Unicode without NUL and
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

/** Names that a record cannot have, because JavaScript and libraries give them another meaning. */
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

/** A longer name is not compared, because the time to compare grows with the length. */
const LONGEST_GUESSED = 50

/**
 * The most similar name, if it differs in at most two characters. For messages about a misspelt
 * name.
 */
export function nearest(name: string, names: readonly string[]): string | null {
  if (name.length > LONGEST_GUESSED) return null
  const near = names
    // The time of a comparison grows with the product of both lengths.
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

/** The end of a message about a misspelt name: the name that was probably meant, or all names. */
export function namesInstead(name: string, names: readonly string[]): string {
  const suggestion = nameMeant(name, names)
  if (suggestion !== '') return suggestion
  return names.length === 0 || names.length > MOST_LISTED ? '' : `; known: ${names.join(', ')}`
}

/** Like {@link namesInstead}, for a message that already lists the names. */
export function nameMeant(name: string, names: readonly string[]): string {
  const near = nearest(name, names)
  // A name that is only the first word of another differs in more than two letters, but is probably
  // a mistake.
  const longer = names.filter((candidate) => candidate.startsWith(`${name}-`))
  const suggestion = longer.length > 0 ? longer.slice(0, MOST_MEANT).join(' or ') : near
  return suggestion === null ? '' : `; did you mean ${suggestion}?`
}

const MOST_MEANT = 3

const MOST_LISTED = 50
