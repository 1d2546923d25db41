import { StoreFailure } from '../../src/kernel/failures.ts'

/**
 * Serialization failure, deadlock, lock not available: nothing was written, and another try may
 * succeed.
 */
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

/**
 * Codes of connections that broke or cannot be made, as Node, postgres.js and the server say them:
 * class 08, shutdowns, too many connections.
 */
const UNREACHABLE =
  /^(?:08...|57P0[1-3]|533..|ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN|CONNECT\w*)$/
/** Pg has no code for a connection that has ended, or ends while it waits for an answer. */
const GONE = /^Connection terminated|^timeout exceeded when|is not queryable$/
/** Insufficient resources: the disk, or the memory. */
const FULL = /^53[12]..$/

/** The error as a failure of the port, if it concerns the database and not the statement. */
export function asStoreFailure(error: unknown): unknown {
  const code = codeOf(error)
  if (FULL.test(code)) return new StoreFailure('full', { cause: error })
  return UNREACHABLE.test(code) || (error instanceof Error && GONE.test(error.message))
    ? new StoreFailure('unreachable', { cause: error })
    : error
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : ''
}
