import type { Value } from './suite.ts'

/** True for an object that is not a list. */
export function isObject(value: Value | undefined): value is { readonly [name: string]: Value } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** True if two values are deeply equal. The order of members does not count. */
export function alike(one: Value | undefined, other: Value | undefined): boolean {
  if (one === other) return true
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((part, index) => alike(part, other[index]))
  if (!isObject(one) || !isObject(other)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && alike(one[name], other[name]))
  )
}

/** A text with single blanks, and none at its ends. */
export function blanks(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

/** A text without any white space. */
export function bare(text: string): string {
  return text.replaceAll(/\s+/g, '')
}
