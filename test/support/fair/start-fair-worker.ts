import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { FairPlace } from './open-fair-platform.ts'

const SCRIPT = fileURLToPath(new URL('./fair-worker.ts', import.meta.url))

/** Starts a process that works for this place. `close` rejects where it did not end well. */
export function startFairWorker(place: FairPlace): { close(): Promise<void> } {
  const child = spawn(process.execPath, ['--no-warnings', SCRIPT, JSON.stringify(place)], {
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  const ended = once(child, 'close')
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  return {
    async close() {
      child.stdin.end()
      await ended
      if (child.exitCode !== 0 || errors !== '')
        throw new Error(`A worker ended with ${child.exitCode ?? child.signalCode}: ${errors}`)
    },
  }
}
