import { join } from 'node:path'
import { root } from '../support/sources/sources.ts'

/** A host of `examples/hosts` that is a process. */
export interface HostProcess {
  /** File of `examples/hosts`, and name. */
  readonly file: string
  /** The command that starts it. */
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

const runtimes = join(root, 'test/runtimes/node_modules')
const NODE = [process.execPath]

/** The programs of the runtimes, from npm packages. */
export const BUN = [join(runtimes, '@oven/bun-linux-x64-baseline/bin/bun'), 'run']
export const DENO = [
  join(runtimes, '@deno/linux-x64-glibc/deno'),
  'run',
  '--allow-net',
  '--allow-read',
  '--allow-write',
  '--allow-env',
  '--allow-sys',
  '--node-modules-dir=manual',
]

/** Hosts that are processes; the Worker is in workerd. */
export const HOSTS: readonly HostProcess[] = [
  { file: 'node-http.ts', command: NODE },
  { file: 'express.ts', command: NODE },
  { file: 'fastify.ts', command: NODE },
  { file: 'hono.ts', command: NODE },
  {
    file: 'better-auth.ts',
    command: NODE,
    env: { BETTER_AUTH_SECRET: 'a secret of thirty-two letters, or more' },
  },
  {
    file: 'better-auth-mcp.ts',
    command: NODE,
    env: { BETTER_AUTH_SECRET: 'a secret of thirty-two letters, or more' },
  },
  { file: 'elysia.ts', command: BUN },
  { file: 'bun.ts', command: BUN },
  { file: 'deno.ts', command: DENO },
  // Treats the files of the example like Next: installing Next takes 340 MB, and a build with it a
  // minute.
  { file: 'next-server.js', command: NODE },
]
