import { PerformanceObserver } from 'node:perf_hooks'
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { PageTooCostly, type PageBudget } from '../../src/engine/extract/page/page-budget.ts'
import { measureNewMemory, withoutMemory } from '../support/cpu-ms.ts'
import type { Family } from './families.ts'

/**
 * A subject to measure: `prepare` is not measured, the function that it returns is. The result of
 * that function is held while memory is read. `budget` makes the budget of a page; by default it
 * has no end.
 */
export interface Subject {
  readonly name: string
  readonly families: readonly Family[]
  readonly prepare: (text: string, budget?: () => PageBudget) => () => unknown
}

/** A subject whose memory is measured, with the bytes that it may hold for each byte of its input. */
export interface Holder extends Subject {
  readonly holds: number
  /** The characters of its input. By default as many as a page may have. */
  readonly size?: number
}

/** One size, with the least time of a run. */
interface Point {
  readonly size: number
  readonly run: () => unknown
  ms: number
}

const SMALLEST = 1_024
const LARGEST = 8 * 1024 * 1024
/**
 * A family that grows evenly up to a run of `ENOUGH`, a late one up to `LATE_ENOUGH`, goes on at
 * sizes far above that. With `GROWTH=whole` there are so many that the last one is the largest
 * size, or takes a run of `LONG`. In the short form there is one, for one in `FAR_SHARE` of the
 * families of each subject: other ones for another length of its name, so that most families are
 * among them.
 */
export const IS_SHORT = process.env['GROWTH'] !== 'whole'
const FAR_FACTOR = IS_SHORT ? 16 : 8
const FAR_SHARE = 5
/**
 * CPU below this is noise; no size is measured after a run of `LONG`, or of `LONGEST` while it
 * seems a little too steep: a slow machine must come as far as others, where bounds such as that
 * of levels are met. In ms.
 */
const NOISE = 0.5
const ENOUGH = 6
const LATE_ENOUGH = 300
const LONG = 1_000
const LONGEST = 2_000
/**
 * A reader that reads the largest input in this time, five nanoseconds for each character, waits
 * for memory more than it works. In ms.
 */
const PLAIN = 40
const MAX_EXPONENT = 1.2
/**
 * Memory is slower than the caches of a processor, so that the CPU of linear work grows faster than
 * its input where the input no longer fits them. What grows no faster than that, beside a map with
 * an entry for so many characters, is not steep, up to this exponent.
 */
const MAX_BESIDE_MAP = 1.4
const CHARACTERS_OF_ENTRY = 24
/** In ms: the length of runs that are timed by the clock, and a tick of the system. */
const SHORT = 20
const TICK = 4
/**
 * The line is fitted over so many doublings. If the last ones seem steep, it is also fitted over
 * more of them: a cache that is full at one size, or code that is compiled anew at another, bends
 * a short line only, while a power of the input bends both.
 */
const DOUBLINGS = 3
const MORE_DOUBLINGS = 6
/**
 * Additional runs of each size that seems too steep: a busy machine makes a run longer, never
 * shorter.
 */
const MORE_RUNS = 6
const FEW_RUNS = 2
/**
 * Measures, with new inputs, of what seems too steep, and the time that they go on at least, in ms:
 * other work may slow a whole measure, and the next ones too if they are short. What is far too
 * steep is measured again only until that time.
 */
const TRIES = 3
const DOUBTED = 10_000
const FAR_TOO_STEEP = 1.6
/** In ms. */
const COMPILING = 50

/**
 * The power of the size with which CPU grows, if it is above {@link MAX_EXPONENT}, or else `null`.
 * Steep growth is measured at each larger size, too, as caches fill and bounds are met. It fails
 * only if it is steep at each of them.
 */
export async function steepness(
  subject: Subject,
  family: Family,
  farSizes: number,
): Promise<number | null> {
  const points: Point[] = []
  const enough = family.isLate ? LATE_ENOUGH : ENOUGH
  let step = 2
  let isFarEven: boolean | null = null
  for (let size = SMALLEST; size <= LARGEST; size *= step) {
    const run = subject.prepare(family.make(size))
    const point = { size, run, ms: Infinity }
    await measure(point, 1)
    if (point.ms < 2 * ENOUGH) await measure(point, 1)
    // Sizes far below those that can be measured are skipped.
    step = point.ms < NOISE / 32 ? 16 : point.ms < NOISE / 4 ? 4 : 2
    if (point.ms < NOISE) continue
    if (points.push(point) > MORE_DOUBLINGS + 1) points.shift()
    if (points.length <= DOUBLINGS || point.ms < enough) continue
    if (isFarEven !== false && (await isEven(lastOf(points)))) {
      isFarEven = await isEvenFar(subject, family, lastOf(points), farSizes)
      if (isFarEven) return null
    }
    const isFarTooSteep = slopeOf(lastOf(points)) > FAR_TOO_STEEP
    if (point.ms >= (isFarTooSteep ? LONG : LONGEST)) break
  }
  const last = points.at(-1)
  if (last === undefined || points.length < 2 || (last.size === LARGEST && last.ms < PLAIN))
    return null
  for (const some of [lastOf(points), points])
    if ((await isEven(some)) || (await isEvenBesideMap(some))) return null
  return Math.min(slopeOf(lastOf(points)), slopeOf(points))
}

/** Whether CPU grows hardly faster than that of filling a map, which is linear. */
async function isEvenBesideMap(points: readonly Point[]): Promise<boolean> {
  const slope = slopeOf(points)
  if (slope > MAX_BESIDE_MAP) return false
  const ofMap = points.map(({ size }) => ({ size, run: () => fillMap(size), ms: Infinity }))
  for (const point of ofMap) await measure(point, MORE_RUNS)
  return slope - slopeOf(ofMap) <= MAX_EXPONENT - 1
}

function fillMap(size: number): ReadonlyMap<string, object> {
  const map = new Map<string, object>()
  for (let count = size / CHARACTERS_OF_ENTRY; count > 0; count--) map.set(`k${count}`, { count })
  return map
}

/**
 * Whether the growth of these points goes on at sizes far above them. One run of each is enough,
 * unless it seems steep.
 */
async function isEvenFar(
  { prepare }: Subject,
  { make }: Family,
  near: readonly Point[],
  farSizes: number,
): Promise<boolean> {
  const points = [...near]
  let { size, ms } = points.at(-1) ?? { size: LARGEST, ms: LONG }
  for (let sizes = 0; sizes < farSizes; sizes++) {
    const factor = Math.min(FAR_FACTOR, LARGEST / size, LONG / ms)
    if (factor < 2) break
    size = Math.floor(size * factor)
    const point = { size, run: prepare(make(size)), ms: Infinity }
    await measure(point, 1)
    ms = point.ms
    if (size === LARGEST && ms < PLAIN) break
    points.push(point)
    if (!(await isEven(points))) return false
  }
  return true
}

function lastOf(points: readonly Point[]): readonly Point[] {
  return points.slice(-DOUBLINGS - 1)
}

/**
 * Whether CPU grows no faster than the input. If it seems to grow faster, more runs decide, unless
 * it is far too steep after a few.
 */
async function isEven(points: readonly Point[]): Promise<boolean> {
  for (let index = 0; index < MORE_RUNS && slopeOf(points) > MAX_EXPONENT; index++) {
    if (index >= FEW_RUNS && slopeOf(points) > FAR_TOO_STEEP) break
    for (const point of points) await measure(point, 1)
  }
  return slopeOf(points) <= MAX_EXPONENT
}

/** The families whose CPU grows faster than their input, each time that it is measured. */
export async function tooSteep(subject: Subject): Promise<string[]> {
  const problems: string[] = []
  for (const [index, family] of subject.families.entries()) {
    const began = performance.now()
    const isFar = (index + subject.name.length) % FAR_SHARE === 0
    const farSizes = IS_SHORT ? Number(isFar) : Infinity
    let slope = await steepness(subject, family, farSizes)
    for (let tries = 1; slope !== null; tries++) {
      const isCertain = tries >= TRIES || slope > FAR_TOO_STEEP
      if (isCertain && performance.now() - began >= DOUBTED) break
      slope = await steepness(subject, family, farSizes)
    }
    if (slope !== null)
      problems.push(
        `${subject.name}, ${family.name}: CPU grows with the power ${slope.toFixed(2)} of the input`,
      )
  }
  return problems
}

/**
 * The families that hold more memory than allowed for their input, at one size. A run that exceeds
 * the budget of the page holds nothing.
 */
export async function tooLarge(holder: Holder): Promise<string[]> {
  const problems: string[] = []
  for (const family of holder.families) {
    const times = await heldTimes(holder, family.make(holder.size ?? LARGEST))
    if (times > holder.holds)
      problems.push(`${holder.name}, ${family.name}: holds ${times.toFixed(1)} times its input`)
  }
  return problems
}

/** In a function of its own, so that nothing of a family is held while the next one is measured. */
async function heldTimes(
  { prepare, holds, size = LARGEST }: Holder,
  text: string,
): Promise<number> {
  const run = prepare(text)
  // A text of many parts is joined into one piece, like pages, and counts as input.
  text.charCodeAt(0)
  const before = heldBytes()
  let result: unknown = null
  try {
    result = await run()
  } catch (error) {
    if (!(error instanceof PageTooCostly)) throw error
  }
  let held = heldBytes() - before
  // V8 compiles code in the background, and holds the objects of that code until it is done.
  for (let tries = 0; tries < MORE_RUNS && held > holds * size; tries++) {
    await delay(COMPILING)
    held = heldBytes() - before
  }
  return result === NOTHING ? 0 : held / size
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
 * The time of a run, in ms. The system counts the CPU of a thread at its ticks, which is too coarse
 * for a short run; but a short run is seldom interrupted, so the least of several times of the
 * clock is right. A long run is measured by its CPU. Pauses of the garbage collector are left out:
 * they grow by steps, when objects no longer fit the young space, and not with the work of the run.
 * So is the time in which the system gives new memory, which depends on the machine.
 */
export async function timeOf(run: () => unknown): Promise<number> {
  const memory = measureNewMemory()
  const before = process.threadCpuUsage()
  const began = performance.now()
  await run()
  const ended = performance.now()
  const memoryMs = memory()
  const { user, system } = process.threadCpuUsage(before)
  const ms = ended - began
  const worked = ms < SHORT ? ms : Math.min(ms, (user + system) / 1_000 + TICK)
  const pauses = await pausesBetween(began, ended)
  return withoutMemory(worked, pauses + memoryMs)
}

/**
 * Touches the young space, so that no run is the first to do it. The heap begins with one half of
 * the space; lists of three times its size fill both.
 */
function touchYoungSpace(): number {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
  let lists = 0
  for (let left = 3 * (space?.space_size ?? 0); left > 0; left -= LIST_BYTES)
    lists += LIST.slice().length
  return lists
}

const LIST_BYTES = 8_192
const LIST = Array.from({ length: LIST_BYTES / 8 }, (_, index) => index)
touchYoungSpace()

/** The least CPU of a few runs, in ms. */
export async function leastTime(run: () => unknown): Promise<number> {
  const point = { size: 0, run, ms: Infinity }
  await measure(point, FEW_RUNS)
  return point.ms
}

const collector = new PerformanceObserver(() => {})
collector.observe({ entryTypes: ['gc'] })

/** The time for which the garbage collector has stopped the thread, in ms. */
async function pausesBetween(began: number, ended: number): Promise<number> {
  // The runtime reports a pause in a later turn.
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
