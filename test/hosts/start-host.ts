import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as later } from 'node:timers/promises'
import { freePort } from '../support/free-port.ts'
import type { HostProcess } from './hosts.ts'

/** A host that answers. */
export interface RunningHost {
  readonly url: string
  /** Asks it to end, like a process manager. */
  terminate(): void
  /** Its exit code and what it wrote to stderr, once it has ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string }>
}

/** No process that hangs outlives the tests. */
const LIMIT_MS = 300_000

/** Starts a host in a folder and waits until it answers. */
export async function startHost(
  { file, command, env = {} }: HostProcess,
  folder: string,
): Promise<RunningHost> {
  const port = await freePort()
  const [program = '', ...args] = command
  const child = spawn(program, [...args, file], {
    cwd: folder,
    env: { ...process.env, NO_COLOR: '1', PORT: String(port), ...env },
    stdio: ['ignore', 'inherit', 'pipe'],
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  })
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const ended = once(child, 'close').then(([code]: unknown[]) => ({
    code: typeof code === 'number' ? code : null,
    stderr,
  }))
  const url = `http://localhost:${port}`
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  while (!isOver() && !(await answers(url))) await later(50)
  if (isOver())
    throw new Error(`${file} ended with ${child.exitCode ?? child.signalCode}: ${stderr}`)
  return { url, ended, terminate: () => void child.kill('SIGTERM') }
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    async (response) => (await response.text()) !== '',
    () => false,
  )
}
