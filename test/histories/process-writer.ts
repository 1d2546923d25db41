import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Connection } from './connect.ts'
import type { Transaction } from './history.ts'
import type { HistoryWriter } from './places.ts'

type Line = Transaction | { readonly ended: true } | { readonly error: string }

/** Starts a script that does orders, `worker.ts` or a bundle of it. */
export function startProcess(script: string, connection: Connection): HistoryWriter {
  const child = spawn(process.execPath, ['--no-warnings', script, JSON.stringify(connection)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  child.stdin.on('error', () => {})
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return {
    async run(order, note) {
      child.stdin.write(`${JSON.stringify(order)}\n`)
      for (;;) {
        const { value, done } = await lines.next()
        const line = done ? null : lineOf(value)
        if (line === null) throw new Error('The process has ended')
        if ('ended' in line) return
        if ('error' in line) throw new Error(line.error)
        note(line)
      }
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    async close() {
      child.stdin.end()
      await ended
    },
  }
}

/** `null`: a process that was killed has ended within a line. */
function lineOf(text: string): Line | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
