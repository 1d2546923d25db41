import type { Issue } from '../../../kernel/errors.ts'
import { parseSelector, SelectorError, type Selector } from './parse-selector.ts'

/**
 * Parses a selector of a recipe; what is wrong with it becomes an issue at `path`, and `null` is
 * returned.
 */
export function checkedSelector(css: string, path: string, issues: Issue[]): Selector | null {
  try {
    return parseSelector(css)
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error
    issues.push({ path, message: error.message })
    return null
  }
}
