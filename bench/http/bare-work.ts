import { hash, randomUUID } from 'node:crypto'
import type { Entry } from 'seine'
import { RATE, sqlite } from './platform.ts'

/** The result of a call: status, the headers that are not from the framework, and the body. */
export interface Answer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: object
}

/** The caller. */
export interface Caller {
  readonly account: string
  readonly scopes: readonly string[]
}

/** The members of a stored key that the bare work reads. */
interface KeyRecord extends Caller {
  readonly id: string
  readonly digest: string
  readonly expiresAt: number | null
  readonly revokedAt: number | null
}

const REQUEST_ID = /^[\w-]{8,64}$/
const PREFIX = 'svc_sk_'
const SCOPE = 'tasks:read'
const GRANTS: readonly string[] = ['*', 'tasks:*', SCOPE]

/** The headers of JSON answers; a task's own replace the last. */
export const JSON_HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
}

/**
 * The work of an authenticated `GET /api/v1/tasks/:id` by hand, in pieces that each contender calls
 * in its own way.
 */
export interface BareWork {
  /** Digest, two reads, comparison, expiry, scope. `null`: 401. */
  identify(secret: string | undefined): Promise<Caller | null>
  mayRead(caller: Caller): boolean
  /** GCRA. The headers to send; `null`: 429. */
  take(caller: Caller): Record<string, string> | null
  /** The body and its own headers. `null`: 404. */
  read(caller: Caller, id: string): Promise<Found | null>
}

/** A task as it is sent. */
export interface Found {
  readonly headers: Record<string, string>
  readonly body: object
}

/** The caller's own id, if it is one, else a fresh one. */
export const requestIdOf = (id: unknown): string =>
  typeof id === 'string' && REQUEST_ID.test(id) ? id : randomUUID()
const refusal = (code: string, message: string) => ({ success: false, error: { code, message } })
export const UNAUTHORIZED = refusal('UNAUTHORIZED', 'A valid credential is required')
export const FORBIDDEN = refusal('FORBIDDEN', `This needs the scope ${SCOPE}`)
export const NOT_FOUND = refusal('NOT_FOUND', 'Task not found')
export const TOO_MANY = refusal('RATE_LIMIT_EXCEEDED', 'Too many requests')

/** Opens the store for the bare work. */
export function createBareWork(path: string): BareWork {
  const store = sqlite.createSqliteStore({ path })
  const fullAt = new Map<string, number>()
  const interval = RATE.periodMs / RATE.limit
  const capacity = (RATE.burst + 1) * interval
  return {
    async identify(secret) {
      if (secret === undefined || !secret.startsWith(PREFIX)) return null
      const digest = hash('sha256', secret)
      const [entry] = await store.get([['~', 'key-digests', digest]])
      if (!entry) return null
      const { account, id } = valueOf<{ account: string; id: string }>(entry)
      const [stored] = await store.get([[account, 'api-keys', id]])
      if (!stored) return null
      const key = valueOf<KeyRecord>(stored)
      return key.digest === digest &&
        key.revokedAt === null &&
        (key.expiresAt === null || key.expiresAt > Date.now())
        ? key
        : null
    },
    mayRead: ({ scopes }) => scopes.some((scope) => GRANTS.includes(scope)),
    take({ account }) {
      const now = Date.now()
      const next = Math.max(fullAt.get(account) ?? now, now) + interval
      if (next - capacity > now) return null
      fullAt.set(account, next)
      return {
        'X-RateLimit-Limit': String(RATE.limit),
        'X-RateLimit-Remaining': String(Math.floor((capacity - (next - now)) / interval)),
      }
    },
    async read({ account }, id) {
      const [entry] = await store.get([[account, 'tasks', id]])
      if (!entry) return null
      const task = valueOf<{ createdAt: number; updatedAt: number }>(entry)
      const data = {
        ...task,
        createdAt: new Date(task.createdAt).toISOString(),
        updatedAt: new Date(task.updatedAt).toISOString(),
        schedule: null,
        datasetId: null,
        drift: 'report',
      }
      // Code by hand would not digest the body, as the version of the store is enough.
      return {
        headers: { ETag: `"${entry.version}"`, 'Cache-Control': 'private, no-cache' },
        body: { success: true, data },
      }
    },
  }
}

/** The whole call, for what has no framework of its own. */
export async function answer(
  work: BareWork,
  secret: string | undefined,
  id: string,
  givenId: unknown,
): Promise<Answer> {
  const headers: Record<string, string> = { ...JSON_HEADERS, 'X-Request-Id': requestIdOf(givenId) }
  const caller = await work.identify(secret)
  if (!caller)
    return {
      status: 401,
      headers: { ...headers, 'WWW-Authenticate': 'Bearer' },
      body: UNAUTHORIZED,
    }
  if (!work.mayRead(caller)) return { status: 403, headers, body: FORBIDDEN }
  const rate = work.take(caller)
  if (!rate) return { status: 429, headers, body: TOO_MANY }
  Object.assign(headers, rate)
  const execution = await work.read(caller, id)
  return execution
    ? { status: 200, headers: Object.assign(headers, execution.headers), body: execution.body }
    : { status: 404, headers, body: NOT_FOUND }
}

// The benchmark itself has written it.
function valueOf<T>(entry: Entry): T {
  return entry.value as T
}
