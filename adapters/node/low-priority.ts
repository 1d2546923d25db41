import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { platform } from 'node:process'

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
  if (platform !== 'linux' || !isPermitted()) return
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), NICE)
  } catch {
    // All threads are equal then.
  }
}

/** Deno asks whoever is at the terminal for what it was not permitted, and this is not worth a question. */
function isPermitted(): boolean {
  const deno: unknown = Reflect.get(globalThis, 'Deno')
  if (!isDeno(deno)) return true
  const wanted = [{ name: 'sys', kind: 'setPriority' }, { name: 'read', path: '/proc' }]
  return wanted.every((one) => deno.permissions.querySync(one).state === 'granted')
}

interface DenoPermissions {
  readonly permissions: { querySync(wanted: { readonly name: string; readonly kind?: string; readonly path?: string }): { readonly state: string } }
}

function isDeno(value: unknown): value is DenoPermissions {
  return typeof value === 'object' && value !== null && 'permissions' in value
}
