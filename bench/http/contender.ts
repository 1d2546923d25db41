import { parseArgs } from 'node:util'

/**
 * Starts a contender as this process' only work: `start` listens on a free port of 127.0.0.1 and
 * gives it. The process ends with its parent.
 */
export async function contend(start: (store: string) => Promise<number>): Promise<void> {
  const { values } = parseArgs({ options: { store: { type: 'string' } } })
  if (values.store === undefined)
    throw new Error('--store is missing: the file that bench/http.ts makes')
  const port = await start(values.store)
  process.once('disconnect', () => process.exit(0))
  process.on('message', () => process.send?.(process.cpuUsage()))
  process.stdout.write(`${JSON.stringify({ port })}\n`)
}
