const TRUE = new Set(['true', 'yes', 'y', '1', 'on', 'checked', 'in stock', 'instock', 'available'])
const FALSE = new Set([
  'false',
  'no',
  'n',
  '0',
  'off',
  'out of stock',
  'outofstock',
  'sold out',
  'soldout',
  'unavailable',
])

/**
 * Reads `true`, `yes`, `1`, `on`, `in stock` and their opposites, also as schema.org URLs; anything
 * else is `null`.
 */
export function parseBoolean(text: string): boolean | null {
  const word = text
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\/schema\.org\//, '')
    .replace(/[.!]$/, '')
  return TRUE.has(word) ? true : FALSE.has(word) ? false : null
}
