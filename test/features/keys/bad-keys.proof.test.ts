import { expect, test, vi } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { sha256Hex } from '../../../src/kernel/crypto.ts'
import { shortDigest } from '../../../adapters/node/short-digest.ts'
import cases from '../../fixtures/auth-cases.json' with { type: 'json' }
import { recordCalls } from '../../support/stores/recorded-store.ts'
import { createServiceHost } from '../../support/worlds/service-host.ts'

const KEYS = '/api/v1/keys'
type Host = Awaited<ReturnType<typeof createServiceHost>>

vi.mock(import('../../../adapters/node/short-digest.ts'), { spy: true })

const make = async (
  { call }: Host,
  scopes: readonly string[] = ['keys:write'],
  more: Record<string, unknown> = {},
  key?: string,
) => {
  const answer = await call('POST', KEYS, {
    body: { name: 'CI', scopes, ...more },
    ...(key !== undefined && { key }),
  })
  return { status: answer.status, ...answer.body.data } as {
    status: number
    id: string
    secret: string
    hint: string
  }
}

/** The text that each case of the fixture sends in place of a good key. */
const BENT: Readonly<
  Record<string, (host: Host, key: Awaited<ReturnType<typeof make>>) => string | Promise<string>>
> = {
  'the key': (_, { secret }) => secret,
  'prefix in other case': (_, { secret }) => secret.replace('svc_sk_', 'SVC_sk_'),
  'another prefix': (_, { secret }) => secret.replace('svc_sk_', 'svc_pk_'),
  'test mode in the prefix': (_, { secret }) => secret.replace('svc_sk_', 'svc_sk_test_'),
  'without the prefix': (_, { secret }) => secret.replace('svc_sk_', ''),
  'the last character changed': (_, { secret }) =>
    secret.slice(0, -1) + (secret.endsWith('A') ? 'E' : 'A'),
  'the first character of the secret changed': (_, { secret }) =>
    secret.replace(
      /^(svc_sk_)(.)/,
      (_whole, prefix: string, first: string) => prefix + (first === 'A' ? 'B' : 'A'),
    ),
  'cut by one': (_, { secret }) => secret.slice(0, -1),
  'cut to its hint': (_, { hint }) => hint,
  'one character more': (_, { secret }) => `${secret}A`,
  'the secret of another key under this hint': async (host, { hint }) =>
    hint + (await make(host)).secret.slice(hint.length),
  // UTF-8 in the form of HTTP: header values are bytes.
  'a Cyrillic letter for a Latin one': (_, { secret }) => onTheWire(secret.replace('c', '\u0441')),
  'a fullwidth digit': (_, { secret }) => onTheWire(`${secret.slice(0, -1)}\uff11`),
  'a dot in it': (_, { secret }) => `${secret.slice(0, 20)}.${secret.slice(20)}`,
  'with a space': (_, { secret }) => `${secret.slice(0, 20)} ${secret.slice(20)}`,
  'with NUL, escaped': (_, { secret }) => `${secret}%00`,
  'in other case': (_, { secret }) => `svc_sk_${secret.slice(7).toLowerCase()}`,
  'its digest': (_, { secret }) => sha256Hex(secret),
  'its id': (_, { id }) => id,
  revoked: async ({ call }, { id, secret }) => {
    // Used first, so that everything that may be remembered of it is remembered.
    expect((await call('GET', KEYS, { key: secret })).status).toBe(200)
    expect((await call('DELETE', `${KEYS}/${id}`)).status).toBe(200)
    return secret
  },
  expired: async (host) => {
    const { secret } = await make(host, ['keys:write'], { expiresAt: '2026-01-01T00:01:00Z' })
    expect((await host.call('GET', KEYS, { key: secret })).status).toBe(200)
    await host.clock.advance(60_000)
    return secret
  },
  'too long': (_, { secret }) => secret.padEnd(201, 'A'),
}

const onTheWire = (text: string) => String.fromCharCode(...new TextEncoder().encode(text))

test('every case has a key, and every key a case', () => {
  expect(Object.keys(BENT).toSorted()).toEqual(Object.keys(cases.apiKey).toSorted())
})

test.for(Object.entries(cases.apiKey))('%s: %i', async ([name, status]) => {
  const host = await createServiceHost()
  const secret = (await BENT[name]?.(host, await make(host))) ?? ''
  expect(secret).not.toBe('')
  for (const headers of [{ 'x-api-key': secret }, { authorization: `Bearer ${secret}` }] as Record<
    string,
    string
  >[]) {
    const answer = await host.call('GET', KEYS, { key: null, headers })
    expect(answer.status).toBe(status)
    if (status === 401)
      expect([answer.body, answer.headers.get('www-authenticate')]).toEqual([
        {
          success: false,
          error: { code: 'UNAUTHORIZED', message: 'A valid credential is required' },
        },
        'Bearer',
      ])
  }
})

test('an unknown, a wrong, a revoked and an expired key cost the same hashes and the same reads', async () => {
  const recorded = recordCalls(createMemoryStore())
  const host = await createServiceHost({ store: recorded.store })
  const [live, revoked, expired] = [
    await make(host),
    await make(host),
    await make(host, ['keys:write'], { expiresAt: '2026-01-01T00:01:00Z' }),
  ]
  await host.call('DELETE', `${KEYS}/${revoked.id}`)
  await host.clock.advance(60_000)
  const digest = vi.mocked(shortDigest)
  const wrong = live.secret.slice(0, -1) + (live.secret.endsWith('A') ? 'E' : 'A')
  for (const secret of [`svc_sk_${'A'.repeat(43)}`, wrong, revoked.secret, expired.secret]) {
    recorded.calls.length = 0
    digest.mockClear()
    expect((await host.call('GET', KEYS, { key: secret })).status).toBe(401)
    expect([recorded.calls, digest.mock.calls.length]).toEqual([['get', 'get'], 1])
  }
})

test.for<readonly [readonly string[], readonly string[], number]>([
  [['keys:write', 'tasks:read'], ['tasks:read', 'keys:write'], 201],
  [['keys:write', 'tasks:read'], ['tasks:read', 'tasks:write'], 403],
  [['keys:write'], ['*'], 403],
  [['keys:write'], ['keys:*'], 403],
  [['keys:*', 'mcp:*'], ['mcp:*'], 201],
  [['keys:*', 'mcp:search', 'mcp:fetch', 'mcp:crawl', 'mcp:templates'], ['mcp:*'], 403],
])(
  'a key with scopes %j that makes a key with scopes %j is answered %i',
  async ([own, scopes, status]) => {
    const host = await createServiceHost()
    const maker = await host.keyOf('acme', own)
    expect((await make(host, scopes, {}, maker)).status).toBe(status)
  },
)

test('a key can revoke itself and keys that it made, but no maker, wider key or key of another account', async () => {
  const host = await createServiceHost()
  const root = await make(host, ['keys:write', 'tasks:*'])
  const child = await make(host, ['keys:write', 'tasks:*'], {}, root.secret)
  const grandchild = await make(host, ['keys:write'], {}, child.secret)
  const equal = await make(host, ['keys:write'])
  const wider = await make(host, ['keys:write', 'tasks:read'])
  const revoke = async (by: string, id: string) =>
    (await host.call('DELETE', `${KEYS}/${id}`, { key: by })).status
  expect(await revoke(grandchild.secret, child.id)).toBe(403)
  expect(await revoke(grandchild.secret, root.id)).toBe(403)
  expect(await revoke(child.secret, root.id)).toBe(403)
  expect(await revoke(await host.keyOf('globex'), root.id)).toBe(404)
  const owner = (await host.call('GET', KEYS)).body.data.items.find(
    (one: { scopes: string[] }) => one.scopes[0] === '*',
  )
  expect(await revoke(child.secret, owner.id)).toBe(403)
  for (const { secret } of [root, child, grandchild])
    expect((await host.call('GET', KEYS, { key: secret })).status).toBe(200)
  expect(await revoke(grandchild.secret, wider.id)).toBe(403)
  expect(await revoke(grandchild.secret, equal.id)).toBe(200)
  expect(await revoke(grandchild.secret, grandchild.id)).toBe(200)
  expect(await revoke(root.secret, child.id)).toBe(200)
  // A user of the account without a key may revoke every key.
  expect(
    (await host.keys.revoke({ account: 'acme', user: 'ann', scopes: ['keys:write'] }, owner.id))
      .revokedAt,
  ).not.toBeNull()
})

test('a chain of keys ends the same way while one of its makers is being revoked', async () => {
  const host = await createServiceHost()
  const root = await make(host)
  const child = await make(host, ['keys:write'], {}, root.secret)
  const grandchild = await make(host, ['keys:write'], {}, child.secret)
  await host.call('DELETE', `${KEYS}/${child.id}`)
  expect((await host.call('DELETE', `${KEYS}/${root.id}`, { key: grandchild.secret })).status).toBe(
    403,
  )
})

test('a known key costs one read, and is refused by its record alone', async () => {
  const recorded = recordCalls(createMemoryStore())
  const host = await createServiceHost({ store: recorded.store })
  const { id, secret } = await make(host)
  const status = async (key: string) => {
    recorded.calls.length = 0
    return (await host.call('GET', KEYS, { key })).status
  }
  expect([await status(secret), recorded.calls[0], recorded.calls[1]]).toEqual([200, 'get', 'get'])
  const first = recorded.calls.length
  expect([await status(secret), recorded.calls.length]).toEqual([200, first - 2])
  await host.call('DELETE', `${KEYS}/${id}`)
  expect([await status(secret), recorded.calls]).toEqual([401, ['get', 'get', 'get']])
  expect([await status(secret), recorded.calls]).toEqual([401, ['get', 'get']])
})
