import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/**
 * A tenth of the processor's time of a thread of normal priority, where both want all of it: so the event loop, which
 * computes for milliseconds at a time, has a processor as soon as it wakes up, however many threads are at pages.
 */
const NICE = 10

/**
 * Lets the calling thread stand back behind the thread that serves. On Linux a priority is a thread's own; other systems
 * know one of the process alone, which stays as it is. Where the host does not permit it, nothing changes.
 */
export function lowerPriority(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), NICE)
  } catch {
    // All threads are equal then.
  }
}
