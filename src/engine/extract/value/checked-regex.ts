import type { Issue } from '../../../kernel/errors.ts'
import { LinearRegex, RegexError } from './linear-regex.ts'

/**
 * Reads a pattern of a recipe; what is wrong with it becomes an issue at `at`, and `null` is
 * returned.
 */
export function checkedRegex(
  source: string,
  group: string | number | undefined,
  at: string,
  issues: Issue[],
): LinearRegex | null {
  try {
    return new LinearRegex(source, group)
  } catch (error) {
    if (!(error instanceof RegexError)) throw error
    issues.push({ path: at, message: error.message })
    return null
  }
}
