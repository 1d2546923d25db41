import { readFileSync } from 'node:fs'

/** The cost of one piece of work. */
export interface Measure {
  readonly seconds: number
  /** User and system time of all threads of this process. */
  readonly cpuSeconds: number
  /** Largest resident set of this process so far, MiB. */
  readonly peakMiB: number
}

/** Runs `work` and returns its cost. */
export async function measure(work: () => Promise<void>): Promise<Measure> {
  const started = performance.now()
  const before = process.cpuUsage()
  await work()
  const used = process.cpuUsage(before)
  return {
    seconds: (performance.now() - started) / 1000,
    cpuSeconds: (used.user + used.system) / 1e6,
    peakMiB: peakMiB(),
  }
}

// Linux keeps the high-water mark of the address space; getrusage's maximum also remembers the
// parent's, from before exec.
function peakMiB(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS / 1024
  return (
    Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? NaN) / 1024
  )
}

/** The middle value, or the mean of the two middle ones; NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const high = sorted[sorted.length >> 1] ?? NaN
  const low = sorted[(sorted.length - 1) >> 1] ?? NaN
  return (low + high) / 2
}
