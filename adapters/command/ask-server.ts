import { peer } from './open-services.ts'

/** Time, in ms, after which a server that has not answered counts as unreachable. */
const PATIENCE_MS = 2_000

/**
 * Checks once whether a server of Postgres or Redis answers. A platform's client would try
 * repeatedly, and never report the reason.
 *
 * @throws {Error} if it does not answer, or does not take the name and the password of the URL
 */
export async function askServer(url: string): Promise<void> {
  await (url.startsWith('postgres') ? askPostgres(url) : askRedis(url))
}

async function askPostgres(url: string): Promise<void> {
  const { default: pg } = await peer('pg', () => import('pg'))
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
  })
  // A connection that breaks also rejects the calls that wait for it.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('SELECT 1')
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function askRedis(url: string): Promise<void> {
  const { Redis } = await peer('ioredis', () => import('ioredis'))
  const client = new Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    connectTimeout: PATIENCE_MS,
    commandTimeout: PATIENCE_MS,
    retryStrategy: () => null,
  })
  // The error of a call has less information: only that the connection is closed.
  let cause: Error | undefined
  client.on('error', (error: Error) => void (cause ??= error))
  try {
    await client.connect()
    await client.ping()
  } catch (error) {
    throw cause ?? error
  } finally {
    client.disconnect()
  }
}
