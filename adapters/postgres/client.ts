import { asStoreFailure } from './refusals.ts'

/** The part of postgres.js that the store needs: its `sql`, made by `postgres(…)`. */
export interface PostgresJs {
  /** Returns a connection for a snapshot. If it is absent, the store has no snapshots. */
  reserve?(): Promise<PostgresJs & { release(): void }>
  unsafe(
    text: string,
    values?: string[],
    options?: { prepare?: boolean },
  ): PromiseLike<unknown> & { values(): PromiseLike<unknown> }
}

/**
 * A `Pool` of pg, as the store uses it. A single `Client` works if one statement at a time is
 * enough.
 */
export interface PgPool {
  query(statement: {
    text: string
    values?: string[]
    name?: string
    rowMode: 'array'
  }): Promise<{ rows: unknown[] }>
  /** A connection for a snapshot. A `Client` has a method of this name that does something else. */
  connect?(callback: (error: Error | undefined, client: unknown) => void): void
  /** Number of idle connections. A `Pool` has it and a `Client` does not. */
  readonly idleCount?: number
  on?(event: 'error', listener: (error: Error) => void): unknown
  listenerCount?(event: 'error'): number
}

/** A statement whose parameters are all text. */
export interface SqlStatement {
  /**
   * The name under which it is prepared, once for each connection. `null`: it is used rarely and
   * not prepared.
   */
  readonly name: string | null
  readonly text: string
}

/** The interface to the database that both drivers have. */
export interface Database {
  /** Rows, each an array of texts. */
  ask(statement: SqlStatement, values: readonly string[]): Promise<(readonly unknown[])[]>
  /** Several statements at once, without parameters and in one transaction. */
  script(text: string): Promise<void>
  /** A connection that nobody else has until it is released. */
  reserve(): Promise<PostgresConnection>
}

/** One connection, for a transaction of several statements. */
export interface PostgresConnection extends Pick<Database, 'ask' | 'script'> {
  release(): void
}

/**
 * Gives both drivers the same interface. `prepare`: false for a pooler that does not support
 * prepared statements.
 */
export function openClient(client: PostgresJs | PgPool, prepare: boolean): Database {
  const database = openDriver(client, prepare)
  return {
    ask: (statement, values) => withStoreFailures(() => database.ask(statement, values)),
    script: (text) => withStoreFailures(() => database.script(text)),
    async reserve() {
      const connection = await withStoreFailures(() => database.reserve())
      return {
        ask: (statement, values) => withStoreFailures(() => connection.ask(statement, values)),
        script: (text) => withStoreFailures(() => connection.script(text)),
        release: () => connection.release(),
      }
    },
  }
}

async function withStoreFailures<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw asStoreFailure(error)
  }
}

function openDriver(client: PostgresJs | PgPool, prepare: boolean): Database {
  if ('unsafe' in client)
    return {
      ...throughPostgresJs(client, prepare),
      async reserve() {
        const connection = await client.reserve?.()
        if (!connection)
          throw new TypeError('A snapshot needs a client of postgres.js that has reserve()')
        return { ...throughPostgresJs(connection, false), release: () => connection.release() }
      },
    }
  if (client.idleCount !== undefined && client.listenerCount?.('error') === 0) {
    // A pool emits an event for idle connections that broke. Without a listener it ends the
    // process; the next call gets a new connection anyway.
    client.on?.('error', () => {})
  }
  return {
    ...throughPg(client, prepare),
    async reserve() {
      const connection = await reserveClient(client)
      return {
        ...throughPg(connection, false),
        release() {
          connection.off?.('error', ignoreError)
          connection.release()
        },
      }
    },
  }
}

function throughPostgresJs(
  client: Pick<PostgresJs, 'unsafe'>,
  prepare: boolean,
): Pick<Database, 'ask' | 'script'> {
  return {
    ask: async ({ name, text }, values) =>
      rowsOf(
        await client.unsafe(text, [...values], { prepare: prepare && name !== null }).values(),
      ),
    async script(text) {
      await client.unsafe(text)
    },
  }
}

function throughPg(
  client: Pick<PgPool, 'query'>,
  prepare: boolean,
): Pick<Database, 'ask' | 'script'> {
  return {
    async ask({ name, text }, values) {
      return rowsOf(
        (
          await client.query({
            text,
            values: [...values],
            ...(prepare && name !== null && { name }),
            rowMode: 'array',
          })
        ).rows,
      )
    },
    async script(text) {
      await client.query({ text, rowMode: 'array' })
    },
  }
}

/**
 * A client of the pool, with a listener from the moment at which the pool removes its own. If a
 * connection ends between two statements, or in the same packet in which it became ready, it emits
 * an event that would otherwise end the process. The next statement rejects anyway.
 */
function reserveClient(pool: PgPool): Promise<PoolClient> {
  return new Promise((resolve, reject) => {
    if (pool.idleCount === undefined || !pool.connect) {
      reject(new TypeError('A snapshot needs a Pool of pg: a Client has one connection for all'))
      return
    }
    pool.connect((error, client) => {
      if (error) reject(error)
      else if (isPoolClient(client)) {
        client.on?.('error', ignoreError)
        resolve(client)
      } else reject(new TypeError('The pool gave a client without query() and release()'))
    })
  })
}

function ignoreError(): void {}

interface PoolClient extends Pick<PgPool, 'query'> {
  release(): void
  on?(event: 'error', listener: (error: Error) => void): unknown
  off?(event: 'error', listener: (error: Error) => void): unknown
}

function isPoolClient(client: unknown): client is PoolClient {
  return typeof client === 'object' && client !== null && 'query' in client && 'release' in client
}

function rowsOf(rows: unknown): (readonly unknown[])[] {
  if (!Array.isArray(rows)) throw new TypeError('The client answered without rows')
  return rows.map((row: unknown) => {
    if (!Array.isArray(row))
      throw new TypeError('The client answered with rows that are not arrays')
    return row
  })
}
