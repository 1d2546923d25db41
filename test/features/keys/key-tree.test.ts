import { describe, expect, it } from 'vitest'
import { Change } from '../../../src/records/change.ts'
import type { ApiKeyRecord } from '../../../src/features/keys/records.ts'
import { createServiceHost } from '../../support/worlds/service-host.ts'

const KEYS = '/api/v1/keys'
const NOON = '2026-01-01T12:00:00.000Z'
const HOUR = 3_600_000

type Host = Awaited<ReturnType<typeof createServiceHost>>

/** Makes a key; `by` is the secret of the key that makes it. */
async function make(host: Host, by?: string, more: Record<string, unknown> = {}) {
  const answer = await host.call('POST', KEYS, {
    body: { name: 'k', scopes: ['keys:write'], ...more },
    ...(by !== undefined && { key: by }),
  })
  return {
    status: answer.status,
    body: answer.body,
    ...(answer.body.data as {
      id: string
      secret: string
      expiresAt: string | null
      makerId: string | null
    }),
  }
}
const statusOf = async (host: Host, secret: string) =>
  (await host.call('GET', KEYS, { key: secret })).status

/**
 * Changes a stored key to the form of an earlier version: without an end of its own, and not bound
 * to that of its maker.
 */
async function asBefore(host: Host, id: string): Promise<void> {
  const stored = await host.records.apiKeys.get('acme', id)
  if (!stored) throw new Error('no such key')
  const { bound: _bound, ...rest } = stored.value
  const old: ApiKeyRecord = { ...rest, expiresAt: null }
  const change = new Change()
  host.records.apiKeys.update(change, 'acme', stored, old)
  expect(await host.records.commit(change)).toBe(true)
}

describe('the end of a key', () => {
  it('is that of its maker, and of the maker before, if none is asked for', async () => {
    const host = await createServiceHost()
    const root = await make(host, undefined, { expiresAt: NOON })
    const child = await make(host, root.secret)
    const grandchild = await make(host, child.secret)
    expect([child.expiresAt, grandchild.expiresAt]).toEqual([NOON, NOON])
    expect([child.makerId, grandchild.makerId]).toEqual([root.id, child.id])
    await host.clock.advance(12 * HOUR - 1)
    expect(await statusOf(host, grandchild.secret)).toBe(200)
    await host.clock.advance(1)
    for (const { secret } of [root, child, grandchild])
      expect(await statusOf(host, secret)).toBe(401)
  })

  it('may be earlier than that of its maker; a later one is refused by name', async () => {
    const host = await createServiceHost()
    const root = await make(host, undefined, { expiresAt: NOON })
    const later = await make(host, root.secret, { expiresAt: '2026-01-01T12:00:00.001Z' })
    expect([later.status, later.body.error.issues]).toEqual([
      400,
      [{ path: 'expiresAt', message: expect.stringContaining(NOON) }],
    ])
    expect((await make(host, root.secret, { expiresAt: '2026-01-01T06:00:00Z' })).expiresAt).toBe(
      '2026-01-01T06:00:00.000Z',
    )
    expect((await make(host, root.secret, { expiresAt: NOON })).expiresAt).toBe(NOON)
  })

  it('is open if it is made without a key', async () => {
    const host = await createServiceHost()
    const key = await host.keys.create(
      { account: 'acme', user: 'ann', scopes: ['*'] },
      { name: 'root', scopes: ['*'] },
    )
    expect([key.expiresAt, key.makerId]).toEqual([null, null])
  })

  it('also holds for keys that an earlier version stored without one', async () => {
    const host = await createServiceHost()
    const root = await make(host, undefined, { expiresAt: NOON })
    const child = await make(host, root.secret)
    const grandchild = await make(host, child.secret)
    for (const { id } of [child, grandchild]) await asBefore(host, id)
    expect(
      (await make(host, grandchild.secret, { expiresAt: '2026-01-02T00:00:00Z' })).status,
    ).toBe(400)
    expect((await make(host, grandchild.secret)).expiresAt).toBe(NOON)
    expect(await statusOf(host, grandchild.secret)).toBe(200)
    await host.clock.advance(12 * HOUR)
    for (const { secret } of [child, grandchild]) expect(await statusOf(host, secret)).toBe(401)
  })
})

describe('a revocation', () => {
  it('leaves the keys below valid, unless it is asked to end them', async () => {
    const host = await createServiceHost()
    const root = await make(host)
    const child = await make(host, root.secret)
    const grandchild = await make(host, child.secret)
    const other = await make(host)
    expect((await host.call('DELETE', `${KEYS}/${child.id}`)).body.data).toMatchObject({
      id: child.id,
      descendantsRevoked: 0,
    })
    expect(await statusOf(host, grandchild.secret)).toBe(200)
    const ended = await host.call('DELETE', `${KEYS}/${root.id}?descendants=true`)
    expect(ended.body.data).toMatchObject({
      id: root.id,
      revokedAt: '2026-01-01T00:00:00.000Z',
      descendantsRevoked: 1,
    })
    for (const { secret } of [root, child, grandchild])
      expect(await statusOf(host, secret)).toBe(401)
    expect(await statusOf(host, other.secret)).toBe(200)
    expect(
      (await host.call('DELETE', `${KEYS}/${root.id}?descendants=true`)).body.data
        .descendantsRevoked,
    ).toBe(0)
  })

  it('can later end the keys below a key that was revoked alone', async () => {
    const host = await createServiceHost()
    const root = await make(host)
    const child = await make(host, root.secret)
    await host.call('DELETE', `${KEYS}/${root.id}`)
    expect(await statusOf(host, child.secret)).toBe(200)
    expect(
      (await host.call('DELETE', `${KEYS}/${root.id}?descendants=true`)).body.data
        .descendantsRevoked,
    ).toBe(1)
    expect(await statusOf(host, child.secret)).toBe(401)
  })

  it('of a tree also ends keys that are being made at the same moment', async () => {
    const host = await createServiceHost()
    const root = await make(host)
    const [revoked, ...creations] = await Promise.all([
      host.call('DELETE', `${KEYS}/${root.id}?descendants=true`),
      ...Array.from({ length: 10 }, () => make(host, root.secret)),
    ])
    expect(revoked.status).toBe(200)
    for (const { status, secret } of creations)
      expect(status === 401 || (await statusOf(host, secret)) === 401).toBe(true)
  })

  it('of a tree is not allowed to the keys in it', async () => {
    const host = await createServiceHost()
    const root = await make(host)
    const child = await make(host, root.secret)
    expect(
      (await host.call('DELETE', `${KEYS}/${root.id}?descendants=true`, { key: child.secret }))
        .status,
    ).toBe(403)
    expect(await statusOf(host, root.secret)).toBe(200)
  })
})
