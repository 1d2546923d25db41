/**
 * Digits with their separators. A sign or an accounting parenthesis comes before them, possibly
 * with a currency between.
 */
const NUMBER = /\d(?:[\d.,'’\u00a0\u202f\u2009 ]*\d)?/
/** Maximum characters in which a number is searched. */
export const NUMBER_TEXT = 10_000

/**
 * Reads the first number in a text, as people write it: `$1,299.00`, `1.299,00 €`, `1 299,50`,
 * `(5)` is −5, `4.5 out of 5` is 4.5.
 *
 * A single comma followed by exactly three digits (`1,299`) groups thousands. A single dot
 * (`1.299`) is the decimal point, unless the number before it begins a group and a currency sign
 * follows (`1.299 €`).
 *
 * @returns `null` if there is no number, or it is not finite.
 */
export function parseNumber(text: string): number | null {
  const source = text.length > NUMBER_TEXT ? text.slice(0, NUMBER_TEXT) : text
  const match = NUMBER.exec(source)
  if (match === null) return null
  const start = match.index
  const digits = firstNumber(match[0])
  const after = source.slice(start + digits.length, start + digits.length + 12)
  const exponent = /^e[+-]?\d{1,3}(?!\d)/i.exec(after)?.[0] ?? ''
  const leadingPoint = /(?:^|[^\d\w])[.,]$/.test(source.slice(Math.max(0, start - 2), start))
    ? '0.'
    : ''
  const value = Number(leadingPoint + plain(digits, after) + exponent)
  if (!Number.isFinite(value)) return null
  return isNegative(source.slice(Math.max(0, start - 8), start), after) ? -value : value
}

// "12 34,5" is two numbers, "12 345" is one: a space joins only groups of three.
function firstNumber(run: string): string {
  const space = /[\u00a0\u202f\u2009 ]/.exec(run)
  if (space === null) return run.replace(/(?<![.,'’])[.,'’]+$/, '')
  const grouped = /^\d{1,3}(?:[\u00a0\u202f\u2009 ]\d{3})+(?!\d)(?:[.,]\d+)?/.exec(run)
  return grouped === null
    ? run.slice(0, space.index).replace(/(?<![.,'’])[.,'’]+$/, '')
    : grouped[0]
}

function plain(digits: string, after: string): string {
  const bare = digits.replace(/['’\u00a0\u202f\u2009 ]/g, '')
  const dot = bare.lastIndexOf('.')
  const comma = bare.lastIndexOf(',')
  if (dot !== -1 && comma !== -1)
    return comma > dot ? bare.replaceAll('.', '').replace(',', '.') : bare.replaceAll(',', '')
  if (comma !== -1)
    return groupsOfThree(bare, ',') ? bare.replaceAll(',', '') : firstPart(bare, ',')
  if (dot === -1) return bare
  const several = bare.indexOf('.') !== dot
  if (several) return groupsOfThree(bare, '.') ? bare.replaceAll('.', '') : firstPart(bare, '.')
  return groupsOfThree(bare, '.') && /^\s?(?:€|eur\b|kr\b|₫|₺|r\$|zł)/i.test(after)
    ? bare.replace('.', '')
    : bare
}

function groupsOfThree(text: string, separator: string): boolean {
  const [head = '', ...groups] = text.split(separator)
  return /^[1-9]\d{0,2}$/.test(head) && groups.every((group) => group.length === 3)
}

/** `1,5` becomes `1.5`. Of `1,2,3` only the first number is kept. */
function firstPart(text: string, separator: string): string {
  const parts = text.split(separator)
  return parts.length === 2 ? parts.join('.') : (parts[0] ?? '')
}

function isNegative(before: string, after: string): boolean {
  if (/(?:^|[\s(:=$€£¥])[-−–]\s?[^\w\s]{0,2}\s?$/.test(before))
    return !/\d\s?[-−–]\s?$/.test(before)
  return /\([^\w\s]{0,2}\s?$/.test(before) && /^\s?[^\w\s)]{0,2}\)/.test(after)
}
