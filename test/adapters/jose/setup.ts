import { createJwtAuthenticator } from '../../../adapters/jose/index.ts'
import type { JwtKeySetOptions } from '../../../adapters/jose/index.ts'
import { createNodeFetcher } from '../../../adapters/node/fetcher.ts'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import type { PlatformOptions } from '../../../src/platform/options.ts'
import type { Fetcher } from '../../../src/ports/fetcher.ts'
import type { Logger } from '../../../src/ports/logger.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createSigningKey, signToken } from '../../support/fakes/jwt-issuer.ts'
import type { SigningKey } from '../../support/fakes/jwt-issuer.ts'
import { serveHttp } from '../../support/loopback.ts'

export const ISSUER = 'https://issuer.example/'
export const AUDIENCE = 'https://api.example'
/** Unix seconds at which every test begins. */
export const NOW = Date.UTC(2026, 0, 1) / 1000
/** The claims of a token that is good in every way. */
export const CLAIMS = {
  iss: ISSUER,
  aud: AUDIENCE,
  sub: 'user-1',
  iat: NOW - 10,
  exp: NOW + 600,
  scope: 'tasks:read',
}

const [r1, r2, e1, d1, foreign] = await Promise.all([
  createSigningKey('r1', 'RS256'),
  createSigningKey('r2', 'RS256'),
  createSigningKey('e1', 'ES256'),
  createSigningKey('d1', 'EdDSA'),
  createSigningKey('r1', 'RS256'),
])
/** Keys that the issuer publishes, and a key of a stranger, which has the id `r1` as well. */
export const KEYS = { r1, r2, e1, d1, foreign }

export const headerOf = (key: SigningKey) => ({ alg: key.alg, kid: key.kid, typ: 'at+jwt' })
/** A token that is good but for what the test changes. */
export const tokenOf = (
  claims: Record<string, unknown> = {},
  header: Record<string, unknown> = {},
  key: SigningKey = r1,
) => signToken({ ...headerOf(key), ...header }, { ...CLAIMS, ...claims }, key)

/** The answer of an issuer to the n-th request for its keys. */
export interface KeyAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

/** Publishes keys on 127.0.0.1. `answer` may be replaced at any time; `asked` counts the requests. */
export async function servesKeys(keys: readonly SigningKey[] = [r1, r2, e1, d1]) {
  const state = { asked: 0, answer: answerOf(keys), hold: null as Promise<void> | null }
  const server = await serveHttp((request, response) => {
    state.asked++
    const { status = 200, headers = { 'content-type': 'application/json' }, body } = state.answer
    void (state.hold ?? Promise.resolve()).then(() =>
      response.writeHead(status, headers).end(request.method === 'GET' ? body : ''),
    )
  })
  return {
    state,
    url: new URL(`${server.origin}/jwks.json`),
    publish: (next: readonly SigningKey[]) => void (state.answer = answerOf(next)),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

const answerOf = (keys: readonly SigningKey[]): KeyAnswer => ({
  body: JSON.stringify({ keys: keys.map(({ jwk }) => jwk) }),
})

/** A platform on a clock of its own that notes what it logs and which URLs it asks for. */
export function createHost(options: PlatformOptions = {}) {
  const clock = createFakeClock(NOW * 1000)
  const sent: string[] = []
  const logged: {
    level: string
    message: string
    fields: Readonly<Record<string, unknown>> | undefined
  }[] = []
  const log = (level: string) => (message: string, fields?: Readonly<Record<string, unknown>>) =>
    void logged.push({ level, message, fields })
  const logger: Logger = {
    debug: log('debug'),
    info: log('info'),
    warn: log('warn'),
    error: log('error'),
  }
  const inner = createNodeFetcher()
  const fetcher: Fetcher = { ...inner, send: (hop) => (sent.push(hop.url.href), inner.send(hop)) }
  const store = options.store ?? createMemoryStore({ clock })
  const platform = createPlatform({
    blobs: createMemoryBlobs(),
    rateLimits: false,
    clock,
    logger,
    fetcher,
    ...options,
    store,
  })
  const call = async (headers: HeadersInit, path = '/api/v1/tasks', init: RequestInit = {}) => {
    const response = await platform.fetch(
      new Request(`http://host.test${path}`, { ...init, headers }),
    )
    return { status: response.status, headers: response.headers, body: await response.text() }
  }
  return {
    platform,
    clock,
    store,
    sent,
    logged,
    call,
    bearer: (token: string, path?: string) => call({ authorization: `Bearer ${token}` }, path),
    [Symbol.asyncDispose]: () => platform.close(),
  }
}

/** {@link createHost} that trusts an issuer. */
export function createJwtHost(
  jwks: URL,
  more: Partial<JwtKeySetOptions> = {},
  options: PlatformOptions = {},
) {
  const authenticator = createJwtAuthenticator({
    jwks,
    privateHost: '127.0.0.1',
    issuer: ISSUER,
    audience: AUDIENCE,
    ...more,
  })
  return createHost({ authenticators: [authenticator], ...options })
}
