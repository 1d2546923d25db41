/** Any value that JSON can carry. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json }

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json }

/** One extracted record: column name → value, in the order the recipe names its fields. */
export type Row = { readonly [column: string]: Json }

/** True if a value is a list: `Array.isArray` with a type that includes read-only lists. */
export function isList<T>(value: T): value is Extract<T, readonly unknown[]> {
  return Array.isArray(value)
}

/** True if a value is a JSON object. */
export function isObject(value: Json | undefined): value is { readonly [name: string]: Json }
export function isObject(value: unknown): value is { readonly [name: string]: unknown }
export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** True if a value is an object or a list: what JSON calls structured (RFC 8259, section 1). */
export function isStructure(value: Json | undefined): value is readonly Json[] | JsonObject
export function isStructure(value: unknown): value is object
export function isStructure(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

/** An own member of a JSON object; `undefined` if the value is not an object or has no such member. */
export function memberOf(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** A JSON object as it is; an empty one in place of any other value. */
export function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}

/**
 * Gives an object a member. It is defined as a plain one, because an assignment to `__proto__`
 * would set the prototype.
 */
export function defineMember(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(target, name, {
      value,
      configurable: true,
      enumerable: true,
      writable: true,
    })
  else target[name] = value
}

/**
 * True if JSON can represent a value: it contains no `undefined`, no function, no NaN and no
 * infinite number.
 */
export function isJson(value: unknown): value is Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true
    case 'number':
      return Number.isFinite(value)
    case 'object':
      return value === null || Object.values(value).every(isJson)
    default:
      return false
  }
}

/**
 * About how many characters a value has as JSON, counted without writing it. Counting stops soon
 * after `most`. Escapes are not counted, so the JSON may be longer, but hardly ever twice as long.
 */
export function jsonSize(value: unknown, most = Infinity): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 5
  let size = 2
  const isArray = Array.isArray(value)
  for (const key in value) {
    if (size > most) break
    size += (isArray ? 1 : key.length + 4) + jsonSize(Reflect.get(value, key), most - size)
  }
  return size
}
