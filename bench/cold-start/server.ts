import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** A fresh server, in ms and MiB. */
export interface ServerStart {
  /** From the start of the process until its first answer was read. */
  readonly total: number
  /** User and system time of the process until then. */
  readonly cpu: number
  /** Resident memory a second later. */
  readonly rss: number
}

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** Starts `node:http` alone, or `seine serve` with an empty data directory, and asks it once. */
export async function startServer(name: string): Promise<ServerStart> {
  const data = await mkdtemp(join(tmpdir(), 'seine-start-'))
  const began = performance.now()
  const child = spawn(
    process.execPath,
    name === 'seine'
      ? [pathOf('../../dist/command/main.js'), 'serve', '--data', data, '--port', '0']
      : [pathOf(`./scripts/${name}.mjs`)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  try {
    const origin = await Promise.race([
      originIn(createInterface({ input: child.stdout })),
      once(child, 'exit').then(() => Promise.reject(new Error(`${name} ended`))),
    ])
    await (await fetch(`${origin}/api/v1/tasks`)).text()
    const total = performance.now() - began
    const cpu = await cpuOf(child.pid ?? 0)
    await sleep(1_000)
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
    return { total, cpu, rss: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024 }
  } finally {
    // As operators end it: Node then writes what it has compiled, for the next start.
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    await rm(data, { recursive: true, force: true })
  }
}

async function originIn(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) {
    const [, origin] = /^listening (http:\S+)/.exec(line) ?? []
    if (origin !== undefined) return origin
  }
  throw new Error('The server printed no address')
}

/** User and system time of a process, in ms, in the clock ticks of Linux. */
async function cpuOf(pid: number): Promise<number> {
  const [, stat = ''] = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')
  const fields = stat.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
