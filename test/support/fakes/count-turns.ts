import { vi } from 'vitest'

/** Runs some work, and counts the turns of the event loop that it leaves to others. */
export async function countTurns(work: () => Promise<void>): Promise<number> {
  let turns = 0
  vi.stubGlobal(
    'MessageChannel',
    class extends MessageChannel {
      constructor() {
        super()
        turns++
      }
    },
  )
  try {
    await work()
    return turns
  } finally {
    vi.unstubAllGlobals()
  }
}
