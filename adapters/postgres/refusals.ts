/** Serialization failure, deadlock, lock not available: nothing was written, and another try may do. */
const PASSING = new Set(['40001', '40P01', '55P03'])

/** Whether the database undid a statement only because of what others were doing. */
export function isPassing(error: unknown): boolean {
  return PASSING.has(codeOf(error))
}

/**
 * Whether a statement was undone for what it was given: a counter that is none, a sum or a key that
 * is too large.
 */
export function isOfData(error: unknown): boolean {
  return /^(?:22|54)/.test(codeOf(error))
}

/** Of these, whether a counter cannot be added to: it is no number, or the sum is out of range. */
export function isOfCounter(error: unknown): boolean {
  return codeOf(error) === '22P02' || codeOf(error) === '22003'
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : ''
}
