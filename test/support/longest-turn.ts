import { setTimeout as sleep } from 'node:timers/promises'
import { cpuMs } from './cpu-ms.ts'

/** The longest CPU time of this thread between two turns of the event loop during work, in ms. */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  const over = new AbortController()
  let longest = 0
  const watching = (async () => {
    for (let before = cpuMs(); !over.signal.aborted;) {
      await sleep(1)
      const now = cpuMs()
      longest = Math.max(longest, now - before)
      before = now
    }
  })()
  try {
    await work()
  } finally {
    over.abort()
    await watching
  }
  return longest
}
