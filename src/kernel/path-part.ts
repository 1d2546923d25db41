const LONGEST = 200

/**
 * A name as a part of the path of an issue: a very long one is cut, as nobody reads it and every
 * answer has an end.
 */
export function pathPart(name: string): string {
  return name.length <= LONGEST ? name : `${name.slice(0, LONGEST).toWellFormed()}…`
}
