import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A Redis of this process, on a free port of 127.0.0.1. */
export interface RedisServer {
  readonly port: number
  stop(): Promise<void>
}

/** Starts an empty Redis. `settings`: as on its command line. */
export async function startRedis(...settings: string[]): Promise<RedisServer> {
  const script = fileURLToPath(new URL('./guard.ts', import.meta.url))
  const guard = spawn(process.execPath, ['--no-warnings', script, ...settings], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let errors = ''
  guard.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  const ended = once(guard, 'exit')
  const first = createInterface(guard.stdout)[Symbol.asyncIterator]().next()
  const line = await Promise.race([first, ended.then(() => null)])
  if (!line || line.done) throw new Error(`Redis did not start: ${errors.trim()}`)
  return {
    port: Number(line.value),
    async stop() {
      guard.stdin.end()
      await ended
    },
  }
}
