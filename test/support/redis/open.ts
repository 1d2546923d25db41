import { Redis } from 'ioredis'
import type { RedisOptions } from 'ioredis'
import { afterAll, inject } from 'vitest'
import { underWay } from '../fakes/fake-clock.ts'

/** The Redis of the run, for a test file. */
export interface RedisHandle {
  readonly port: number
  readonly client: Redis
  /** Another connection. */
  connect(options?: RedisOptions): Redis
  /** A unique prefix. */
  prefix(): string
}

let prefixes = 0

/** Opens the Redis of the run; its clients are ended after the tests of the file. */
export function openRedis(port = inject('redisPort')): RedisHandle {
  const clients: Redis[] = []
  const connect = (options: RedisOptions = {}) => {
    const client = timed(
      new Redis({ port, host: '127.0.0.1', maxRetriesPerRequest: null, ...options }),
    )
    clients.push(client)
    return client
  }
  afterAll(() => {
    for (const client of clients) client.disconnect()
  })
  const file = `${process.pid}-${Math.floor(performance.timeOrigin + performance.now())}`
  return { port, client: connect(), connect, prefix: () => `t${file}-${prefixes++}` }
}

/** Time stands still during each command, except commands that may block. */
function timed(client: Redis): Redis {
  const send = client.sendCommand.bind(client)
  client.sendCommand = (command, stream) => {
    const sent = send(command, stream)
    // ioredis itself sends commands that waited for a connection, and ignores their results.
    if (!/^(b[lrz]|subscribe|psubscribe|xread$)/i.test(command.name))
      underWay(async () => sent).catch(() => undefined)
    return sent
  }
  return client
}
