import { figuresOf, type Sample } from '../figures.ts'

/** The part of a look at a server that only its own process sees. */
export interface Pulse {
  /** The heap of the main thread that is in use, dead objects included. */
  readonly heapMb: number
  /** Timers that keep the process alive. */
  readonly timers: number
  /** Sockets, servers, requests of files and whatever else does so. */
  readonly handles: number
}

/** One look at a server. */
export interface Look extends Pulse {
  /** By the machine's clock, in ms. */
  readonly at: number
  readonly rssMb: number
  /** The open files and sockets of the process. */
  readonly files: number
  /** The write-ahead log of the store. */
  readonly walMb: number
  /** The memory of Redis; 0 where there is none. */
  readonly redisMb: number
}

/** A figure of a look that may grow. */
export type Measure = Exclude<keyof Look, 'at'>

/** The result of a soak, as it was measured. */
export interface Recording {
  /** The beginning and the end, in ms of the machine's clock. */
  readonly from: number
  readonly until: number
  readonly looks: readonly Look[]
  /** The calls of honest accounts. */
  readonly samples: readonly Sample[]
}

/** The figures of one minute. */
export interface Minute {
  /** The least value of each measure: a leak raises it, and garbage that waits does not. */
  readonly least: Readonly<Record<Measure, number>>
  readonly peakRssMb: number
  /** Of all honest calls, and of the probe. */
  readonly p99: number
  readonly probeP99: number
  readonly calls: number
}

/** The measures with their names in tables, and the unit. */
export const MEASURES: readonly (readonly [Measure, name: string, unit: string])[] = [
  ['rssMb', 'RSS', 'MiB'],
  ['heapMb', 'heap', 'MiB'],
  ['handles', 'handles', ''],
  ['files', 'files', ''],
  ['timers', 'timers', ''],
  ['walMb', 'WAL', 'MiB'],
  ['redisMb', 'Redis', 'MiB'],
]

/** The call that costs least, so that its time says for how long the server was held. */
export const PROBE = 'public GET'

const MINUTE_MS = 60_000

/** The whole minutes of a soak; an unfinished last one is left out. */
export function minutesOf({ from, until, looks, samples }: Recording): readonly Minute[] {
  const looksOf = Map.groupBy(looks, ({ at }) => Math.floor((at - from) / MINUTE_MS))
  const samplesOf = Map.groupBy(samples, ({ at }) => Math.floor((at - from) / MINUTE_MS))
  return Array.from({ length: Math.floor((until - from) / MINUTE_MS) }, (_, index) => {
    const seen = looksOf.get(index) ?? []
    const calls = samplesOf.get(index) ?? []
    const least = (measure: Measure): number => Math.min(...seen.map((look) => look[measure]))
    return {
      least: {
        rssMb: least('rssMb'),
        heapMb: least('heapMb'),
        handles: least('handles'),
        files: least('files'),
        timers: least('timers'),
        walMb: least('walMb'),
        redisMb: least('redisMb'),
      },
      peakRssMb: Math.max(...seen.map(({ rssMb }) => rssMb)),
      p99: figuresOf(calls).p99,
      probeP99: figuresOf(calls.filter(({ kind }) => kind === PROBE)).p99,
      calls: calls.length,
    }
  })
}
