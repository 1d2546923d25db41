import type { Dependency, Reason } from './dependencies.ts'

/** A ring of dependencies, which no order of the transactions can satisfy. */
export interface Cycle {
  readonly kind: string
  readonly path: readonly Dependency[]
}

/** Reasons that hold for every isolation; the later levels are those of sessions and of time. */
const LEVELS: readonly (readonly [suffix: string, extra: readonly Reason[]])[] = [
  ['', []],
  ['-process', ['process']],
  ['-realtime', ['process', 'realtime']],
]

/**
 * One short cycle of each kind, by the weakest reasons that make any: G0 of writes alone, G1c with
 * reads of what was written, G-single with one read that missed a write, G2-item with several.
 */
export function findCycles(dependencies: readonly Dependency[]): Cycle[] {
  const rings = inRings(dependencies)
  for (const [suffix, extra] of LEVELS) {
    const cycles = ofLevel(rings, extra)
    if (cycles.length > 0) return cycles.map(({ kind, path }) => ({ kind: kind + suffix, path }))
  }
  return []
}

function ofLevel(dependencies: readonly Dependency[], extra: readonly Reason[]): Cycle[] {
  const through = (kind: string, reason: Reason, others: readonly Reason[]): Cycle[] => {
    const reasons = new Set([...others, ...extra])
    const next = nextOf(dependencies.filter((one) => reasons.has(one.reason)))
    let shortest: readonly Dependency[] | null = null
    for (const first of dependencies.filter((one) => one.reason === reason)) {
      const rest = findPath(next, first.to, first.from)
      if (rest && (!shortest || rest.length + 1 < shortest.length)) shortest = [first, ...rest]
    }
    return shortest ? [{ kind, path: shortest }] : []
  }
  const cycles = [
    ...through('G0', 'ww', ['ww']),
    ...through('G1c', 'wr', ['ww', 'wr']),
    ...through('G-single', 'rw', ['ww', 'wr']),
  ]
  return cycles.length > 0 ? cycles : through('G2-item', 'rw', ['ww', 'wr', 'rw'])
}

type Next = ReadonlyMap<number, readonly Dependency[]>

function nextOf(dependencies: readonly Dependency[]): Next {
  return Map.groupBy(dependencies, ({ from }) => from)
}

/** The shortest path, breadth first; `null` if there is none. */
function findPath(next: Next, from: number, to: number): Dependency[] | null {
  const ways = new Map<number, Dependency | null>([[from, null]])
  const queue = [from]
  for (const place of queue) {
    if (place === to) break
    for (const one of next.get(place) ?? [])
      if (!ways.has(one.to)) {
        ways.set(one.to, one)
        queue.push(one.to)
      }
  }
  if (!ways.has(to)) return null
  const path: Dependency[] = []
  for (let way = ways.get(to); way; way = ways.get(way.from)) path.unshift(way)
  return path
}

/** Only dependencies that may be part of a ring: those without a way in or out are peeled off. */
function inRings(dependencies: readonly Dependency[]): readonly Dependency[] {
  let rest = dependencies
  for (;;) {
    const entered = new Set(rest.map(({ to }) => to))
    const left = new Set(rest.map(({ from }) => from))
    const inner = rest.filter(({ from, to }) => entered.has(from) && left.has(to))
    if (inner.length === rest.length) return rest
    rest = inner
  }
}
