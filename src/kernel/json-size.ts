/**
 * About how many characters a value has as JSON, without making them; stops soon after `most`.
 * Escapes are not counted, so that a text may come to more, though hardly ever to twice as many.
 */
export function jsonSize(value: unknown, most = Infinity): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 5
  let size = 2
  const isList = Array.isArray(value)
  for (const key in value) {
    if (size > most) break
    size += (isList ? 1 : key.length + 4) + jsonSize(Reflect.get(value, key), most - size)
  }
  return size
}
