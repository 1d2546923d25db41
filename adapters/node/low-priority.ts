import { readFileSync, readlinkSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { platform } from 'node:process'

/**
 * With this priority a thread gets a tenth of the processor time of a normal thread, if both need
 * all of it. So the event loop, which computes for milliseconds at a time, gets a processor as soon
 * as it wakes up, however many threads work on long pages.
 */
const NICE = 10

/**
 * Returns the system's number of the calling thread; `null` if the system has no such number or it
 * cannot be read. Linux only: other systems have one priority for the whole process.
 */
export function threadNumber(): number | null {
  if (platform !== 'linux' || !isPermitted()) return null
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1))
  } catch {
    return null
  }
}

/**
 * Gives a thread a lower priority than the thread that serves. Does nothing if the system does not
 * permit it.
 */
export function lowerPriority(thread: number | null): void {
  changePriority(thread, NICE)
}

/**
 * Gives a thread the priority of the calling thread again. Linux lets most processes lower a
 * priority but not raise it. Then the priority stays low.
 */
export function restorePriority(thread: number | null): void {
  changePriority(thread, null)
}

/** Returns the processor time that a thread has used, in ms. `null`: the system does not report it. */
export function processorMs(thread: number): number | null {
  try {
    return (
      Number(readFileSync(`/proc/self/task/${thread}/schedstat`, 'latin1').split(' ', 1)[0]) / 1e6
    )
  } catch {
    return null
  }
}

function changePriority(thread: number | null, nice: number | null): void {
  if (thread === null) return
  try {
    setPriority(thread, nice ?? getPriority())
  } catch {
    // All threads are equal then.
  }
}

/** Deno prompts at the terminal for missing permissions, and this is not worth a prompt. */
function isPermitted(): boolean {
  const deno: unknown = Reflect.get(globalThis, 'Deno')
  if (!isDeno(deno)) return true
  const permissions = [
    { name: 'sys', kind: 'setPriority' },
    { name: 'sys', kind: 'getPriority' },
    { name: 'read', path: '/proc' },
  ]
  return permissions.every(
    (permission) => deno.permissions.querySync(permission).state === 'granted',
  )
}

interface DenoPermissions {
  readonly permissions: {
    querySync(permission: {
      readonly name: string
      readonly kind?: string
      readonly path?: string
    }): {
      readonly state: string
    }
  }
}

function isDeno(value: unknown): value is DenoPermissions {
  return typeof value === 'object' && value !== null && 'permissions' in value
}
