const TO_ESCAPE = /["\\]/
const EACH_TO_ESCAPE = /["\\]/g

/** An array as Postgres reads it from text, whatever the driver makes of arrays. */
export function arrayLiteral(items: readonly (string | number | null)[]): string {
  let out = '{'
  for (const item of items) {
    if (out !== '{') out += ','
    if (item === null) out += 'NULL'
    else if (typeof item === 'number') out += item
    else
      out += TO_ESCAPE.test(item)
        ? `"${item.replace(EACH_TO_ESCAPE, String.raw`\$&`)}"`
        : `"${item}"`
  }
  return `${out}}`
}
