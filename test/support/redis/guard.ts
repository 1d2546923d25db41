// A separate process that runs a Redis until the process that started it has ended in any way: then
// its pipe ends.
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { findRedis } from './find.ts'

const folder = await mkdtemp(join(tmpdir(), 'seine-redis-'))
const remove = () => rmSync(folder, { recursive: true, force: true })
try {
  const port = await freePort()
  const settings = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--save',
    '',
    '--appendonly',
    'no',
    ...process.argv.slice(2),
  ]
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
  // Its data is deleted.
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
