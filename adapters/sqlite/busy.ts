const SQLITE_BUSY = 5

/** Whether a statement failed only because another process has the database. Extended codes keep the cause in the low byte. */
export function isBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('errcode' in error && typeof error.errcode === 'number') return (error.errcode & 0xff) === SQLITE_BUSY
  return error.message.includes('database is locked')
}
