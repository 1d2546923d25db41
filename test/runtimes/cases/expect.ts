/** Throws unless both have the same JSON, keys of objects in any order. */
export function equal(actual: unknown, expected: unknown, what = 'value'): void {
  const [a, b] = [textOf(actual), textOf(expected)]
  if (a !== b) throw new Error(`${what}: expected ${shortened(b)}, got ${shortened(a)}`)
}

/** Throws unless the condition holds. */
export function that(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(what)
}

/** The value, which must be there. */
export function present<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(`${what} is missing`)
  return value
}

/** Throws unless the text matches the pattern. */
export function like(text: string | null | undefined, pattern: RegExp, what: string): void {
  if (text === null || text === undefined || !pattern.test(text))
    throw new Error(`${what}: ${shortened(String(text))} is not like ${String(pattern)}`)
}

/** The error that a promise must reject with. */
export async function rejected(promise: Promise<unknown>, what: string): Promise<Error> {
  const outcome = await promise.then(
    () => null,
    (error: unknown) => error,
  )
  if (!(outcome instanceof Error)) throw new Error(`${what} was to be refused`)
  return outcome
}

function textOf(value: unknown): string {
  return (
    JSON.stringify(value, (_, part: unknown) =>
      typeof part === 'object' && part !== null && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : part,
    ) ?? 'undefined'
  )
}

function shortened(text: string): string {
  return text.length > 600 ? `${text.slice(0, 600)}… (${text.length} characters)` : text
}
