import { createPlatform } from 'seine'
import type { Principal } from '../../../src/kernel/http/route.ts'
import { CommandError, wrongUse } from '../command-error.ts'
import { IN_MEMORY, OPERATOR } from '../data-directory.ts'
import { openServices } from '../open-services.ts'
import { platformOptions } from '../platform-options.ts'
import { readSettings } from '../settings/read-settings.ts'
import type { Environment } from '../settings/read-settings.ts'
import { stderrLogger } from '../stderr-logger.ts'

/** The HTTP API of a server elsewhere, or of the data that is named here. */
export interface Connection {
  /** Answers a request whose path begins with `/`, without `/api/v1`. */
  send(path: string, init: RequestInit): Promise<Response>
  close(): Promise<void>
}

/** Flags that say where the API is. */
export const CONNECTION_FLAGS = {
  url: { type: 'string' },
  key: { type: 'string' },
  account: { type: 'string' },
  user: { type: 'string' },
  data: { type: 'string' },
  store: { type: 'string' },
  blobs: { type: 'string' },
  config: { type: 'string' },
  'allow-private-network': { type: 'boolean' },
} as const

type Texts = Exclude<keyof typeof CONNECTION_FLAGS, 'allow-private-network'>
type Flags = { readonly [Name in Texts]?: string | undefined } & {
  readonly 'allow-private-network'?: boolean | undefined
}

/**
 * Connects to the server of `--url` or `SEINE_URL` with the key of `--key` or `SEINE_KEY`; else to
 * the data of `--data`, `--store` and the settings, as the account of `--account` with all scopes.
 *
 * @throws {CommandError} for flags that do not go together
 */
export async function connect(flags: Flags, env: Environment): Promise<Connection> {
  const url = flags.url ?? env['SEINE_URL']
  if (url === undefined || url === '') return openHere(flags, env)
  const local = (['data', 'store', 'blobs', 'account', 'user'] as const).find((name) => flags[name])
  if (local) throw wrongUse(`--${local} is for data here: leave it out, or --url`)
  const key = flags.key ?? env['SEINE_KEY'] ?? ''
  if (!/^https?:\/\/[^?#]+$/i.test(url) || !URL.canParse(url))
    throw wrongUse(`--url must be that of a server, such as https://data.example.com, not "${url}"`)
  if (key === '') throw wrongUse('A server needs a key: set SEINE_KEY')
  const base = url.replace(/(?<!\/)\/+$/, '')
  return {
    async send(path, init) {
      const headers = new Headers(init.headers)
      headers.set('authorization', `Bearer ${key}`)
      try {
        return await fetch(`${base}/api/v1${path}`, { ...init, headers })
      } catch (error) {
        const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
        throw new CommandError(
          `${base} does not answer: ${cause instanceof Error ? cause.message : String(cause)}`,
        )
      }
    },
    close: async () => undefined,
  }
}

async function openHere(flags: Flags, env: Environment): Promise<Connection> {
  if (flags.key !== undefined) throw wrongUse('--key is for a server: name it with --url')
  const { config, data, store, blobs, account, user } = flags
  const { 'allow-private-network': isOpen } = flags
  const { settings } = await readSettings(
    { config, values: { data, store, blobs, 'allow-private-network': isOpen } },
    env,
  )
  if (settings.data === IN_MEMORY && settings.store === undefined)
    throw wrongUse('--data :memory: keeps nothing; name a directory')
  const services = await openServices(settings, env)
  const caller: Principal = {
    ...OPERATOR,
    ...(account !== undefined && { account }),
    ...(user !== undefined && { user }),
  }
  const platform = createPlatform({
    // With the plans and prices of the server.
    ...(await platformOptions(settings)),
    ...services.options,
    authenticators: [async () => caller],
    rateLimits: false,
    operator: true,
    logger: stderrLogger(),
  })
  return {
    send: (path, init) => platform.fetch(new Request(`http://localhost/api/v1${path}`, init)),
    async close() {
      await platform.close()
      await services.close()
    },
  }
}
