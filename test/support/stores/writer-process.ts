import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { CrowdOrder, CrowdReport } from '../../contracts/store-crowd-work.ts'

/** A line of a writer: an answer, a failure, or a commit in between. */
export type WriterLine = CrowdReport | { readonly failed: string } | { readonly told: number }

/** A process of a test that does orders of writing one after the other. */
export interface WriterProcess {
  /** Rejects if the process failed, or ended before. */
  run(order: CrowdOrder, onCommit?: (n: number) => void): Promise<CrowdReport>
  /** Ends it with SIGKILL. */
  kill(): Promise<void>
  /** Lets it end. Rejects if its exit code is not 0, or if it wrote to stderr. */
  close(): Promise<void>
}

/** Starts a script that calls `serveWriter`; it gets places as `nameOf` names them. */
export function startWriter(
  [file = '', ...values]: readonly string[],
  nameOf: (place: string) => string,
): WriterProcess {
  const child = spawn(file, values, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
  })
  const ended = once(child, 'close')
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  // It may have ended when an order is sent; its end is reported.
  child.stdin.on('error', () => {})
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return {
    async run(order, onCommit) {
      child.stdin.write(`${JSON.stringify({ ...order, place: nameOf(order.place) })}\n`)
      for (;;) {
        const { value, done } = await lines.next()
        if (done) throw new Error(`The writer ended: ${errors}`)
        const line = lineOf(value)
        if ('failed' in line) throw new Error(line.failed)
        if ('who' in line) return line
        onCommit?.(line.told)
      }
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    async close() {
      child.stdin.end()
      await ended
      if (child.exitCode !== 0 || errors !== '')
        throw new Error(`The writer ended with ${child.exitCode ?? child.signalCode}: ${errors}`)
    },
  }
}

function lineOf(text: string): WriterLine {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`The writer ended within a line, or wrote something else: ${text}`, {
      cause: error,
    })
  }
}
