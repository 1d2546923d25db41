import { once } from 'node:events'
import { createServer } from 'node:http'
import type { TestProject } from 'vitest/node'
import { startPostgres } from './start.ts'
import type { PostgresServer } from './start.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The address where a test asks for the Postgres of the run, which starts at the first request. */
    postgresDoor: string
  }
}

/** Provides one Postgres for all tests of a run that need it, and none for a run without such tests. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let server: Promise<PostgresServer> | undefined
  let requests = 0
  const door = createServer((_, response) => {
    server ??= startPostgres()
    server.then(
      ({ host }) => response.end(JSON.stringify({ host, number: ++requests })),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  door.listen(0, '127.0.0.1')
  await once(door, 'listening')
  const address = door.address()
  if (address === null || typeof address === 'string') throw new Error('The door has no address')
  project.provide('postgresDoor', `http://127.0.0.1:${address.port}`)
  return async () => {
    door.closeAllConnections()
    door.close()
    await (await server?.catch(() => null))?.stop()
  }
}
