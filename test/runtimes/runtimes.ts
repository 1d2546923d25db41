import { join } from 'node:path'

/** A runtime that the cases run on. */
export type Runtime = { readonly name: string } & (
  | {
      /** Of `hosts/`. */
      readonly host: 'node' | 'bun' | 'deno'
      /** What starts a file of that host. */
      readonly command: readonly string[]
    }
  | { readonly host: 'worker-object' | 'worker-d1'; readonly command: null }
)

const packages = join(import.meta.dirname, 'node_modules')

/** All of them; each comes as an npm package. Node 24 is the one that this project brings anyway (decisions/002). */
export const RUNTIMES: readonly Runtime[] = [
  { name: 'Node 22.13', host: 'node', command: [join(packages, 'node-22-13/bin/node')] },
  { name: 'Node 24', host: 'node', command: [process.execPath] },
  { name: 'Node 26', host: 'node', command: [join(packages, 'node-newest/bin/node')] },
  { name: 'Bun', host: 'bun', command: [join(packages, '@oven/bun-linux-x64-baseline/bin/bun'), 'run'] },
  { name: 'Deno', host: 'deno', command: [join(packages, '@deno/linux-x64-glibc/deno'), 'run', '--allow-all', '--node-modules-dir=manual'] },
  { name: 'workerd, Durable Object', host: 'worker-object', command: null },
  { name: 'workerd, D1', host: 'worker-d1', command: null },
]
