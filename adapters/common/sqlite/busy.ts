const SQLITE_BUSY = 5

/**
 * Whether a statement failed only because another process has the database. Extended codes keep the
 * cause in the low byte.
 */
export function isBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  // `node:sqlite` says `errcode`, `bun:sqlite` `errno`.
  const code = 'errcode' in error ? error.errcode : 'errno' in error ? error.errno : null
  if (typeof code === 'number') return (code & 0xff) === SQLITE_BUSY
  return error.message.includes('database is locked')
}
