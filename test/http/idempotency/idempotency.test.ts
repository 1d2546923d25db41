import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createServiceHost, recipeOf } from '../../support/worlds/service-host.ts'
import type { Sent } from '../../support/worlds/service-host.ts'

const HOUR = 3_600_000
const task = { name: 'Shop', recipe: recipeOf() }

async function open() {
  const host = await createServiceHost()
  const create = (idempotencyKey: string, sent: Sent = {}) =>
    host.call('POST', '/api/v1/tasks', {
      body: task,
      ...sent,
      headers: { 'Idempotency-Key': idempotencyKey, ...sent.headers },
    })
  const count = async () => (await host.call('GET', '/api/v1/tasks')).body.data.items.length
  return { ...host, create, count }
}

describe('the same Idempotency-Key', () => {
  it('with the same request gets the first answer byte for byte', async () => {
    const { send, count } = await open()
    const ask = () =>
      send('POST', '/api/v1/tasks', { body: task, headers: { 'Idempotency-Key': 'a' } })
    const [first, second] = [await ask(), await ask()]
    expect([first.status, second.status]).toEqual([201, 201])
    expect(await second.text()).toBe(await first.text())
    expect([
      first.headers.get('idempotency-replayed'),
      second.headers.get('idempotency-replayed'),
    ]).toEqual([null, 'true'])
    const own = ['x-request-id', 'idempotency-replayed']
    const shown = (response: Response) =>
      [...response.headers].filter(([name]) => !own.includes(name))
    expect(shown(second)).toEqual(shown(first))
    expect(second.headers.get('etag')).toMatch(/^"[0-9a-f]{40}"$/)
    expect(await count()).toBe(1)
  })

  it('stands for one request', async () => {
    const { create, call } = await open()
    const first = await create('a')
    expect((await create('a', { body: { ...task, name: 'Other' } })).status).toBe(422)
    const other = await call('POST', `/api/v1/tasks/${first.body.data.id}/executions`, {
      headers: { 'Idempotency-Key': 'a' },
    })
    expect([other.status, other.body.error.code]).toEqual([422, 'UNPROCESSABLE_CONTENT'])
    const reordered = JSON.stringify({ recipe: task.recipe, name: task.name }, null, 2)
    expect((await create('a', { body: reordered })).body).toEqual(first.body)
  })

  it('is a different key in another account', async () => {
    const { create, keyOf, count } = await open()
    const first = await create('a')
    const other = await create('a', { key: await keyOf('umbra') })
    expect(other.headers.get('idempotency-replayed')).toBeNull()
    expect(other.body.data.id).not.toBe(first.body.data.id)
    expect(await count()).toBe(1)
  })

  it('is dropped after a day', async () => {
    const { create, clock, count } = await open()
    const first = await create('a')
    await clock.advance(24 * HOUR - 1)
    expect((await create('a')).body).toEqual(first.body)
    await clock.advance(1)
    expect((await create('a')).headers.get('idempotency-replayed')).toBeNull()
    expect(await count()).toBe(2)
  })

  it('repeats a refusal by the operation, but not a refusal of the request', async () => {
    const { call, create } = await open()
    const id = (await create('a')).body.data.id
    await call('PATCH', `/api/v1/tasks/${id}`, { body: { status: 'archived' } })
    const start = () =>
      call('POST', `/api/v1/tasks/${id}/executions`, { headers: { 'Idempotency-Key': 'b' } })
    const [first, second] = [await start(), await start()]
    expect([first.status, second.status, second.headers.get('idempotency-replayed')]).toEqual([
      409,
      409,
      'true',
    ])
    expect(second.body).toEqual(first.body)

    for (const refused of [
      { body: {} },
      { body: '{' },
      { headers: { 'Content-Type': 'text/plain' } },
      { key: null },
      { headers: { Accept: 'text/html' } },
    ]) {
      const { status, headers } = await create('c', refused)
      expect([status >= 400 && status < 500, headers.get('idempotency-replayed')]).toEqual([
        true,
        null,
      ])
    }
    // Services refuse a recipe that the engine refuses, and a scope that the maker lacks.
    const inside = { body: { name: 'x', recipe: { start: { urls: ['http://10.0.0.1/'] } } } }
    expect([(await create('c', inside)).status, (await create('c')).status]).toEqual([400, 201])
  })

  it('can be tried again with a fresh If-Match after a stale one', async () => {
    const { call, create } = await open()
    const created = await create('a')
    const path = `/api/v1/tasks/${created.body.data.id}`
    const change = (etag: string) =>
      call('PATCH', path, {
        body: { name: 'New' },
        headers: { 'Idempotency-Key': 'b', 'If-Match': etag },
      })
    expect((await change('"stale"')).status).toBe(412)
    const changed = await change(created.headers.get('etag') ?? '')
    expect(changed.status).toBe(200)
    const repeated = await change(created.headers.get('etag') ?? '')
    expect([repeated.status, repeated.headers.get('etag')]).toEqual([
      200,
      changed.headers.get('etag'),
    ])
  })
})

describe('an Idempotency-Key', () => {
  it('has 1 to 255 characters', async () => {
    const { create } = await open()
    expect((await create('x'.repeat(255))).status).toBe(201)
    for (const wrong of ['', 'x'.repeat(256)]) {
      const refused = await create(wrong)
      expect([refused.status, refused.body.error.issues[0].path]).toEqual([400, 'Idempotency-Key'])
    }
  })

  it('may be any text that a header can have', async () => {
    const { create, count } = await open()
    const keys = fc.sample(
      fc.string({
        unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
        minLength: 1,
        maxLength: 255,
      }),
      { numRuns: 30, seed: 1 },
    )
    for (const key of keys)
      expect((await create(key)).headers.get('idempotency-replayed')).toBeNull()
    for (const key of keys)
      expect((await create(key)).headers.get('idempotency-replayed')).toBe('true')
    expect(await count()).toBeLessThanOrEqual(20)
  })

  it('is ignored for a read', async () => {
    const { call } = await open()
    for (let i = 0; i < 2; i++)
      expect(
        (
          await call('GET', '/api/v1/tasks', { headers: { 'Idempotency-Key': 'x'.repeat(300) } })
        ).headers.get('idempotency-replayed'),
      ).toBeNull()
  })
})

describe('the secret of a key that was made twice', () => {
  const body = { name: 'robot', scopes: ['tasks:read'] }
  const headers = { 'Idempotency-Key': 'make-robot' }

  it('is the same, and is not in the store', async () => {
    const { call, store } = await open()
    const [first, second] = [
      await call('POST', '/api/v1/keys', { body, headers }),
      await call('POST', '/api/v1/keys', { body, headers }),
    ]
    expect(second.body).toEqual(first.body)
    expect((await call('GET', '/api/v1/tasks', { key: second.body.data.secret })).status).toBe(200)
    const everything = JSON.stringify([
      await store.list({ prefix: ['acme'], limit: 1_000 }),
      await store.list({ prefix: ['~'], limit: 1_000 }),
    ])
    expect(everything).toContain(first.body.data.id)
    expect(everything).not.toContain(first.body.data.secret)
    expect(everything).not.toContain(headers['Idempotency-Key'])
  })

  it('is shown to nobody else of the account', async () => {
    const { call, keyOf } = await open()
    await call('POST', '/api/v1/keys', { body, headers })
    expect(
      (await call('POST', '/api/v1/keys', { body, headers, key: await keyOf('acme') })).status,
    ).toBe(422)
  })
})
