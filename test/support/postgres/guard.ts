// A separate process that runs a Postgres until the process that started it has ended in any way:
// then its pipe ends.
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, rmSync } from 'node:fs'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBinaries } from './binaries.ts'

/** `nobody`, if this is root. */
const USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const SETTINGS = { listen_addresses: '', max_connections: '200', log_min_messages: 'log' }
/** Settings for speed instead of safety from a power loss, which no test simulates. */
const CARELESS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

const folder = await mkdtemp(join(tmpdir(), 'seine-pg-'))
const remove = () => rmSync(folder, { recursive: true, force: true })
const data = join(folder, 'data')
try {
  chmodSync(folder, 0o755)
  await mkdir(data, { mode: 0o700 })
  if (USER.uid !== undefined) chownSync(data, USER.uid, USER.gid)
  const binaries = await findBinaries(folder)
  const init = spawnSync(
    join(binaries, 'initdb'),
    [
      '-D',
      data,
      '-U',
      'seine',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C',
      '--no-sync',
      '--no-instructions',
    ],
    { cwd: folder, ...USER },
  )
  if (init.status !== 0)
    throw new Error(`initdb failed: ${init.error?.message ?? init.stderr.toString()}`)
  const settings = Object.entries({
    ...SETTINGS,
    ...(process.argv[2] !== 'durable' && CARELESS),
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = spawn(join(binaries, 'postgres'), ['-D', data, '-k', data, ...settings], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...USER,
  })
  server.once('exit', (code) => {
    remove()
    process.exit(code ?? 1)
  })
  // Immediate shutdown, as its data is deleted.
  const stop = () => server.kill('SIGQUIT')
  process.stdin.resume().once('end', stop).once('error', stop)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  server.stderr.on('data', (chunk: Buffer) => {
    const log = chunk.toString()
    if (log.includes('ready to accept connections')) process.stdout.write(`${data}\n`)
    if (/FATAL|PANIC/.test(log)) process.stderr.write(log)
  })
} catch (error) {
  remove()
  throw error
}
