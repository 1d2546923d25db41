import { join } from 'node:path'
import type { WorkerHost } from './run-worker.ts'

/** A runtime that something runs on. */
export interface Runtime {
  readonly name: string
  /** What starts a file; `null`: workerd, which is started with bindings. */
  readonly command: readonly string[] | null
  /** What runs there: hosts of `hosts/`, in workerd with the path that runs them. */
  readonly runs: readonly Run[]
}

/** Cases, or contract suites, on a runtime. */
export type Run = { readonly what: 'cases' | 'contracts' } & ({ readonly host: string } | { readonly worker: WorkerHost; readonly path: string })

const packages = join(import.meta.dirname, 'node_modules')

/** All of them; each comes as an npm package. Node 24 is the one that this project brings anyway (decisions/002). */
export const RUNTIMES: readonly Runtime[] = [
  { name: 'Node 22.13', command: [join(packages, 'node-22-13/bin/node')], runs: of('node') },
  { name: 'Node 24', command: [process.execPath], runs: of('node') },
  { name: 'Node 26', command: [join(packages, 'node-newest/bin/node')], runs: of('node') },
  { name: 'Bun', command: [join(packages, '@oven/bun-linux-x64-baseline/bin/bun'), 'run'], runs: of('bun') },
  { name: 'Deno', command: [join(packages, '@deno/linux-x64-glibc/deno'), 'run', '--allow-all', '--node-modules-dir=manual'], runs: of('deno') },
  {
    name: 'workerd, Durable Object',
    command: null,
    runs: [
      { what: 'cases', worker: 'worker-object', path: '/suite/run' },
      { what: 'contracts', worker: 'worker-contracts', path: '/object' },
    ],
  },
  {
    name: 'workerd, D1',
    command: null,
    runs: [
      { what: 'cases', worker: 'worker-d1', path: '/suite/run' },
      { what: 'contracts', worker: 'worker-contracts', path: '/d1' },
    ],
  },
]

function of(host: string): Run[] {
  return [
    { what: 'cases', host },
    { what: 'contracts', host: `${host}-contracts` },
  ]
}
