import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A Postgres of this process. */
export interface PostgresServer {
  /** The folder of its socket, which clients use as host. Its user is `seine`, without a password. */
  readonly host: string
  stop(): Promise<void>
}

/** Starts a Postgres on an empty folder. `durable`: with the usual settings, for measurements. */
export async function startPostgres(
  options: { readonly durable?: boolean } = {},
): Promise<PostgresServer> {
  const script = fileURLToPath(new URL('./guard.ts', import.meta.url))
  const guard = spawn(
    process.execPath,
    ['--no-warnings', script, ...(options.durable ? ['durable'] : [])],
    { stdio: ['pipe', 'pipe', 'pipe'] },
  )
  let errors = ''
  guard.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  const ended = once(guard, 'exit')
  const first = createInterface(guard.stdout)[Symbol.asyncIterator]().next()
  const line = await Promise.race([first, ended.then(() => null)])
  if (!line || line.done) throw new Error(`Postgres did not start: ${errors.trim()}`)
  return {
    host: line.value,
    async stop() {
      guard.stdin.end()
      await ended
    },
  }
}
