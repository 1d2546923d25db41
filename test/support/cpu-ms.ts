/**
 * The CPU time of this thread so far, in ms. Unlike real time it does not grow when other processes
 * keep the machine busy.
 */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** A measure counts as at least a quarter of its time: what is left out is estimated. */
const LEAST_SHARE = 4

/**
 * Begins to measure the CPU time of this thread. The returned function gives that time, in ms,
 * without what the system needed to give new memory: that is 20 microseconds for each 4 KiB on some
 * virtual machines, and a hundredth of it on others.
 */
export function measureCpu(): () => number {
  // The first call of a process measures the system, which is no part of the time.
  const memory = measureNewMemory()
  const before = cpuMs()
  return () => withoutMemory(cpuMs() - before, memory())
}

/** The rest of a time if that for memory is left out; at least a fraction of it. In ms. */
export function withoutMemory(ms: number, memoryMs: number): number {
  return Math.max(ms - memoryMs, ms / LEAST_SHARE)
}

/**
 * Begins to count the new pages of memory that this process uses, all its threads together. The
 * returned function gives the time that the system needed for them, in ms.
 */
export function measureNewMemory(): () => number {
  msOfNewPage ??= timeNewPages()
  const cost = msOfNewPage
  const before = newPages()
  return () => (newPages() - before) * cost
}

let msOfNewPage: number | null = null

function timeNewPages(): number {
  const before = newPages()
  const began = cpuMs()
  // The result is used, so that no compiler leaves the work out.
  const pieces = Array.from({ length: 16 }, () => new Uint8Array(1_048_576).fill(1))
  return (cpuMs() - began) / Math.max(pieces.length, newPages() - before)
}

function newPages(): number {
  return process.resourceUsage().minorPageFault
}

/** The time of the work of {@link cpuFactor} on the machine where limits were set. */
const WORK_MS = 70

/** How many times longer than that machine this one now needs for the same work; never below 1. */
export function cpuFactor(): number {
  const elapsed = measureCpu()
  const length = copyTexts()
  return Math.max(1, (length === 0 ? 0 : elapsed()) / WORK_MS)
}

function copyTexts(): number {
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
  return length
}
