import { dirname, join } from 'node:path'
import type { PlatformOptions } from 'seine'
import type { Redis } from 'ioredis'
import type { Server } from 'seine/bullmq'
import { createSqliteStore } from 'seine/sqlite'
import { createFileBlobs } from 'seine/unstorage'
import { CommandError, wrongUse } from './command-error.ts'
import { DEFAULT_DATA, IN_MEMORY, storeFile } from './data-directory.ts'
import { makeFolder } from './make-folder.ts'
import type { Environment } from './settings/read-settings.ts'
import type { Settings } from './settings/table.ts'

/** Services of a platform, as settings name them, and how to end their clients. */
export interface OpenServices {
  readonly options: Pick<PlatformOptions, 'store' | 'blobs' | 'queue' | 'limiter'>
  /** Call this after the platform is closed. */
  close(): Promise<void>
}

/** The settings that say where data is. */
export type DataSettings = Pick<
  Settings,
  'data' | 'durability' | 'store' | 'blobs' | 'queue' | 'limiter'
>

/** Flags of commands that work on the data of a server. */
export const DATA_FLAGS = {
  data: { type: 'string' },
  store: { type: 'string' },
  blobs: { type: 'string' },
  config: { type: 'string' },
} as const

/**
 * Opens the services that settings name. Clients of Postgres and Redis are peer dependencies, and
 * are loaded only when needed. Each server has one client, even for several services.
 *
 * @throws {CommandError} for settings that do not go together, and for clients that are not
 *   installed
 */
export async function openServices(
  settings: DataSettings,
  env: Environment,
): Promise<OpenServices> {
  const { data = DEFAULT_DATA, durability = 'normal', store, blobs, queue, limiter } = settings
  checkServices(settings)
  const isShared = isOnServer(store)
  const isInMemory = data === IN_MEMORY
  const clients = new Clients()
  try {
    const options = {
      ...(await storeOf(store, data, durability, clients)),
      ...(await blobsOf(blobs, isInMemory ? null : join(data, 'blobs'), durability, env)),
      ...(await queueOf(queue, clients)),
      ...(await limiterOf(limiter ?? (isShared ? 'store' : undefined), clients)),
    }
    return { options, close: () => clients.end() }
  } catch (error) {
    await clients.end()
    throw error
  }
}

/**
 * @throws {CommandError} for a store that several processes may share, without blobs that they can
 *   share
 */
export function checkServices({ store, blobs, data }: DataSettings): void {
  if (isOnServer(store) && blobs === undefined && data === undefined)
    throw wrongUse(
      '--store on a server needs --blobs, so that all processes find rows and files: a folder that ' +
        'they share, file:DIR, or s3://BUCKET',
    )
}

/** Records and files of these services outlive the process. */
export function isKept({ store }: DataSettings, { options }: OpenServices): boolean {
  // Without a store, a platform has its own, in memory.
  const isInMemory = options.store === undefined || store === `sqlite:${IN_MEMORY}`
  return !isInMemory && options.blobs !== undefined
}

function isOnServer(store: string | undefined): boolean {
  return store !== undefined && /^(?:postgres|redis)/.test(store)
}

async function storeOf(
  url: string | undefined,
  data: string,
  durability: 'normal' | 'full',
  clients: Clients,
): Promise<Pick<PlatformOptions, 'store'>> {
  if (url === 'memory' || (url === undefined && data === IN_MEMORY)) return {}
  if (url === undefined || url.startsWith('sqlite:')) {
    const path = url === undefined ? storeFile(data) : url.slice('sqlite:'.length)
    return {
      store: openOrExplain(path, () => {
        if (path !== IN_MEMORY) makeFolder(dirname(path))
        return createSqliteStore({ path, durability })
      }),
    }
  }
  if (url.startsWith('postgres')) {
    const { createPostgresStore } = await import('seine/postgres')
    return { store: createPostgresStore({ client: await clients.postgres(url) }) }
  }
  const { createRedisStore } = await import('seine/redis')
  return { store: createRedisStore({ client: await clients.redis(url) }) }
}

async function blobsOf(
  url: string | undefined,
  folder: string | null,
  durability: 'normal' | 'full',
  env: Environment,
): Promise<Pick<PlatformOptions, 'blobs'>> {
  if (url === 'memory' || (url === undefined && folder === null)) return {}
  if (url?.startsWith('s3:')) return { blobs: await openBucket(url, env) }
  const dir = url === undefined ? (folder ?? '') : url.slice('file:'.length)
  return { blobs: openOrExplain(dir, () => createFileBlobs({ dir, durability })) }
}

/**
 * Blobs at `s3://BUCKET/PREFIX?endpoint=URL&region=R`.
 *
 * @throws {CommandError} for another form, and without credentials in the variables
 */
export async function openBucket(url: string, env: Environment) {
  const { createS3Blobs } = await import('seine/s3')
  const { hostname, pathname, searchParams } = new URL(url)
  const accessKeyId = env['AWS_ACCESS_KEY_ID'] ?? ''
  const secretAccessKey = env['AWS_SECRET_ACCESS_KEY'] ?? ''
  if (accessKeyId === '' || secretAccessKey === '')
    throw wrongUse('--blobs s3:… needs the variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY')
  const wrong = [...searchParams.keys()].find((name) => name !== 'endpoint' && name !== 'region')
  if (wrong !== undefined) throw wrongUse(`--blobs s3:… takes endpoint and region, not ${wrong}`)
  const [endpoint, region = env['AWS_REGION'] || undefined, token = ''] = [
    searchParams.get('endpoint') ?? undefined,
    searchParams.get('region') ?? undefined,
    env['AWS_SESSION_TOKEN'],
  ]
  const prefix = pathname.replace(/^\//, '').replace(/\/$/, '')
  try {
    return createS3Blobs({
      bucket: hostname,
      accessKeyId,
      secretAccessKey,
      ...(token !== '' && { sessionToken: token }),
      ...(prefix !== '' && { prefix }),
      ...(endpoint !== undefined && { endpoint }),
      ...(region !== undefined && { region }),
    })
  } catch (error) {
    if (error instanceof TypeError) throw wrongUse(`--blobs: ${error.message}`)
    throw error
  }
}

async function queueOf(
  url: string | undefined,
  clients: Clients,
): Promise<Pick<PlatformOptions, 'queue'>> {
  if (url === undefined || url === 'store') return {}
  const { createBullmqQueue } = await peer('bullmq', () => import('seine/bullmq'))
  const server: Server = url.startsWith('redis')
    ? { redis: await clients.redis(url) }
    : { postgres: url }
  return { queue: createBullmqQueue({ server }) }
}

async function limiterOf(
  url: string | undefined,
  clients: Clients,
): Promise<Pick<PlatformOptions, 'limiter'>> {
  if (url === undefined) return {}
  if (url === 'memory' || url === 'store') return { limiter: url }
  const { createRedisLimiter } = await import('seine/redis')
  return { limiter: createRedisLimiter({ client: await clients.redis(url) }) }
}

/** One client for each server. */
class Clients {
  readonly #redis = new Map<string, Promise<Redis>>()
  readonly #ends: (() => Promise<unknown>)[] = []

  async postgres(url: string) {
    const { default: pg } = await peer('pg', () => import('pg'))
    const pool = new pg.Pool({ connectionString: url })
    // If an idle connection breaks, the next query replaces it.
    pool.on('error', () => undefined)
    this.#ends.push(() => pool.end())
    return pool
  }

  redis(url: string): Promise<Redis> {
    let client = this.#redis.get(url)
    if (client === undefined) this.#redis.set(url, (client = this.#openRedis(url)))
    return client
  }

  async #openRedis(url: string) {
    const ioredis = await peer('ioredis', () => import('ioredis'))
    const client = new ioredis.Redis(url, { maxRetriesPerRequest: null })
    // Calls that cannot be made reject by themselves, and are logged by their callers.
    client.on('error', () => undefined)
    this.#ends.push(async () => client.disconnect())
    return client
  }

  async end(): Promise<void> {
    await Promise.allSettled(this.#ends.splice(0).map((end) => end()))
  }
}

/**
 * Loads a client that the user must install.
 *
 * @throws {CommandError} if it is not installed
 */
export async function peer<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')
      throw new CommandError(`This needs the package ${name}: npm install ${name}`)
    throw error
  }
}

function openOrExplain<Opened>(path: string, open: () => Opened): Opened {
  try {
    return open()
  } catch (error) {
    throw new CommandError(
      `Cannot use ${path}: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}
