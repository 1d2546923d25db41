const THOUSAND = Array.from({ length: 1_000 }, (_, number) => JSON.stringify(number))
const PADDED = THOUSAND.map((text) => text.padStart(3, '0'))

/**
 * A finite number as text, as `String` has it. Runtimes keep the texts of the last numbers that
 * `String` was given: those of a million rows are never asked for again, but in their thousands
 * outlive each collection of young garbage, and pile up until all garbage is collected.
 */
export function numberText(number: number): string {
  if (!Number.isInteger(number) || number < 0 || number >= 1_000_000) return JSON.stringify(number)
  return number < 1_000
    ? `${THOUSAND[number]}`
    : `${THOUSAND[Math.floor(number / 1_000)]}${PADDED[number % 1_000]}`
}
