import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A contender that listens. */
export interface Served {
  readonly origin: string
  /** User and system time of all threads of its process so far, µs. */
  cpu(): Promise<number>
  stop(): void
}

/** Starts `http/<name>.ts` in its own process; resolves when it listens. */
export async function serveContender(name: string, store: string): Promise<Served> {
  const { child, line } = await firstLine(name, ['--store', store])
  const { port }: { port: number } = JSON.parse(line)
  return {
    origin: `http://127.0.0.1:${port}`,
    async cpu() {
      child.send('cpu')
      const [used]: NodeJS.CpuUsage[] = await once(child, 'message')
      return used ? used.user + used.system : NaN
    },
    stop: () => void child.kill(),
  }
}

/** Runs `http/<name>.ts` to its end; gives the JSON that it prints. */
export async function runScript<T>(name: string, args: readonly string[]): Promise<T> {
  const { child, line } = await firstLine(name, args)
  if (child.exitCode === null) await once(child, 'exit')
  return JSON.parse(line)
}

async function firstLine(
  name: string,
  args: readonly string[],
): Promise<{ child: ChildProcess; line: string }> {
  const child = fork(fileURLToPath(new URL(`./${name}.ts`, import.meta.url)), args, {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  if (!child.stdout) throw new Error(`${name} has no output`)
  const lines = createInterface({ input: child.stdout })
  const line = await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(([code, signal]) =>
      Promise.reject(new Error(`${name} ended with ${signal ?? code}`)),
    ),
  ])
  return { child, line: String(line[0]) }
}
