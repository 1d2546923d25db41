import { startGuarded } from '../guarded-server.ts'

/** A Postgres of this process. */
export interface PostgresServer {
  /** The folder of its socket, which clients use as host. Its user is `seine`, without a password. */
  readonly host: string
  stop(): Promise<void>
}

/** Starts a Postgres on an empty folder. `durable`: with the usual settings, for measurements. */
export async function startPostgres(
  options: { readonly durable?: boolean } = {},
): Promise<PostgresServer> {
  const guard = new URL('./guard.ts', import.meta.url)
  const { line, stop } = await startGuarded('Postgres', guard, options.durable ? ['durable'] : [])
  return { host: line, stop }
}
