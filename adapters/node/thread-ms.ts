import process from 'node:process'

/**
 * Time of the processor that this thread has had, in ms: on a busy machine a page is not to count
 * as slow because its thread had to wait. Where the runtime cannot tell (Node before 23.9, Bun,
 * Deno), it is what the clock shows.
 */
export function threadMs(): number {
  if (typeof process.threadCpuUsage !== 'function') return performance.now()
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
