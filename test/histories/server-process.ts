import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** A server of this machine that is killed and started again. */
export interface ServerProcess {
  /** Resolves once its output has said that it is ready. */
  start(): Promise<void>
  /** Resolves once it has ended. */
  stop(signal: NodeJS.Signals): Promise<void>
  /** Ends it with its own processes, as when its machine fails. */
  fail(): Promise<void>
}

/** How a server is started. */
export interface ServerCommand {
  readonly command: readonly [file: string, ...values: string[]]
  /** In its output once it takes connections. */
  readonly ready: RegExp
  readonly folder: string
  readonly user?: { readonly uid?: number; readonly gid?: number }
}

/** Servers that still run; they end with this process. */
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** A server that is not started yet. */
export function createServerProcess({
  command: [file, ...values],
  ready,
  folder,
  user = {},
}: ServerCommand): ServerProcess {
  let child: ChildProcess | null = null
  async function stop(signal: NodeJS.Signals): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
  return {
    async start() {
      // Remains of one that was killed may keep the next one from starting for a moment.
      for (let tries = 1; ; tries++) {
        const server = spawn(file, values, {
          cwd: folder,
          stdio: ['ignore', 'pipe', 'pipe'],
          ...user,
        })
        running.add(server)
        child = server
        let log = ''
        const isReady = await new Promise<boolean>((resolve) => {
          const read = (chunk: Buffer): void => {
            if (log.length < 100_000) log += chunk.toString()
            if (ready.test(log)) resolve(true)
          }
          server.stdout.on('data', read)
          server.stderr.on('data', read)
          server.once('exit', () => {
            running.delete(server)
            resolve(false)
          })
        })
        if (isReady) return
        if (tries === 50) throw new Error(`${file} did not start: ${log}`)
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    },
    stop,
    async fail() {
      const pid = child?.pid
      if (!child || pid === undefined || child.exitCode !== null || child.signalCode !== null)
        return
      // It must not start others meanwhile.
      child.kill('SIGSTOP')
      while (!/\) T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) await pause(1)
      const own = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      for (const each of own.match(/\d+/g) ?? []) process.kill(Number(each), 'SIGKILL')
      await stop('SIGKILL')
    },
  }
}
