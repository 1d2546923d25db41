import { PlatformError, badRequest, switchedOff } from '../../kernel/errors.ts'

/** Puts the paths of issues below `recipe`, where a call has the recipe. */
export function belowRecipe<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw withPaths(error, (path) => (path === '' ? 'recipe' : `recipe.${path}`))
  }
}

/** Changes the paths of an error's issues. Errors without issues are returned as they are. */
export function withPaths(error: unknown, pathOf: (path: string) => string): unknown {
  if (!(error instanceof PlatformError) || error.issues.length === 0) return error
  const issues = error.issues.map(({ path, message }) => ({ path: pathOf(path), message }))
  return error.code === 'NOT_FOUND' ? switchedOff(issues) : badRequest(issues)
}
