import { describe, expect, it } from 'vitest'
import { createKeyAuthenticator } from '../../../src/features/keys/authenticator.ts'
import { SYSTEM } from '../../../src/records/collection.ts'
import { createServiceHost } from '../../support/worlds/service-host.ts'
import { recordCalls } from '../../support/stores/recorded-store.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'

const KEYS = '/api/v1/keys'
const make = (scopes: readonly string[], more: Record<string, unknown> = {}) => ({
  body: { name: 'CI', scopes, ...more },
})

describe('an API key', () => {
  it('is shown once and never stored', async () => {
    const { call, store, keys } = await createServiceHost()
    const created = await call('POST', KEYS, make(['tasks:read', 'tasks:read']))
    expect(created.status).toBe(201)
    const { secret, ...shown } = created.body.data
    expect(secret).toMatch(/^svc_sk_[\w-]{43}$/)
    expect(shown).toEqual({
      id: expect.stringMatching(/^key_/),
      name: 'CI',
      scopes: ['tasks:read'],
      makerId: expect.stringMatching(/^key_/),
      hint: secret.slice(0, 11),
      createdAt: '2026-01-01T00:00:00.000Z',
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
    })
    expect((await call('GET', KEYS)).body.data.items[0]).toEqual(shown)
    expect((await keys.list({ account: 'acme', user: 'ann', scopes: [] })).items[0]).toEqual(shown)
    for (const account of ['acme', SYSTEM])
      expect(JSON.stringify(await store.list({ prefix: [account], limit: 1_000 }))).not.toContain(
        secret.slice(12),
      )
  })

  it('is accepted in both headers, with the scheme in any case', async () => {
    const { call, key } = await createServiceHost()
    for (const headers of [
      { 'x-api-key': key },
      { authorization: `Bearer ${key}` },
      { authorization: `bEARER  ${key}` },
      { authorization: `Bearer ${key}`, 'x-api-key': key },
    ]) {
      expect(
        (await call('GET', KEYS, { key: null, headers: headers as Record<string, string> })).status,
      ).toBe(200)
    }
  })

  it('is refused in every other form, with one answer', async () => {
    const { call, key, keyOf } = await createServiceHost()
    const other = await keyOf('acme')
    const forms: Record<string, string>[] = [
      { authorization: key },
      { authorization: `Basic ${key}` },
      { authorization: `Token ${key}` },
      { authorization: `Bearer ${key} x` },
      { authorization: 'Bearer' },
      { authorization: `Bearer ${key.slice(0, -1)}` },
      { authorization: `Bearer ${key}A` },
      { authorization: `Bearer ${key.replace('svc_sk_', 'svc_pk_')}` },
      { authorization: `Bearer ${key.toUpperCase()}` },
      { 'x-api-key': '' },
      { 'x-api-key': 'svc_sk_' },
      { 'x-api-key': `svc_sk_${'a'.repeat(10_000)}` },
      { 'x-api-key': `${key}=` },
      { 'x-api-key': `Bearer ${key}` },
      { cookie: `x-api-key=${key}` },
    ]
    for (const headers of forms) {
      const answer = await call('GET', KEYS, { key: null, headers })
      expect([answer.status, answer.body.error.message]).toEqual([
        401,
        'A valid credential is required',
      ])
    }
    for (const headers of [
      { authorization: `Bearer ${key}`, 'x-api-key': other },
      { authorization: `Bearer ${key}, Bearer ${other}` },
      { 'x-api-key': `${key}, ${other}` },
    ]) {
      expect(
        (await call('GET', KEYS, { key: null, headers: headers as Record<string, string> })).status,
      ).toBe(401)
    }
    expect((await call('GET', `${KEYS}?x-api-key=${key}`, { key: null })).status).toBe(401)
  })

  it('ends when it is revoked, and when its time is over', async () => {
    const { call, clock } = await createServiceHost()
    const [revoked, timed] = [
      (await call('POST', KEYS, make(['keys:write']))).body.data,
      (await call('POST', KEYS, make(['keys:write'], { expiresAt: '2026-01-01T01:00:00Z' }))).body
        .data,
    ]
    for (const { secret } of [revoked, timed])
      expect((await call('GET', KEYS, { key: secret })).status).toBe(200)
    const answer = await call('DELETE', `${KEYS}/${revoked.id}`)
    expect([answer.status, answer.body.data.revokedAt]).toEqual([200, '2026-01-01T00:00:00.000Z'])
    expect((await call('GET', KEYS, { key: revoked.secret })).status).toBe(401)
    await clock.advance(3_599_999)
    expect((await call('GET', KEYS, { key: timed.secret })).status).toBe(200)
    await clock.advance(1)
    expect((await call('GET', KEYS, { key: timed.secret })).status).toBe(401)
    expect((await call('DELETE', `${KEYS}/${revoked.id}`)).body.data.revokedAt).toBe(
      '2026-01-01T00:00:00.000Z',
    )
  })

  it('notes when it was used, at most once an hour', async () => {
    const { call, clock } = await createServiceHost()
    const { id, secret } = (await call('POST', KEYS, make(['keys:write']))).body.data
    const used = async () =>
      (await call('GET', KEYS)).body.data.items.find((item: { id: string }) => item.id === id)
        .lastUsedAt
    expect(await used()).toBeNull()
    const seen: string[] = []
    for (let i = 0; i < 3; i++) {
      await clock.advance(1_800_000)
      await call('GET', KEYS, { key: secret })
      seen.push(await used())
    }
    expect(seen).toEqual([
      '2026-01-01T00:30:00.000Z',
      '2026-01-01T00:30:00.000Z',
      '2026-01-01T01:30:00.000Z',
    ])
  })

  it.each([
    [['keys:write', 'tasks:read'], ['tasks:read'], 201],
    [['keys:write', 'tasks:read'], ['tasks:write'], 403],
    [['keys:write', 'tasks:*'], ['tasks:write', 'tasks:*'], 201],
    [['keys:write', 'tasks:read', 'tasks:write'], ['tasks:*'], 403],
    [['keys:*', 'tasks:*'], ['*'], 403],
    [['keys:write'], ['keys:read'], 201],
    [['keys:write', 'webhooks:read'], ['webhooks:write'], 403],
    [['keys:read'], ['keys:read'], 403],
    [['*'], ['*'], 201],
  ])(
    'with scopes %j that makes a key with scopes %j is answered %i',
    async (own, scopes, status) => {
      const { call, keyOf } = await createServiceHost()
      expect(
        (await call('POST', KEYS, { ...make(scopes), key: await keyOf('acme', own) })).status,
      ).toBe(status)
    },
  )

  it.each([
    [make(['tasks:delete']), 'scopes.0'],
    [make(['tasks']), 'scopes.0'],
    [make(['*:*']), 'scopes.0'],
    [make([]), 'scopes'],
    [make(['tasks:read'], { expiresAt: '2025-12-31T00:00:00Z' }), 'expiresAt'],
    [make(['tasks:read'], { expiresAt: 'tomorrow' }), 'expiresAt'],
    [make(['tasks:read'], { expiresAt: '2030-02-30T00:00:00Z' }), 'expiresAt'],
    [make(['tasks:read'], { secret: 'svc_sk_mine' }), 'secret'],
  ])('cannot be made from %j', async (sent, path) => {
    const { call } = await createServiceHost()
    const answer = await call('POST', KEYS, sent)
    expect([answer.status, answer.body.error.issues[0].path]).toEqual([400, path])
  })
})

it('a check costs the same reads whether the key is unknown, revoked or expired', async () => {
  const recorded = recordCalls(createMemoryStore())
  const { core, call, keyOf } = await createServiceHost({ store: recorded.store })
  const revoked = (await call('POST', KEYS, make(['tasks:read']))).body.data
  await call('DELETE', `${KEYS}/${revoked.id}`)
  const authenticator = createKeyAuthenticator(core)
  const callsFor = async (secret: string) => {
    recorded.calls.length = 0
    expect(
      await authenticator(new Request('http://host.test', { headers: { 'x-api-key': secret } })),
    ).toBeNull()
    return [...recorded.calls]
  }
  expect(await callsFor(`svc_sk_${'A'.repeat(43)}`)).toEqual(['get', 'get'])
  expect(await callsFor(revoked.secret)).toEqual(['get', 'get'])
  expect(await callsFor('svc_sk_!')).toEqual([])
  expect(
    await authenticator(
      new Request('http://host.test', { headers: { 'x-api-key': await keyOf('acme') } }),
    ),
  ).toMatchObject({ account: 'acme', user: 'acme' })
})

describe('adopting a secret', () => {
  const ann = { account: 'acme', user: 'ann', scopes: ['*'] }

  it('makes one key, however often it is done', async () => {
    const { keys, call } = await createServiceHost()
    const secret = 'svc_sk_from-the-command-line'
    const [first, second] = [
      await keys.adopt(ann, secret, { name: 'cli', scopes: ['*'] }),
      await keys.adopt(ann, secret, { name: 'cli', scopes: ['*'] }),
    ]
    expect(second).toEqual(first)
    expect((await call('GET', KEYS, { key: secret })).status).toBe(200)
    await expect(
      keys.adopt({ ...ann, account: 'globex' }, secret, { name: 'x', scopes: ['*'] }),
    ).rejects.toMatchObject({ status: 409 })
  })

  it.each(['svc_sk_', 'sk_live_1', 'svc_sk_a b', `svc_sk_${'a'.repeat(200)}`])(
    'refuses %s',
    async (secret) => {
      const { keys } = await createServiceHost()
      await expect(keys.adopt(ann, secret, { name: 'cli', scopes: ['*'] })).rejects.toMatchObject({
        status: 400,
      })
    },
  )
})
