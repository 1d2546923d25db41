/** How many characters of the error of a case are shown. */
const MOST_CHARACTERS = 1_000

/**
 * Runs one check on many cases, one after the other, and returns those that fail, each by its name
 * and its error. A test expects it to equal `[]`, and so names every case that is wrong.
 *
 * @throws {Error} if there are no cases, because they would prove nothing
 */
export async function failingCases<T>(
  cases: Iterable<T>,
  nameOf: (one: T) => string,
  check: (one: T) => unknown,
): Promise<string[]> {
  const failing: string[] = []
  let count = 0
  for (const one of cases) {
    count++
    try {
      await check(one)
    } catch (error) {
      failing.push(`${nameOf(one)}: ${String(error).slice(0, MOST_CHARACTERS)}`)
    }
  }
  if (count === 0) throw new Error('There are no cases')
  return failing
}
