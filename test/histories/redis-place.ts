import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { freePort } from '../support/free-port.ts'
import { findRedis } from '../support/redis/find.ts'
import { connect } from './connect.ts'
import { KILL } from './places.ts'
import type { HistoryStore } from './places.ts'
import { startProcess } from './process-writer.ts'
import { createServerProcess } from './server-process.ts'

/** A Redis that has each command on the disk before it answers. */
export async function openRedisPlace(script: string): Promise<HistoryStore> {
  const folder = await mkdtemp(join(tmpdir(), 'seine-histories-'))
  const port = await freePort()
  const settings = `--port ${port} --bind 127.0.0.1 --dir ${folder} --appendonly yes --appendfsync always`
  const server = createServerProcess({
    command: [findRedis(), ...settings.split(' '), '--save', ''],
    ready: /ready to accept connections/i,
    folder,
  })
  await server.start()
  const connection = { kind: 'redis', port } as const
  const faults: Readonly<Record<string, () => Promise<void>>> = {
    async 'kill -9 and restart'() {
      await server.stop('SIGKILL')
      await server.start()
    },
    async restart() {
      await server.stop('SIGTERM')
      await server.start()
    },
    async 'cut connections'() {
      const client = new Redis({ port, host: '127.0.0.1' })
      for (let i = 0; i < 20; i++) await client.call('CLIENT', 'KILL', 'TYPE', 'normal')
      client.disconnect()
    },
  }
  return {
    staleReads: false,
    faults: [KILL, ...Object.keys(faults)],
    start: () => startProcess(script, connection),
    open: (place) => connect(connection, place),
    prepare: async () => {},
    cause: async (fault) => faults[fault]?.(),
    async close() {
      await server.stop('SIGKILL')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
