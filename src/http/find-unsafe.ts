import type { Issue } from '../kernel/errors.ts'

const MAX_DEPTH = 64

/** The first place of a JSON value that cannot be kept as it was written, or that code could trip over; `null` if there is none. */
export function findUnsafe(value: unknown, path = '', depth = 1): Issue | null {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return { path, message: 'is not a finite number' }
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? { path, message: 'is a whole number beyond 2^53, which would be rounded; send it as a text' } : null
  }
  if (typeof value === 'string') return value.isWellFormed() ? null : { path, message: 'is not well-formed Unicode' }
  if (typeof value !== 'object' || value === null) return null
  if (depth > MAX_DEPTH) return { path: '', message: `the body is deeper than ${MAX_DEPTH} levels` }
  for (const [key, child] of Object.entries(value)) {
    const at = path === '' ? key : `${path}.${key}`
    if (key === '__proto__') return { path: at, message: 'is not allowed as a name' }
    if (!key.isWellFormed()) return { path, message: 'has a name that is not well-formed Unicode' }
    const unsafe = findUnsafe(child, at, depth + 1)
    if (unsafe) return unsafe
  }
  return null
}
