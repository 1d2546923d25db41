import type { Issue } from '../../../kernel/errors.ts'
import { compileJsonPath, type JsonPath } from './json-path.ts'

/**
 * Compiles a JSONPath of a recipe; what is wrong with it becomes an issue at `at`, and a path that
 * finds nothing is returned.
 */
export function checkedJsonPath(path: string, at: string, issues: Issue[]): JsonPath {
  try {
    return compileJsonPath(path)
  } catch (error) {
    issues.push({
      path: at,
      message: `${JSON.stringify(path)} is not a JSONPath: ${error instanceof Error ? error.message : 'cannot be read'}`,
    })
    return () => false
  }
}
