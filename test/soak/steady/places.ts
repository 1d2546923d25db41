import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import postgres from 'postgres'
import { createPostgresStore } from 'seine/postgres'
import { createFileBlobs } from 'seine/unstorage'
import { createServerProcess } from '../../histories/server-process.ts'
import { findDebianPostgres } from '../../services/debian-postgres.ts'
import { freePort } from '../../support/free-port.ts'
import { findRedis } from '../../support/redis/find.ts'
import { openData, type DataParts } from '../accounts.ts'

/** The data of a soak, on servers of its own where it needs some. */
export interface Place {
  /** The folder of the server's data. */
  readonly data: string
  /** Further arguments of the command; those of `verify` are the same. */
  readonly serveArgs: readonly string[]
  readonly verifyArgs: readonly string[]
  /** The parts of a platform on it. */
  open(): DataParts
  /** The sizes that only the store knows. */
  measure(): Promise<{ readonly walMb: number; readonly redisMb: number }>
  close(): Promise<void>
}

/** The names of the stores that a soak can run on. */
export const STORES = ['sqlite', 'postgres-redis'] as const
export type StoreName = (typeof STORES)[number]

const MB = 1_048_576
/** `nobody`, if this is root, as Postgres does not run as root. */
const USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const HOST = '127.0.0.1'

/** Makes an empty place. */
export async function openPlace(name: StoreName): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'seine-soak-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  return name === 'sqlite' ? openSqlite(folder, remove) : openServers(folder, remove)
}

function openSqlite(folder: string, remove: () => void): Place {
  const wal = join(folder, 'seine.db-wal')
  return {
    data: folder,
    serveArgs: [],
    verifyArgs: ['--data', folder],
    open: () => openData(folder),
    measure: async () => ({
      walMb: (statSync(wal, { throwIfNoEntry: false })?.size ?? 0) / MB,
      redisMb: 0,
    }),
    close: async () => remove(),
  }
}

async function openServers(folder: string, remove: () => void): Promise<Place> {
  chmodSync(folder, 0o755)
  const data = join(folder, 'data')
  mkdirSync(data)
  const store = await startPostgres(folder)
  const redis = await startRedis(folder)
  const url = `postgres://seine@${HOST}:${store.port}/postgres`
  const redisUrl = `redis://${HOST}:${redis.port}`
  const client = new Redis(redisUrl)
  const blobs = join(data, 'blobs')
  return {
    data,
    serveArgs: ['--store', url, '--queue', redisUrl, '--limiter', redisUrl],
    verifyArgs: ['--data', data, '--store', url],
    open: () => ({
      store: createPostgresStore({ client: postgres(url, { onnotice: () => undefined }) }),
      blobs: createFileBlobs({ dir: blobs }),
    }),
    async measure() {
      const memory = /^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1] ?? '0'
      return { walMb: sizeOf(store.wal) / MB, redisMb: Number(memory) / MB }
    },
    async close() {
      client.disconnect()
      await Promise.all([store.server.stop('SIGQUIT'), redis.server.stop('SIGKILL')])
      remove()
    },
  }
}

/** A Postgres that syncs, with a log that is small enough to be used again within minutes. */
async function startPostgres(folder: string) {
  const data = join(folder, 'postgres')
  mkdirSync(data, { mode: 0o700 })
  if (USER.uid !== undefined) chownSync(data, USER.uid, USER.gid)
  const binaries = process.env['POSTGRES_BIN'] ?? findDebianPostgres()
  const made = spawnSync(
    join(binaries, 'initdb'),
    ['-D', data, '-U', 'seine', '-A', 'trust', '-E', 'UTF8', '--locale=C'],
    { cwd: folder, ...USER },
  )
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr.toString()}`)
  const port = await freePort()
  const settings = {
    port,
    listen_addresses: HOST,
    unix_socket_directories: '',
    max_wal_size: '64MB',
    min_wal_size: '32MB',
    checkpoint_timeout: '30s',
  }
  const values = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`])
  const server = createServerProcess({
    command: [join(binaries, 'postgres'), '-D', data, ...values],
    ready: /ready to accept connections/,
    folder,
    user: USER,
  })
  await server.start()
  return { server, port, wal: join(data, 'pg_wal') }
}

async function startRedis(folder: string) {
  const port = await freePort()
  const settings = `--port ${port} --bind ${HOST} --dir ${folder} --appendonly yes --save`
  const server = createServerProcess({
    command: [findRedis(), ...settings.split(' '), ''],
    ready: /ready to accept connections/i,
    folder,
  })
  await server.start()
  return { server, port }
}

/** The bytes of the files of a folder. Those that go meanwhile count nothing. */
function sizeOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, size) => sum + size, 0)
}
