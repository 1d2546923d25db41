/**
 * The CPU time of this thread so far, in ms. Unlike real time it does not grow when other processes
 * keep the machine busy.
 */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** The time of the work of {@link cpuFactor} on the machine where limits in milliseconds were set. */
const WORK_MS = 70

/** How many times longer than that machine this one now needs for the same work; never below 1. */
export function cpuFactor(): number {
  const before = cpuMs()
  let length = 0
  for (let round = 0; round < 250; round++) {
    const list: unknown = JSON.parse(
      JSON.stringify(
        Array.from({ length: 400 }, (_, index) => ({
          name: `n${index}`,
          text: 'x'.repeat(index % 50),
        })),
      ),
    )
    length += JSON.stringify(list).replace(/n(\d)/g, 'm$1').length
  }
  return Math.max(1, (cpuMs() - before) / WORK_MS, length === 0 ? 1 : 0)
}
