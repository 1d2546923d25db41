import { PerformanceObserver } from 'node:perf_hooks'
import { setImmediate, setInterval } from 'node:timers'
import type { Turn } from './loop-turns.ts'
import { waitedClock } from './waited.ts'

// Loaded into the server's process before its script (`node --import`). It tells its parent about
// each long turn of the event loop: a timer that should ring every few milliseconds rings late by
// as much as the loop was held.

const EVERY_MS = 4
/** Shorter turns are not told. */
const LONG_MS = 20

const waited = waitedClock()

const cpu = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** Pauses of the collector that no turn has had yet. The runtime reports them a little later. */
let pauses: { readonly startTime: number; readonly duration: number }[] = []
const collector = new PerformanceObserver((list) => pauses.push(...list.getEntries()))
collector.observe({ entryTypes: ['gc'] })

/** The time of the pauses in a stretch of time, in ms. Earlier ones are dropped. */
function pausesBetween(from: number, to: number): number {
  const all = [...pauses, ...collector.takeRecords()].filter(({ startTime }) => startTime >= from)
  pauses = all.filter(({ startTime }) => startTime >= to)
  return all
    .filter(({ startTime }) => startTime < to)
    .reduce((sum, { duration }) => sum + duration, 0)
}

const look = () => ({
  at: Date.now(),
  us: nowUs(),
  ms: performance.now(),
  cpu: cpu(),
  waited: waited(),
})

let last = look()
setInterval(() => {
  const [before, now] = [last, look()]
  last = now
  const wallMs = (now.us - before.us) / 1_000 - EVERY_MS
  if (wallMs < LONG_MS) return
  setImmediate(() => {
    const turn: Turn = {
      at: before.at,
      fromUs: before.us,
      wallMs,
      cpuMs: now.cpu - before.cpu,
      waitedMs: now.waited - before.waited,
      collectorMs: pausesBetween(before.ms, now.ms),
    }
    process.send?.(turn)
  })
}, EVERY_MS).unref()

/** The clock of the profiler. */
function nowUs(): number {
  return Number(process.hrtime.bigint() / 1_000n)
}
