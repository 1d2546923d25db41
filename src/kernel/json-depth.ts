/** Maximum depth of lists and objects in JSON from elsewhere. */
export const DEEPEST = 64

/**
 * Returns true if a text of JSON nests its lists and objects deeper than {@link DEEPEST}, or than
 * `most`. Reads the text once and builds nothing.
 */
export function isTooDeep(text: string, most = DEEPEST): boolean {
  let depth = 0
  for (let position = 0; position < text.length; position++) {
    const code = text.charCodeAt(position)
    if (code === 0x22) {
      for (position++; position < text.length; position++) {
        const inner = text.charCodeAt(position)
        if (inner === 0x22) break
        if (inner === 0x5c) position++
      }
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > most) return true
    } else if (code === 0x7d || code === 0x5d) depth--
  }
  return false
}

/**
 * Parses JSON from elsewhere. `JSON.parse` alone may take a second for a megabyte of opening
 * brackets.
 *
 * @throws {SyntaxError} for invalid JSON, and for JSON deeper than {@link DEEPEST}
 */
export function parseShallowJson(text: string): unknown {
  if (isTooDeep(text)) throw new SyntaxError(`JSON is deeper than ${DEEPEST} levels`)
  return JSON.parse(text)
}
