import type { Issue } from '../kernel/errors.ts'
import { DEEPEST } from '../kernel/schema.ts'
import { pathPart } from '../kernel/names.ts'

const TOO_DEEP: Issue = { path: '', message: `the body is deeper than ${DEEPEST} levels` }

/**
 * The first place of a JSON value that cannot be kept as it was written, or that code could trip
 * over; `null` if there is none.
 */
export function findUnsafe(value: unknown, depth = 1): Issue | null {
  switch (typeof value) {
    case 'number':
      if (!Number.isFinite(value)) return { path: '', message: 'is not a finite number' }
      return Number.isInteger(value) && !Number.isSafeInteger(value)
        ? {
            path: '',
            message: 'is a whole number beyond 2^53, which would be rounded; send it as a text',
          }
        : null
    case 'string':
      return value.isWellFormed() ? null : { path: '', message: 'is not well-formed Unicode' }
    case 'object':
      return value === null ? null : inside(value, depth)
    default:
      return null
  }
}

// The path is put together on the way back, so that a body without fault costs none.
function inside(value: object, depth: number): Issue | null {
  if (depth > DEEPEST) return TOO_DEEP
  const isList = Array.isArray(value)
  for (const key in value) {
    if (!isList && key === '__proto__') return { path: key, message: 'is not allowed as a name' }
    if (!isList && !key.isWellFormed())
      return { path: '', message: 'has a name that is not well-formed Unicode' }
    const unsafe = findUnsafe(Reflect.get(value, key), depth + 1)
    if (unsafe === TOO_DEEP) return unsafe
    if (unsafe)
      return {
        path: unsafe.path === '' ? pathPart(key) : `${pathPart(key)}.${unsafe.path}`,
        message: unsafe.message,
      }
  }
  return null
}
