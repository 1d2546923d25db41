import type { PostgresStoreOptions } from '../../adapters/postgres/index.ts'
import type { OpenedStore } from './places.ts'

/** The ways to the stores that several processes share. */
export type Connection =
  | { readonly kind: 'sqlite'; readonly folder: string }
  | { readonly kind: 'redis'; readonly port: number }
  | {
      readonly kind: 'postgres'
      readonly driver: 'pg' | 'postgres.js'
      readonly port: number
      readonly prepare: boolean
    }

/** Opens a place with connections of its own. */
export async function connect(connection: Connection, place: string): Promise<OpenedStore> {
  switch (connection.kind) {
    case 'sqlite': {
      const { createSqliteStore } = await import('../../adapters/sqlite/index.ts')
      const store = createSqliteStore({ path: `${connection.folder}/${place}.db` })
      return { store, close: () => store.close() }
    }
    case 'redis': {
      const [{ createRedisStore }, { Redis }] = await Promise.all([
        import('../../adapters/redis/index.ts'),
        import('ioredis'),
      ])
      const client = new Redis({
        port: connection.port,
        host: '127.0.0.1',
        maxRetriesPerRequest: null,
        retryStrategy: () => 20,
      })
      client.on('error', () => {})
      const store = createRedisStore({ client, prefix: place })
      return {
        store,
        async close() {
          await store.close()
          client.disconnect()
        },
      }
    }
    case 'postgres': {
      const { createPostgresStore } = await import('../../adapters/postgres/index.ts')
      const { client, end } = await connectPostgres(connection)
      const { prepare } = connection
      const store = createPostgresStore({ client, schema: place, prepare })
      return {
        store,
        async close() {
          await store.close()
          await end()
        },
      }
    }
  }
}

async function connectPostgres({ driver, port }: Connection & { kind: 'postgres' }): Promise<{
  client: PostgresStoreOptions['client']
  end(): Promise<void>
}> {
  const address = { host: '127.0.0.1', port, user: 'seine', database: 'postgres', max: 3 }
  if (driver === 'pg') {
    const { default: pg } = await import('pg')
    const client = new pg.Pool({ ...address, connectionTimeoutMillis: 5_000 })
    return { client, end: () => client.end() }
  }
  const { default: postgres } = await import('postgres')
  const client = postgres({ ...address, connect_timeout: 5, backoff: () => 0.05, onnotice() {} })
  return { client, end: () => client.end({ timeout: 1 }) }
}
