import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Family } from './families.ts'

/** What is measured: `prepare` is free, the function that it gives is not. What that returns is held while memory is read. */
export interface Subject {
  readonly name: string
  readonly families: readonly Family[]
  readonly prepare: (text: string) => () => unknown
  /** Bytes that it may hold for each of its input; absent: its memory is not measured. */
  readonly holds?: number
}

const SMALLEST = 1_024
const LARGEST = 8 * 1024 * 1024
/** CPU below this is noise, and a run above that tells enough. In ms. */
const NOISE = 1
const ENOUGH = 16
/** A run so long is judged by what there is. */
const FAR_TOO_LONG = 400
const MAX_EXPONENT = 1.2
/** Each time again with more runs, as a busy machine may have disturbed one. */
const RUNS = [1, 3, 5]

/** CPU that runs of growing input take, as the power of its size; `null` where even the largest takes next to none. */
export function exponentOf(subject: Subject, family: Family, runs: number): number | null {
  const points: (readonly [size: number, ms: number])[] = []
  let step = 2
  for (let size = SMALLEST; size <= LARGEST; size *= step) {
    const run = subject.prepare(family.make(size))
    let ms = Infinity
    for (let at = 0; at < runs; at++) ms = Math.min(ms, cpuOf(run))
    if (ms >= NOISE) points.push([Math.log2(size), Math.log2(ms)])
    if ((ms >= ENOUGH && points.length >= 3) || (ms >= FAR_TOO_LONG && points.length >= 2)) break
    step = ms < NOISE / 8 ? 4 : 2
  }
  return points.length < 2 ? null : slopeOf(points)
}

/** What grows faster than its input, after second and third looks. */
export function tooSteep(subject: Subject): string[] {
  return subject.families.flatMap((family) => {
    let exponent: number | null = null
    for (const runs of RUNS) {
      exponent = exponentOf(subject, family, runs)
      if (exponent === null || exponent <= MAX_EXPONENT) return []
    }
    return [`${subject.name}, ${family.name}: CPU grows with the power ${exponent?.toFixed(2)} of the input`]
  })
}

/** What holds more memory than it may for its input, at the largest size. */
export function tooLarge({ name, prepare, families, holds = Infinity }: Subject): string[] {
  return families.flatMap((family) => {
    const run = prepare(family.make(LARGEST))
    const before = heldBytes()
    const result = run()
    const held = heldBytes() - before
    const times = held / LARGEST
    return result !== NOTHING && times > holds ? [`${name}, ${family.name}: holds ${times.toFixed(1)} times its input`] : []
  })
}

const NOTHING = Symbol('nothing')

function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const middle = (at: 0 | 1): number => points.reduce((sum, point) => sum + point[at], 0) / points.length
  const [x, y] = [middle(0), middle(1)]
  return points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0) / points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0)
}

function cpuOf(run: () => unknown): number {
  const before = process.threadCpuUsage()
  run()
  const { user } = process.threadCpuUsage(before)
  return user / 1_000
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
