import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'

/** A process that runs a script of a test. */
export interface Child {
  readonly process: ChildProcess
  readonly output: Readable
  errors(): string
  /** Its exit code; `null` after a signal. */
  readonly ended: Promise<number | null>
}

/** Starts a script on this Node. */
export function startChild(script: string, ...values: readonly string[]): Child {
  const child = spawn(process.execPath, ['--no-warnings', script, ...values], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  return {
    process: child,
    output: child.stdout,
    errors: () => errors,
    ended: once(child, 'exit').then(() => child.exitCode),
  }
}
