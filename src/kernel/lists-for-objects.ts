import type { Issue } from './errors.ts'

/**
 * The places where an input has a list and a schema made an object of it. The schema library takes a list for an object
 * without those fields: `recipe.crawl: []` would be as good as `{}`.
 */
export function listsForObjects(input: unknown, output: unknown): Issue[] {
  if (!isCompound(input) || !isCompound(output) || input === output) return []
  if (Array.isArray(input)) {
    if (!Array.isArray(output)) return [{ path: '', message: 'must be an object' }]
    return input.flatMap((item, at) => below(String(at), listsForObjects(item, output[at])))
  }
  const issues: Issue[] = []
  for (const [key, value] of Object.entries(input)) if (isCompound(value)) issues.push(...below(key, listsForObjects(value, Reflect.get(output, key))))
  return issues
}

function below(key: string, issues: Issue[]): Issue[] {
  return issues.map(({ path, message }) => ({ path: path === '' ? key : `${key}.${path}`, message }))
}

function isCompound(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
