import { closeSync, openSync, readSync } from 'node:fs'

/** The number of characters of the file that are read; it has three numbers. */
const LENGTH = 64

/**
 * Returns a function that says how long the main thread of this process has waited for a processor
 * since it began, in ms; 0 where the system does not tell. Linux only.
 */
export function waitedClock(): () => number {
  try {
    const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
    process.once('exit', () => closeSync(file))
    const text = Buffer.alloc(LENGTH)
    return () => waitedIn(text.toString('latin1', 0, readSync(file, text, 0, LENGTH, 0)))
  } catch {
    return () => 0
  }
}

/** The second number of a line of `schedstat`: the time on the run queue, in ns. */
export function waitedIn(line: string): number {
  return Number(line.split(' ')[1]) / 1e6
}
