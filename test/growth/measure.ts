import { PerformanceObserver } from 'node:perf_hooks'
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { PageTooCostly, type PageBudget } from '../../src/engine/extract/page/page-budget.ts'
import type { Family } from './families.ts'

/**
 * What is measured: `prepare` is free, the function that it gives is not. What that returns is held
 * while memory is read. `budget`: makes that of a page; default: one without an end.
 */
export interface Subject {
  readonly name: string
  readonly families: readonly Family[]
  readonly prepare: (text: string, budget?: () => PageBudget) => () => unknown
}

/** A subject whose memory is measured, with the bytes that it may hold for each byte of its input. */
export interface Holder extends Subject {
  readonly holds: number
}

/** One size, and the least time that a run of it took. */
interface Point {
  readonly size: number
  readonly run: () => unknown
  ms: number
}

const SMALLEST = 1_024
const LARGEST = 8 * 1024 * 1024
/**
 * The short form: what grows evenly up to a run of `ENOUGH` is taken for linear. `GROWTH=whole`
 * takes each family to the largest size.
 */
export const IS_SHORT = process.env['GROWTH'] !== 'whole'
/** CPU below this is noise; nothing is measured beyond a run of `LONG`. In ms. */
const NOISE = 0.5
const ENOUGH = 6
const LONG = 1_000
/**
 * What reads the largest input in this time, five nanoseconds a character, waits for memory more
 * than it works. In ms.
 */
const PLAIN = 40
const MAX_EXPONENT = 1.2
/** In ms: runs that are timed by the clock, and a tick of the system's. */
const SHORT = 20
const TICK = 4
/**
 * The fit is over as many doublings. What seems steep over the last ones is fitted over more of
 * them too: a cache that is full at one size, or code that is compiled anew at another, bends a
 * short line, and a power of the input bends both.
 */
const DOUBLINGS = 3
const MORE_DOUBLINGS = 6
/** More runs of each size that seems too steep: a busy machine makes a run longer, never shorter. */
const MORE_RUNS = 6
const FEW_RUNS = 2
/** What seems too steep is measured anew, from new inputs: other work may slow a whole measure. */
const TRIES = 3
const FAR_TOO_STEEP = 1.6
/** In ms. */
const COMPILING = 50

/**
 * The power of the size with which CPU grows where that is above {@link MAX_EXPONENT}; `null` where
 * it is not. What is steep goes on to larger sizes: caches fill, and bounds are met. What is steep
 * at each of them has failed.
 */
export async function steepness(subject: Subject, family: Family): Promise<number | null> {
  const points: Point[] = []
  let step = 2
  for (let size = SMALLEST; size <= LARGEST; size *= step) {
    const run = subject.prepare(family.make(size))
    const point = { size, run, ms: Infinity }
    await measure(point, 1)
    if (point.ms < 2 * ENOUGH) await measure(point, 1)
    // Far from where anything can be measured, sizes are passed over.
    step = point.ms < NOISE / 32 ? 16 : point.ms < NOISE / 4 ? 4 : 2
    if (point.ms < NOISE) continue
    if (points.push(point) > MORE_DOUBLINGS + 1) points.shift()
    if (points.length <= DOUBLINGS || point.ms < ENOUGH) continue
    if (IS_SHORT && (await isEven(lastOf(points)))) return null
    if (point.ms >= LONG) break
  }
  const last = points.at(-1)
  if (last === undefined || points.length < 2 || (last.size === LARGEST && last.ms < PLAIN))
    return null
  if ((await isEven(lastOf(points))) || (await isEven(points))) return null
  return Math.min(slopeOf(lastOf(points)), slopeOf(points))
}

function lastOf(points: readonly Point[]): readonly Point[] {
  return points.slice(-DOUBLINGS - 1)
}

/**
 * Whether CPU grows no faster than the input, after more runs if it seems to. What is far too steep
 * after a few is so.
 */
async function isEven(points: readonly Point[]): Promise<boolean> {
  for (let index = 0; index < MORE_RUNS && slopeOf(points) > MAX_EXPONENT; index++) {
    if (index >= FEW_RUNS && slopeOf(points) > FAR_TOO_STEEP) break
    for (const point of points) await measure(point, 1)
  }
  return slopeOf(points) <= MAX_EXPONENT
}

/** What grows faster than its input, each time that it is measured. */
export async function tooSteep(subject: Subject): Promise<string[]> {
  const problems: string[] = []
  for (const family of subject.families) {
    let slope = await steepness(subject, family)
    for (let tries = 1; tries < TRIES && slope !== null; tries++)
      slope = await steepness(subject, family)
    if (slope !== null)
      problems.push(
        `${subject.name}, ${family.name}: CPU grows with the power ${slope.toFixed(2)} of the input`,
      )
  }
  return problems
}

/**
 * What holds more memory than it may for its input, at the largest size. What ends over the page's
 * budget holds nothing.
 */
export async function tooLarge(holder: Holder): Promise<string[]> {
  const problems: string[] = []
  for (const family of holder.families) {
    const times = await heldTimes(holder, family.make(LARGEST))
    if (times > holder.holds)
      problems.push(`${holder.name}, ${family.name}: holds ${times.toFixed(1)} times its input`)
  }
  return problems
}

/** In a function of its own, so that nothing of a family is held while the next one is measured. */
async function heldTimes({ prepare, holds }: Holder, text: string): Promise<number> {
  const run = prepare(text)
  // A text of many parts is made one piece: that is what pages are, and counts as input.
  text.charCodeAt(0)
  const before = heldBytes()
  let result: unknown = null
  try {
    result = await run()
  } catch (error) {
    if (!(error instanceof PageTooCostly)) throw error
  }
  let held = heldBytes() - before
  // The engine compiles code beside the work, and holds what that code works on until it is done.
  for (let tries = 0; tries < MORE_RUNS && held > holds * LARGEST; tries++) {
    await delay(COMPILING)
    held = heldBytes() - before
  }
  return result === NOTHING ? 0 : held / LARGEST
}

const NOTHING = Symbol('nothing')

/** The slope of a line through the points, on scales of powers of two, by least squares. */
function slopeOf(points: readonly Point[]): number {
  const logs = points.map(({ size, ms }) => [Math.log2(size), Math.log2(ms)] as const)
  const middle = (index: 0 | 1): number =>
    logs.reduce((sum, log) => sum + log[index], 0) / logs.length
  const [x, y] = [middle(0), middle(1)]
  return (
    logs.reduce((sum, log) => sum + (log[0] - x) * (log[1] - y), 0) /
    logs.reduce((sum, log) => sum + (log[0] - x) ** 2, 0)
  )
}

async function measure(point: Point, runs: number): Promise<void> {
  for (let index = 0; index < runs; index++) point.ms = Math.min(point.ms, await timeOf(point.run))
}

/**
 * What a run takes, in ms. The system counts a thread's CPU at its ticks, too coarsely for a short
 * run; but a short one is seldom interrupted, so that the least of several is right by the clock. A
 * long one is told by its CPU. The collector's pauses are left out: they grow by steps, as what is
 * made no longer fits its young space, and not with the work of the run.
 */
async function timeOf(run: () => unknown): Promise<number> {
  const before = process.threadCpuUsage()
  const began = performance.now()
  await run()
  const ended = performance.now()
  const { user, system } = process.threadCpuUsage(before)
  const ms = ended - began
  const worked = ms < SHORT ? ms : Math.min(ms, (user + system) / 1_000 + TICK)
  return Math.max(worked - (await pausesBetween(began, ended)), worked / MOST_PAUSED)
}

/** The least CPU of a few runs, in ms. */
export async function leastTime(run: () => unknown): Promise<number> {
  const point = { size: 0, run, ms: Infinity }
  await measure(point, FEW_RUNS)
  return point.ms
}

/** Pauses are at most so many parts of a run, less one: on a busy machine they last too long. */
const MOST_PAUSED = 4
const collector = new PerformanceObserver(() => {})
collector.observe({ entryTypes: ['gc'] })

/** How long the collector has held the thread, in ms. */
async function pausesBetween(began: number, ended: number): Promise<number> {
  // The runtime tells of a pause in a later turn.
  await turn()
  return collector
    .takeRecords()
    .filter(({ startTime }) => startTime >= began && startTime < ended)
    .reduce((sum, { duration }) => sum + duration, 0)
}

let collect: (() => void) | null = null

function heldBytes(): number {
  if (collect === null) {
    setFlagsFromString('--expose-gc')
    const gc: unknown = runInNewContext('gc')
    if (typeof gc !== 'function') throw new Error('This runtime cannot be asked to collect garbage')
    collect = () => void gc()
  }
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
