/**
 * The CPU time of this thread so far, in ms: how much was done, which does not grow when others
 * keep the machine busy.
 */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** What {@link cpuFactor} takes on the machine where limits in milliseconds were set. */
const WORK_MS = 70

/**
 * How many times as long as that machine this one takes for the same work, at this moment; never
 * below 1.
 */
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
