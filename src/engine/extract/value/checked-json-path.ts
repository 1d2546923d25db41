import type { Issue } from '../../../kernel/errors.ts'
import { compileJsonPath, type JsonPath } from './json-path.ts'

/** Compiles a JSONPath of a recipe; what is wrong with it becomes an issue at `at`, and a path that finds nothing is returned. `most`: how many matches are kept. */
export function checkedJsonPath(path: string, at: string, issues: Issue[], most?: number): JsonPath {
  try {
    return compileJsonPath(path, most)
  } catch (error) {
    issues.push({ path: at, message: `${JSON.stringify(path)} is not a JSONPath: ${error instanceof Error ? error.message : 'cannot be read'}` })
    return () => []
  }
}
