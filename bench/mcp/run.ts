import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A contender that listens. */
export interface Served {
  readonly url: string
  readonly secret: string
  /** User and system time of all threads of its process so far, µs. */
  cpu(): Promise<number>
  stop(): void
}

/** The result of a load; times in ms. */
export interface Load {
  readonly perSecond: number
  readonly total: number
  readonly p50: number
  readonly p99: number
  readonly failed: number
}

/** Starts `mcp/<name>.ts` in a process of its own; resolves when it listens. */
export async function serveContender(name: string, args: readonly string[]): Promise<Served> {
  const { child, line } = await firstLine(name, args)
  const { port, secret }: { port: number; secret: string } = JSON.parse(line)
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    secret,
    async cpu() {
      child.send('cpu')
      const [used]: NodeJS.CpuUsage[] = await once(child, 'message')
      return used ? used.user + used.system : NaN
    },
    stop: () => void child.kill(),
  }
}

/** Loads a contender from a process of its own. */
export async function loadContender(
  { url, secret }: Served,
  seconds: string,
  connections: string,
): Promise<Load> {
  const { child, line } = await firstLine('load', [
    '--url',
    url,
    '--secret',
    secret,
    '--seconds',
    seconds,
    '--connections',
    connections,
  ])
  if (child.exitCode === null) await once(child, 'exit')
  return JSON.parse(line)
}

async function firstLine(name: string, args: readonly string[]) {
  const child = fork(fileURLToPath(new URL(`./${name}.ts`, import.meta.url)), args, {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  if (!child.stdout) throw new Error(`${name} has no output`)
  const line = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    once(child, 'exit').then(([code, signal]) =>
      Promise.reject(new Error(`${name} ended with ${signal ?? code}`)),
    ),
  ])
  return { child, line: String(line[0]) }
}
