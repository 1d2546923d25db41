import postgres from 'postgres'
import { afterAll, inject } from 'vitest'

/** The Postgres of a test file. */
export interface PostgresHandle {
  readonly host: string
  readonly sql: postgres.Sql
  /** Another client of the same database, with settings of its own. */
  connect(settings?: Readonly<Record<string, string>>, connections?: number): postgres.Sql
  /** A unique name for a schema. */
  schema(): string
}

/** Opens the Postgres of the run; its clients are ended after the tests of the file. */
export async function openPostgres(): Promise<PostgresHandle> {
  const response = await fetch(inject('postgresDoor'))
  if (!response.ok) throw new Error(await response.text())
  const { host, number }: { host: string; number: number } = JSON.parse(await response.text())
  const clients: postgres.Sql[] = []
  const connect = (settings: Readonly<Record<string, string>> = {}, connections = 4) => {
    const client = postgres({
      host,
      user: 'seine',
      database: 'postgres',
      max: connections,
      onnotice: () => {},
      connection: settings,
    })
    clients.push(client)
    return client
  }
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.end()))
  })
  let schemas = 0
  return { host, sql: connect(), connect, schema: () => `t${number}_${schemas++}` }
}
