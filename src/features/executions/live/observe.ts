import type { Execution } from '../execution.ts'
import type { Listener, Watcher } from './watcher.ts'

/**
 * Tells of the watched execution as it is, and whenever its counters or its status are seen to have
 * changed. Resolves when nothing will follow, or the signal aborts.
 */
export async function observe(
  watcher: Watcher,
  signal: AbortSignal,
  seen: (execution: Execution) => void,
): Promise<void> {
  const { promise: over, resolve: end } = Promise.withResolvers<void>()
  let last = ''
  const listener: Listener = {
    wake() {
      if (watcher.closed) return end()
      const { execution } = watcher
      const now = `${watcher.serial} ${execution.status}`
      if (now !== last) seen(execution)
      last = now
      if (watcher.ended) end()
    },
  }
  const leave = (): void => end()
  signal.addEventListener('abort', leave)
  watcher.join(listener)
  try {
    await Promise.race([watcher.known(), over])
    if (signal.aborted) return
    listener.wake()
    await over
  } finally {
    signal.removeEventListener('abort', leave)
    watcher.leave(listener)
  }
}
