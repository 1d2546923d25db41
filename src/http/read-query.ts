import type { GenericSchema } from 'valibot'
import { badRequest } from '../kernel/errors.ts'
import type { Issue } from '../kernel/errors.ts'
import { validate } from './validate.ts'

/**
 * The query of a URL as its route describes it.
 *
 * @throws {PlatformError} 400 that names unknown, repeated and wrong parameters.
 */
export function readQuery(
  params: URLSearchParams,
  schema: GenericSchema<unknown, unknown> | undefined,
): unknown {
  if (params.size === 0) return schema ? validate(schema, {}) : undefined
  const values = new Map<string, string>()
  const issues: Issue[] = []
  for (const [name, value] of params) {
    if (values.has(name)) issues.push({ path: name, message: 'is given more than once' })
    else if (!schema || name === '__proto__')
      issues.push({ path: name, message: 'unknown parameter' })
    values.set(name, value)
  }
  if (issues.length > 0) throw badRequest(issues)
  return schema ? validate(schema, Object.fromEntries(values)) : undefined
}
