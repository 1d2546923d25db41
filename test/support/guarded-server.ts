import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A server that ends with this process. */
export interface GuardedServer {
  /** The first line that its guard writes: where it listens. */
  readonly line: string
  stop(): Promise<void>
}

/**
 * Starts a server by a script that guards it: the script ends the server when its stdin ends, which
 * it does when this process dies.
 */
export async function startGuarded(
  name: string,
  guardUrl: URL,
  args: readonly string[],
): Promise<GuardedServer> {
  const guard = spawn(process.execPath, ['--no-warnings', fileURLToPath(guardUrl), ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let errors = ''
  guard.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  const ended = once(guard, 'exit')
  const first = createInterface(guard.stdout)[Symbol.asyncIterator]().next()
  const line = await Promise.race([first, ended.then(() => null)])
  if (!line || line.done) throw new Error(`${name} did not start: ${errors.trim()}`)
  return {
    line: line.value,
    async stop() {
      guard.stdin.end()
      await ended
    },
  }
}
