import { startGuarded } from '../guarded-server.ts'

/** A Redis of this process, on a free port of 127.0.0.1. */
export interface RedisServer {
  readonly port: number
  stop(): Promise<void>
}

/** Starts an empty Redis. `settings`: as on its command line. */
export async function startRedis(...settings: string[]): Promise<RedisServer> {
  const guard = new URL('./guard.ts', import.meta.url)
  const { line, stop } = await startGuarded('Redis', guard, settings)
  return { port: Number(line), stop }
}
