import type { JobTurn } from '../../../src/ports/queue.ts'
import type { JobContext } from '../../../src/features/common/job.ts'

/** A turn that is never over. */
export function endlessTurn(): JobTurn {
  return {
    over: new AbortController().signal,
    progress: async () => {},
    clear() {},
    idle() {},
    givesUp() {},
  }
}

/** The context of a handler at its first delivery. */
export function jobContext(signal: AbortSignal = new AbortController().signal): JobContext {
  return { signal, attempt: 1, lost: 0, turn: endlessTurn() }
}
