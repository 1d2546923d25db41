/**
 * Starts a contender as this process' only work: `start` listens on a free port of 127.0.0.1, and
 * gives it with the key to call it with.
 */
export async function contend(
  start: () => Promise<{ readonly port: number; readonly secret: string }>,
): Promise<void> {
  const started = await start()
  process.once('disconnect', () => process.exit(0))
  process.on('message', () => process.send?.(process.cpuUsage()))
  process.stdout.write(`${JSON.stringify(started)}\n`)
}
