import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import postgres from 'postgres'
import { findDebianPostgres } from '../services/debian-postgres.ts'
import { freePort } from '../support/free-port.ts'
import { connect } from './connect.ts'
import type { Connection } from './connect.ts'
import { startForwarder } from './forwarder.ts'
import { KILL } from './places.ts'
import type { HistoryStore } from './places.ts'
import { startProcess } from './process-writer.ts'
import { createServerProcess } from './server-process.ts'
import type { ServerProcess } from './server-process.ts'

/** `nobody`, if this is root: neither server runs as root. */
const USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const FAILOVER = 'failover'
const BOUNCER = 'kill -9 PgBouncer and restart'

interface Node {
  readonly data: string
  readonly port: number
  readonly server: ServerProcess
}

/** Two servers, of which one is the primary, and a PgBouncer where it is installed. */
export async function openPostgresPlace(script: string): Promise<HistoryStore> {
  const folder = await mkdtemp(join(tmpdir(), 'seine-histories-'))
  chmodSync(folder, 0o755)
  const binaries = process.env['POSTGRES_BIN'] ?? findDebianPostgres()
  const bouncerFile = findPgBouncer()
  const make = async (name: string): Promise<Node> => {
    const data = join(folder, name)
    const port = await freePort()
    const settings = {
      port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: 100,
      // Processes are killed, and the machine is not: the kernel has what was given to it.
      fsync: 'off',
      synchronous_commit: 'on',
    }
    const values = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`])
    const server = createServerProcess({
      command: [join(binaries, 'postgres'), '-D', data, ...values],
      ready: /ready to accept (?:read-only )?connections/,
      folder,
      user: USER,
    })
    return { data, port, server }
  }
  const run = (program: string, ...values: string[]): void => {
    const { status, stderr } = spawnSync(join(binaries, program), values, { cwd: folder, ...USER })
    if (status !== 0) throw new Error(`${program} failed: ${stderr.toString()}`)
  }
  const makeFolder = (data: string): void => {
    rmSync(data, { recursive: true, force: true })
    mkdirSync(data, { mode: 0o700 })
    if (USER.uid !== undefined) chownSync(data, USER.uid, USER.gid)
  }
  let primary = await make('a')
  let other = await make('b')
  makeFolder(primary.data)
  run('initdb', '-D', primary.data, '-U', 'seine', '-A', 'trust', '-E', 'UTF8', '--locale=C')
  await primary.server.start()
  const bouncer = bouncerFile === null ? null : { port: await freePort(), file: bouncerFile }
  const ini = join(folder, 'pgbouncer.ini')
  const pooler =
    bouncer &&
    createServerProcess({
      command: [bouncer.file, ini],
      ready: /process up/,
      folder,
      user: USER,
    })

  const forwarder = await startForwarder()
  let hasStandby = false
  async function makeStandby(): Promise<void> {
    await other.server.stop('SIGKILL')
    makeFolder(other.data)
    await ask(primary.port, `ALTER SYSTEM RESET synchronous_standby_names`)
    await ask(primary.port, 'SELECT pg_reload_conf()')
    const from = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'seine']
    run('pg_basebackup', ...from, '-D', other.data, '-R', '-X', 'stream', '-c', 'fast', '--no-sync')
    await other.server.start()
    await ask(primary.port, `ALTER SYSTEM SET synchronous_standby_names = '*'`)
    await ask(primary.port, 'SELECT pg_reload_conf()')
    const isSync = `SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`
    for (let tries = 1; (await ask(primary.port, isSync)).length === 0; tries++) {
      if (tries === 200) throw new Error('The standby does not follow')
      await pause(50)
    }
    hasStandby = true
  }
  /** Without its standby every commit would wait for it for ever. */
  async function leaveStandby(): Promise<void> {
    if (!hasStandby) return
    hasStandby = false
    await ask(primary.port, `ALTER SYSTEM RESET synchronous_standby_names`)
    await ask(primary.port, 'SELECT pg_reload_conf()')
    await other.server.stop('SIGKILL')
  }
  async function pool(): Promise<void> {
    if (!bouncer || !pooler) throw new Error('PgBouncer is not installed')
    await pooler.stop('SIGKILL')
    // A server that restarts refuses one login. By itself PgBouncer waits 15 s until the next one.
    writeFileSync(
      ini,
      `[databases]
postgres = host=127.0.0.1 port=${primary.port} user=seine
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${bouncer.port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
server_login_retry = 1
`,
    )
    await pooler.start()
  }
  const faults: Readonly<Record<string, () => Promise<void>>> = {
    async restart() {
      await primary.server.stop('SIGINT')
      await primary.server.start()
    },
    async 'kill -9 and restart'() {
      await primary.server.stop('SIGKILL')
      await primary.server.start()
    },
    async [FAILOVER]() {
      // Its sessions would live on for a moment, and show commits that the standby does not have.
      await primary.server.fail()
      run('pg_ctl', 'promote', '-w', '-D', other.data)
      hasStandby = false
      ;[primary, other] = [other, primary]
      forwarder.lead(primary.port)
    },
    ...(pooler && {
      async [BOUNCER]() {
        await pooler.stop('SIGKILL')
        await pooler.start()
      },
    }),
  }
  let runs = 0
  const connection: Connection = { kind: 'postgres', port: forwarder.port }
  return {
    staleReads: false,
    faults: [KILL, ...Object.keys(faults)],
    start: () => startProcess(script, connection),
    open: (place) => connect(connection, place),
    async prepare(fault) {
      await leaveStandby()
      if (fault === FAILOVER) await makeStandby()
      // Every other run goes through PgBouncer, except those with a failover: it knows one server.
      const isPooled =
        pooler !== null && (fault === BOUNCER || (fault !== FAILOVER && runs++ % 2 === 0))
      if (isPooled) await pool()
      forwarder.lead(isPooled && bouncer ? bouncer.port : primary.port)
    },
    cause: async (fault) => faults[fault]?.(),
    async close() {
      await Promise.all([primary, other].map(({ server }) => server.stop('SIGQUIT')))
      await pooler?.stop('SIGKILL')
      await forwarder.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function ask(port: number, text: string): Promise<readonly unknown[]> {
  const sql = postgres({ host: '127.0.0.1', port, user: 'seine', database: 'postgres', max: 1 })
  try {
    return await sql.unsafe(text)
  } finally {
    await sql.end()
  }
}

/** `null`: it is not installed (`apt-get install pgbouncer`). */
function findPgBouncer(): string | null {
  return (
    ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find(
      (file) => spawnSync(file, ['--version']).status === 0,
    ) ?? null
  )
}
