import type { Platform, PlatformOptions } from 'seine'
import type { Principal } from '../../../src/kernel/http/route.ts'
import { CommandError, wrongUse } from '../command-error.ts'
import { assertThere } from '../backup/data-settings.ts'
import type { VisitOptions } from '../detect/open-scout.ts'
import { IN_MEMORY, OPERATOR } from '../data-directory.ts'
import { isKept, openServices } from '../open-services.ts'
import { checkBrowser, createOrExplain, platformOptions } from '../platform-options.ts'
import { usingSettings } from '../settings/in-terms-of.ts'
import { readSettings, secretOf } from '../settings/read-settings.ts'
import type { Environment } from '../settings/read-settings.ts'
import type { Settings } from '../settings/table.ts'
import { stderrLogger } from '../stderr-logger.ts'

/** The HTTP API of a server, or of the data on this machine. */
export interface ApiConnection {
  /** Answers a request whose path begins with `/`, without `/api/v1`. */
  send(path: string, init: RequestInit): Promise<Response>
  close(): Promise<void>
}

/** Flags that determine where the API is. */
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
/** Values of {@link CONNECTION_FLAGS}. */
export type ConnectionFlags = { readonly [Name in Texts]?: string | undefined } & {
  readonly 'allow-private-network'?: boolean | undefined
}

/**
 * Connects to the server of `--url` or `SEINE_URL` with the key of `--key` or `SEINE_KEY`; else to
 * the data of `--data`, `--store` and the settings, as the account of `--account` with all scopes.
 *
 * @throws {CommandError} for flags that do not go together
 */
export async function connect(
  flags: ConnectionFlags,
  env: Environment,
  more: Pick<OpenWith, 'reads'> = {},
): Promise<ApiConnection> {
  const server = serverOf(flags, env)
  if (server) {
    const { base, key } = server
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
  const { platform, close } = await openPlatform(flags, env, more)
  return {
    send: (path, init) => platform.fetch(new Request(`http://localhost/api/v1${path}`, init)),
    close,
  }
}

/**
 * The server that flags or variables name; `null`: it is the data here.
 *
 * @throws {CommandError} for flags that do not go together
 */
export function serverOf(
  flags: ConnectionFlags,
  env: Environment,
): { readonly base: string; readonly key: string } | null {
  // The value may be a shell variable that is not set. So the data on this machine is not used
  // instead.
  if (flags.url === '') throw wrongUse('--url is empty: it takes the address of a server')
  const url = flags.url ?? env['SEINE_URL']
  if (url === undefined || url === '') return null
  const local = (['data', 'store', 'blobs', 'account', 'user'] as const).find((name) => flags[name])
  if (local) throw wrongUse(`--${local} is for data here: leave it out, or --url`)
  const key = flags.key ?? secretOf('key', env) ?? ''
  const isAddress = /^https?:\/\/[^?#]+$/i.test(url) && URL.canParse(url)
  // An address that may contain a password is not repeated. `fetch` would refuse it.
  if (isAddress ? hasCredentials(url) : url.includes('@'))
    throw wrongUse(
      '--url must be without a name and a password: the key of a server is SEINE_KEY or --key',
    )
  if (!isAddress)
    throw wrongUse(`--url must be that of a server, such as https://data.example.com, not "${url}"`)
  if (key === '')
    throw wrongUse('A server needs a key: set SEINE_KEY, or SEINE_KEY_FILE to a file with it')
  return { base: url.replace(/(?<!\/)\/+$/, ''), key }
}

function hasCredentials(url: string): boolean {
  const { username, password } = new URL(url)
  return username !== '' || password !== ''
}

/** A platform on data on this machine, with its settings. */
interface OpenPlatform {
  readonly platform: Platform
  readonly settings: Settings
  /** Its settings of visits. */
  readonly visits: VisitOptions
  /** True if the next command finds the data that this one stores. */
  readonly isKept: boolean
  close(): Promise<void>
}

/** Options of a command besides its data. */
interface OpenWith extends Pick<PlatformOptions, 'mcp' | 'processor'> {
  /** A Chromium's path, its URL, or `auto`. Default: the one in the settings. */
  readonly browser?: string | undefined
  /** True if the command may work on data in memory, which is lost at its end. */
  readonly inMemory?: boolean
  /** True if the command only reads stored data. Opening would create an empty store. */
  readonly reads?: boolean
  /** True if the command has a worker, which processes all queued jobs of the data. */
  readonly works?: boolean
}

/**
 * A platform on the data that flags and settings name, for one caller.
 *
 * @throws {CommandError} for flags and settings that do not go together
 */
export async function openPlatform(
  flags: ConnectionFlags,
  env: Environment,
  more: OpenWith = {},
): Promise<OpenPlatform> {
  if (flags.key !== undefined) throw wrongUse('--key is for a server: name it with --url')
  const { config, data, store, blobs, 'allow-private-network': isOpen } = flags
  const { browser, ...rest } = more
  const read = await readSettings(
    {
      config,
      values: {
        data,
        store,
        blobs,
        browser,
        'allow-private-network': isOpen,
        // Chromium refuses to start with a sandbox for root.
        ...(browser !== undefined && process.getuid?.() === 0 && { 'browser-sandbox': false }),
      },
    },
    env,
  )
  return usingSettings(read, (settings) => openOn(settings, flags, env, rest))
}

async function openOn(
  settings: Settings,
  { account, user, 'allow-private-network': isOpen }: ConnectionFlags,
  env: Environment,
  { inMemory = false, reads = false, works = false, ...options }: Omit<OpenWith, 'browser'>,
): Promise<OpenPlatform> {
  if (settings.data === IN_MEMORY && settings.store === undefined && !inMemory)
    throw wrongUse('--data :memory: keeps nothing; name a directory')
  if (works) checkBrowser(settings)
  // If nothing was ever done in a folder, there is no data, and a name may be misspelt.
  const isNamed = settings.data !== undefined || settings.store !== undefined
  if (reads && isNamed) assertThere(settings)
  const services = await openServices(settings, env)
  const caller: Principal = {
    ...OPERATOR,
    ...(account !== undefined && { account }),
    ...(user !== undefined && { user }),
  }
  // The flag concerns only the caller's account, but the data may have other accounts, now or
  // later.
  const isForOne = works && isOpen === true && isKept(settings, services)
  // Uses the plans and prices of the server.
  const fromSettings = await platformOptions(settings)
  const platform = createOrExplain(
    {
      ...fromSettings,
      ...services.options,
      ...options,
      ...(options.mcp && fromSettings.mcp && { mcp: { ...fromSettings.mcp, ...options.mcp } }),
      worker: {
        ...fromSettings.worker,
        ...(isForOne && { account: caller.account }),
        // No warning is logged, because the command itself reports waiting runs.
        elsewhere: !works,
      },
      authenticators: [async () => caller],
      rateLimits: false,
      operator: true,
      logger: stderrLogger(),
    },
    options.mcp && options.mcp.tools !== undefined ? '--tools' : undefined,
  )
  const opened: OpenPlatform = {
    platform,
    settings,
    visits: fromSettings,
    isKept: isKept(settings, services),
    async close() {
      await platform.close()
      await services.close()
    },
  }
  if (!isForOne) return opened
  try {
    await (await import('./own-data.ts')).assertOwnData(platform, caller.account)
    return opened
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** Replaces a password by a text that a shell reads as one word. */
const HIDDEN = 'PASSWORD'

/** The flags that name where the data is. Keys, and passwords in URLs, are not repeated. */
export function connectionWords(where: ConnectionFlags): string[] {
  return (['url', 'data', 'store', 'blobs', 'config', 'account', 'user'] as const).flatMap(
    (name) => {
      const value = where[name]
      if (value === undefined) return []
      return [`--${name}`, name === 'store' ? withoutPassword(value) : value]
    },
  )
}

/** The URL of a store. Drivers accept a password before the host, and also as a parameter. */
function withoutPassword(store: string): string {
  const [, scheme] = /^((?:postgres|redis)[a-z]*):/i.exec(store) ?? []
  if (scheme === undefined) return store
  // Drivers can read some addresses that cannot be parsed here. Nothing of these is shown.
  if (!URL.canParse(store)) return `${scheme}://…`
  const url = new URL(store)
  if (url.password !== '') url.password = HIDDEN
  for (const name of new Set(url.searchParams.keys()))
    if (/password/i.test(name)) url.searchParams.set(name, HIDDEN)
  return url.href
}

/** A line for a shell. */
export function commandLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ')
}

function shellWord(word: string): string {
  if (/^[\w./:=@-]+$/.test(word)) return word
  return `'${word.replaceAll("'", String.raw`'\''`)}'`
}
