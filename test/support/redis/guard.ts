// A process of its own that runs a Redis until whoever started it is gone, however that came about: then its pipe ends.
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findRedis } from './find.ts'

/** A port that nobody has; should somebody take it meanwhile, the server says so and nothing starts. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('The port has no number')
  return address.port
}

const folder = await mkdtemp(join(tmpdir(), 'seine-redis-'))
const remove = () => rmSync(folder, { recursive: true, force: true })
try {
  const port = await freePort()
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no', ...process.argv.slice(2)]
  const server = spawn(findRedis(), settings, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  let ready = false
  server.once('error', (error) => {
    process.stderr.write(String(error))
    remove()
    process.exit(1)
  })
  server.once('exit', (code) => {
    if (!ready) process.stderr.write(log)
    remove()
    process.exit(code ?? 1)
  })
  // Its data is thrown away.
  const stop = () => server.kill('SIGKILL')
  process.stdin.resume().once('end', stop).once('error', stop)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  const read = (chunk: Buffer) => {
    if (ready) return
    log += chunk.toString()
    ready = /ready to accept connections/i.test(log)
    if (ready) process.stdout.write(`${port}\n`)
  }
  server.stdout.on('data', read)
  server.stderr.on('data', read)
} catch (error) {
  remove()
  throw error
}
