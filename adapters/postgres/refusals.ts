/** Serialization failure, deadlock, lock not available: nothing was written, and another try may do. */
const PASSING = new Set(['40001', '40P01', '55P03'])

/** True if the database rolled a statement back only because of concurrent work. */
export function isPassing(error: unknown): boolean {
  return PASSING.has(codeOf(error))
}

/**
 * True if a statement was rolled back because of its data: an invalid counter, or a sum or key that
 * is too large.
 */
export function isOfData(error: unknown): boolean {
  return /^(?:22|54)/.test(codeOf(error))
}

/**
 * True if, among these, a counter cannot be added to: it is not a number, or the sum is out of
 * range.
 */
export function isOfCounter(error: unknown): boolean {
  return codeOf(error) === '22P02' || codeOf(error) === '22003'
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : ''
}
