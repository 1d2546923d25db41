import { join } from 'node:path'
import type { EventSource } from './events/run-events.ts'
import type { WorkerHost } from './run-worker.ts'

/** A runtime, and the files that run on it. */
export interface Runtime {
  readonly name: string
  /** `false` for several runtimes at once, which are rows of the table already. */
  readonly isRow?: false
  /** The command that starts a file; `null` for workerd, which is started with bindings. */
  readonly command: readonly string[] | null
  /** The hosts of `hosts/` that run there, for workerd with the path that runs them. */
  readonly runs: readonly Run[]
}

/**
 * The parts of the tests on a runtime: cases, contract suites, a store with several writers at the
 * same time, or events other than requests.
 */
export type Run =
  | ({ readonly what: 'cases' | 'contracts' } & (
      | { readonly host: string }
      | { readonly worker: WorkerHost; readonly path: string }
    ))
  | { readonly what: 'crowd'; readonly host: string; readonly writers: readonly Writer[] }
  | { readonly what: 'crowd'; readonly worker: WorkerHost; readonly path: string }
  | { readonly what: 'events'; readonly events: EventSource }

/** A process that writes: the command that starts it, and the script. */
export interface Writer {
  readonly command: readonly string[]
  readonly host: string
}

const packages = join(import.meta.dirname, 'node_modules')

const NODE_22 = [join(packages, 'node-22-13/bin/node')]
const NODE_24 = [process.execPath]
const NODE_26 = [join(packages, 'node-newest/bin/node')]
const BUN = [join(packages, '@oven/bun-linux-x64-baseline/bin/bun'), 'run']
const DENO = [
  join(packages, '@deno/linux-x64-glibc/deno'),
  'run',
  '--quiet',
  '--allow-all',
  '--node-modules-dir=manual',
]

/**
 * All runtimes, each from an npm package. Node 24 is the one that this project pins anyway
 * (decisions/002).
 */
export const RUNTIMES: readonly Runtime[] = [
  { name: 'Node 22.13', command: NODE_22, runs: of('node', NODE_22) },
  { name: 'Node 24', command: NODE_24, runs: of('node', NODE_24) },
  { name: 'Node 26', command: NODE_26, runs: of('node', NODE_26) },
  { name: 'Bun', command: BUN, runs: of('bun', BUN) },
  { name: 'Deno', command: DENO, runs: of('deno', DENO) },
  {
    name: 'Node, Bun and Deno on one file',
    isRow: false,
    command: NODE_24,
    runs: [
      {
        what: 'crowd',
        host: 'node-crowd',
        writers: [
          writer('node', NODE_22),
          writer('node', NODE_26),
          writer('bun', BUN),
          writer('deno', DENO),
        ],
      },
    ],
  },
  {
    name: 'workerd, Durable Object',
    command: null,
    runs: [
      { what: 'cases', worker: 'worker-object', path: '/suite/run' },
      { what: 'contracts', worker: 'worker-contracts', path: '/object' },
      { what: 'crowd', worker: 'worker-crowd', path: '/?on=object' },
      { what: 'events', events: 'alarm' },
    ],
  },
  {
    name: 'workerd, D1',
    command: null,
    runs: [
      { what: 'cases', worker: 'worker-d1', path: '/suite/run' },
      { what: 'contracts', worker: 'worker-contracts', path: '/d1' },
      { what: 'crowd', worker: 'worker-crowd', path: '/?on=d1' },
      { what: 'events', events: 'cron' },
      { what: 'contracts', worker: 'worker-limits', path: '/limits' },
      { what: 'contracts', worker: 'worker-events', path: '/events' },
    ],
  },
]

function of(host: string, command: readonly string[]): Run[] {
  return [
    { what: 'cases', host },
    { what: 'contracts', host: `${host}-contracts` },
    {
      what: 'crowd',
      host: `${host}-crowd`,
      writers: Array.from({ length: 4 }, () => writer(host, command)),
    },
  ]
}

function writer(host: string, command: readonly string[]): Writer {
  return {
    command: [...command, ...(host === 'node' ? ['--no-warnings'] : [])],
    host: `${host}-writer`,
  }
}
