/** The CPU time of this thread so far, in ms: how much was done, which does not grow when others keep the machine busy. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
