import { setTimeout as sleep } from 'node:timers/promises'
import { measureCpu } from './cpu-ms.ts'

/** The longest CPU time of this thread between two turns of the event loop during work, in ms. */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  const over = new AbortController()
  let longest = 0
  const watching = (async () => {
    for (let elapsed = measureCpu(); !over.signal.aborted; elapsed = measureCpu()) {
      await sleep(1)
      longest = Math.max(longest, elapsed())
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
