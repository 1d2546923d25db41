import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { shown } from './figures.ts'

/** One long turn of the server's event loop, in which no other call was served. */
export interface Turn {
  /** When it began, by the machine's clock, in ms. */
  readonly at: number
  /** The same by the clock of the profiler, in µs. */
  readonly fromUs: number
  readonly wallMs: number
  /** The processor time of the thread of the loop meanwhile. */
  readonly cpuMs: number
  /** The time for which that thread was ready without a processor. */
  readonly waitedMs: number
  /** The time for which the garbage collector had stopped that thread. */
  readonly collectorMs: number
}

/** The figures of the turns of a case. */
export interface Stalls {
  readonly wallMs: number
  /** The longest turn by processor time, which no scheduler can shorten. */
  readonly cpuMs: number
  /**
   * The same without the pauses of the garbage collector, which no division of work can shorten:
   * they come with the memory of the whole process. A pause counts with its whole time, also where
   * its threads were without a processor, so that this may be too little by that.
   */
  readonly workMs: number
  readonly waitedMs: number
}

/** Whether a message of the server's process is a turn. */
export function isTurn(value: unknown): value is Turn {
  return typeof value === 'object' && value !== null && 'wallMs' in value && 'fromUs' in value
}

/** The longest turns, each by itself. */
export function stallsOf(turns: readonly Turn[]): Stalls {
  const most = (of: (turn: Turn) => number): number => Math.max(0, ...turns.map(of))
  return {
    wallMs: most(({ wallMs }) => wallMs),
    cpuMs: most(({ cpuMs }) => cpuMs),
    workMs: most(({ cpuMs, collectorMs }) => cpuMs - collectorMs),
    waitedMs: most(({ waitedMs }) => waitedMs),
  }
}

interface ProfileNode {
  readonly id: number
  readonly callFrame: {
    readonly functionName: string
    readonly url: string
    readonly lineNumber: number
  }
  readonly children?: readonly number[]
}

/** A CPU profile in the form of the runtime. */
interface Profile {
  readonly nodes: readonly ProfileNode[]
  readonly startTime: number
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

const LONGEST = 5
const FRAMES = 12

/** The longest turns with what ran in them, from the profiles of a folder. */
export function explained(turns: readonly Turn[], folder: string): string {
  const profiles = readdirSync(folder)
    .filter((name) => name.endsWith('.cpuprofile'))
    .map((name): Profile => JSON.parse(readFileSync(join(folder, name), 'utf8')))
  // The profile with the most samples of the turn is that of the loop: threads run other functions.
  return turns
    .toSorted((a, b) => b.cpuMs - a.cpuMs)
    .slice(0, LONGEST)
    .map((turn) => {
      const title =
        `${shown(turn.wallMs)} ms, of which ${shown(turn.cpuMs)} computing, ` +
        `${shown(turn.collectorMs)} in pauses of the collector and ` +
        `${shown(turn.waitedMs)} without a processor`
      return [
        title,
        ...profiles.flatMap((profile) => framesOf(profile, turn)).map((line) => `    ${line}`),
      ].join('\n')
    })
    .join('\n')
}

/** Functions by the part of the turn that was spent in them and in what they called. */
function framesOf(
  { nodes, startTime, samples, timeDeltas }: Profile,
  { fromUs, wallMs }: Turn,
): string[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  )
  const spent = new Map<string, number>()
  let time = startTime
  for (const [i, sample] of samples.entries()) {
    const us = timeDeltas[i] ?? 0
    time += us
    if (time < fromUs || time > fromUs + (wallMs + 5) * 1_000) continue
    const names = new Set<string>()
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
      const { functionName, url, lineNumber } = byId.get(id)?.callFrame ?? {
        functionName: '',
        url: '',
        lineNumber: 0,
      }
      names.add(`${functionName || 'anonymous'} ${url.split('/').at(-1) ?? ''}:${lineNumber + 1}`)
    }
    for (const name of names) spent.set(name, (spent.get(name) ?? 0) + us)
  }
  return [...spent]
    .toSorted(([, a], [, b]) => b - a)
    .filter(([name]) => !name.startsWith('(root)'))
    .slice(0, FRAMES)
    .map(([name, us]) => `${shown(us / 1_000).padStart(7)}  ${name}`)
}
