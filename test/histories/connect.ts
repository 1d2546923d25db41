import type { OpenedStore } from './places.ts'

/** The ways to the stores that several processes share. */
export type Connection =
  | { readonly kind: 'sqlite'; readonly folder: string }
  | { readonly kind: 'redis'; readonly port: number }
  | { readonly kind: 'postgres'; readonly port: number }

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
      const [{ createPostgresStore }, { default: pg }] = await Promise.all([
        import('../../adapters/postgres/index.ts'),
        import('pg'),
      ])
      const client = new pg.Pool({
        host: '127.0.0.1',
        port: connection.port,
        user: 'seine',
        database: 'postgres',
        max: 3,
        connectionTimeoutMillis: 5_000,
      })
      const store = createPostgresStore({ client, schema: place, prepare: false })
      return {
        store,
        async close() {
          await store.close()
          await client.end()
        },
      }
    }
  }
}
