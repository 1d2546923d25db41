/** Prints the times, each in ms since the one before, and the CPU time of the process so far. */
export function tell(times) {
  const { user, system } = process.cpuUsage()
  process.stdout.write(`${JSON.stringify({ ...times, cpu: (user + system) / 1e3 })}\n`, () =>
    process.exit(0),
  )
}

/** Runs a function; returns its result and its time. */
export async function timed(work) {
  const began = performance.now()
  const value = await work()
  return [value, performance.now() - began]
}

/** The answer of every contender. */
export const PATH = '/api/v1/tasks'

/** Throws unless the answer is one. */
export function check(status) {
  if (status !== 200) throw new Error(`The answer was ${status}`)
}
