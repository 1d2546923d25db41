import { createClient } from 'seine/client'
import type { Client } from 'seine/client'
import { openPlatform, serverOf } from './connection.ts'
import type { ConnectionFlags } from './connection.ts'
import type { Scouting } from '../detect/choose-recipe.ts'
import { wrongUse } from '../command-error.ts'
import type { Environment } from '../settings/read-settings.ts'

/** The place where `seine extract` works: data here, or a server elsewhere. */
export interface Workplace {
  readonly client: Client
  /** Works on executions until the signal aborts. A server has its own workers. */
  work(signal: AbortSignal): Promise<void>
  /**
   * Time, in ms, until an execution is read again. It is long for a server, because a server counts
   * calls.
   */
  readonly pollMs: number
  /** True if pages that this machine reads may be on this machine, or on a private network. */
  readonly allowPrivateNetwork: boolean
  /** How pages are read before the run. It uses the same means as the run. */
  readonly scouting: Scouting
  /** True if executions are stored for the next command. */
  readonly isKept: boolean
  close(): Promise<void>
}

/** Time, in ms, until an execution of this process is read again. */
export const LOCAL_POLL_MS = 120
const SERVER_POLL_MS = 1_000

/**
 * Opens the data or server that flags and variables name, in the same way as all commands on the
 * data of a server.
 *
 * @throws {CommandError} for flags that do not go together
 */
export async function openWorkplace(
  where: ConnectionFlags,
  browser: string | undefined,
  env: Environment,
): Promise<Workplace> {
  const server = serverOf(where, env)
  if (server) {
    if (browser !== undefined && browser !== 'auto')
      throw wrongUse('--browser is for pages rendered here: the server of --url has its own')
    const client = createClient({ baseUrl: server.base, token: server.key })
    return {
      client,
      work: async () => undefined,
      pollMs: SERVER_POLL_MS,
      allowPrivateNetwork: where['allow-private-network'] === true,
      scouting: { visits: {}, server: client },
      isKept: true,
      close: async () => undefined,
    }
  }
  const { createPageThreads } = await import('seine/node')
  const processor = createPageThreads({ quickThread: false })
  const { platform, settings, visits, isKept, close } = await openPlatform(where, env, {
    browser,
    processor,
    inMemory: true,
    works: true,
  })
  return {
    client: createClient({
      baseUrl: 'http://localhost',
      fetch: (request) => platform.fetch(request),
    }),
    work: (signal) => platform.worker.run({ signal }),
    pollMs: LOCAL_POLL_MS,
    allowPrivateNetwork: settings.allowPrivateNetwork === true,
    scouting: { visits: { ...visits, processor }, server: null },
    isKept,
    close,
  }
}
