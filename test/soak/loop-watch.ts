import { closeSync, openSync, readSync } from 'node:fs'
import { setInterval } from 'node:timers'
import type { Turn } from './loop-turns.ts'

// Loaded into the server's process before its script (`node --import`). It tells its parent about
// each long turn of the event loop: a timer that should ring every few milliseconds rings late by
// as much as the loop was held.

const EVERY_MS = 4
/** Shorter turns are not told. */
const LONG_MS = 20

/**
 * How long this thread has waited for a processor since it began, in ms; 0 where the system does
 * not tell.
 */
const waited = ((): (() => number) => {
  try {
    const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
    process.once('exit', () => closeSync(file))
    const text = Buffer.alloc(64)
    return () =>
      Number(text.toString('latin1', 0, readSync(file, text, 0, text.length, 0)).split(' ')[1]) /
      1e6
  } catch {
    return () => 0
  }
})()

const cpu = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

let last = { at: Date.now(), us: nowUs(), cpu: cpu(), waited: waited() }
setInterval(() => {
  const now = { at: Date.now(), us: nowUs(), cpu: cpu(), waited: waited() }
  const wallMs = (now.us - last.us) / 1_000 - EVERY_MS
  const turn: Turn = {
    at: last.at,
    fromUs: last.us,
    wallMs,
    cpuMs: now.cpu - last.cpu,
    waitedMs: now.waited - last.waited,
  }
  last = now
  if (wallMs >= LONG_MS) process.send?.(turn)
}, EVERY_MS).unref()

/** The clock of the profiler. */
function nowUs(): number {
  return Number(process.hrtime.bigint() / 1_000n)
}
