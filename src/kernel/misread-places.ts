import type { Issue } from './errors.ts'
import { pathPart } from './path-part.ts'
import { isReservedName } from './reserved-name.ts'

/**
 * The places of an input that the schema library reads as something else, and says nothing:
 *
 * - a list where a schema made an object of it: `recipe.crawl: []` would be as good as `{}`;
 * - a name such as `constructor`, which a record leaves out.
 */
export function misreadPlaces(input: unknown, output: unknown): Issue[] {
  if (!isCompound(input) || !isCompound(output) || input === output) return []
  if (Array.isArray(input)) {
    if (!Array.isArray(output)) return [{ path: '', message: 'must be an object' }]
    return input.flatMap((item, at) => below(String(at), misreadPlaces(item, output[at])))
  }
  const issues: Issue[] = []
  for (const [key, value] of Object.entries(input)) {
    if (isReservedName(key) && !Object.hasOwn(output, key))
      issues.push({ path: key, message: 'is not allowed as a name' })
    else if (isCompound(value))
      issues.push(...below(pathPart(key), misreadPlaces(value, Reflect.get(output, key))))
  }
  return issues
}

function below(key: string, issues: Issue[]): Issue[] {
  return issues.map(({ path, message }) => ({
    path: path === '' ? key : `${key}.${path}`,
    message,
  }))
}

function isCompound(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
