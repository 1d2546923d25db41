/**
 * Next calls it once as the server starts. Where nothing runs between requests, have a cron job
 * call `platform.worker.tick({ budgetMs })` instead.
 */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { platform } = await import('@/platform')
    const stop = new AbortController()
    void platform.worker.run({ signal: stop.signal })
    // Next ends the process once it has answered what is under way, which still needs the platform:
    // nothing is closed here.
    process.once('SIGTERM', () => stop.abort())
  }
}
