import { describe, expect, it } from 'vitest'
import { createServiceHost, recipeOf } from '../../support/worlds/service-host.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

const QUOTAS = { perDay: 4, perScope: 2, urls: 5 }
const body = { recipe: recipeOf() }
const PREVIEW = '/api/v1/tasks/preview'

describe('POST /api/v1/tasks/preview', () => {
  it('counts unsaved recipes together and each task by itself, within a day', async () => {
    const { call } = await createServiceHost({ previews: QUOTAS })
    const [first, second] = [
      await call('POST', '/api/v1/tasks', { body }),
      await call('POST', '/api/v1/tasks', { body }),
    ]
    const of = (task: typeof first) => `/api/v1/tasks/${task.body.data.id}/preview`
    const statuses = async (paths: readonly string[], sent = {}) => {
      const codes: number[] = []
      for (const path of paths)
        codes.push((await call('POST', path, path === PREVIEW ? { body } : sent)).status)
      return codes
    }
    expect(await statuses([PREVIEW, PREVIEW, PREVIEW])).toEqual([200, 200, 429])
    expect(await statuses([of(first), of(first), of(first)])).toEqual([200, 200, 429])
    const last = await call('POST', of(second))
    expect([last.status, last.body]).toEqual([
      429,
      {
        error: 'preview_limit_exceeded',
        message: "Today's 4 previews are used up; the quota resets at 2026-01-02T00:00:00.000Z",
      },
    ])
  })

  it('does not count refused calls', async () => {
    const { call, keyOf } = await createServiceHost({ previews: QUOTAS })
    const wrong: { body?: unknown; key?: string; status: number }[] = [
      { body: {}, status: 400 },
      { body: { recipe: {} }, status: 400 },
      { body: { recipe: { start: { urls: ['http://10.0.0.1/'] } } }, status: 400 },
      { body: { ...body, urls: ['nonsense'] }, status: 400 },
      { body: { ...body, surprise: 1 }, status: 400 },
      { body, key: await keyOf('acme', ['tasks:read']), status: 403 },
    ]
    for (const { status, ...sent } of wrong)
      expect((await call('POST', PREVIEW, sent)).status).toBe(status)
    expect(
      (
        await call('POST', PREVIEW, {
          body: { recipe: { start: {}, extract: { fields: { a: '((' } } } },
        })
      ).body.error.issues,
    ).toContainEqual({ path: 'recipe.extract.fields.a', message: expect.any(String) })
    for (const status of [200, 200, 429])
      expect((await call('POST', PREVIEW, { body })).status).toBe(status)
  })

  it('runs anew whatever its Idempotency-Key, and stores no answer', async () => {
    const { call, store } = await createServiceHost({ previews: QUOTAS })
    for (const status of [200, 200, 429]) {
      const { status: answered, headers } = await call('POST', PREVIEW, {
        body,
        headers: { 'Idempotency-Key': 'same' },
      })
      expect([answered, headers.get('idempotency-replayed')]).toEqual([status, null])
    }
    const entries = await store.list({ prefix: ['acme'], limit: 100 })
    expect(new Set(entries.map(({ key }) => key[1]))).toEqual(
      new Set(['api-keys', 'holdings', 'preview-counts', 'usage']),
    )
  })

  it('does not count a preview that failed by an internal error', async () => {
    const world = createWorld({ 'https://shop.example.com/': '<h1>A</h1>' })
    const { previews } = world.platform.api
    const ask = () => world.clock.runUntil(previews.run(OWNER, { ...body, scope: 'recipe' }))
    await ask()
    const { send } = world.web
    Object.assign(world.web, { send: () => Promise.reject(new Error('out of sockets')) })
    for (let index = 0; index < 30; index++) await expect(ask()).rejects.toThrow('out of sockets')
    Object.assign(world.web, { send })
    const counts = await world.store.list({ prefix: ['acme', 'preview-counts'], limit: 10 })
    expect(counts.map(({ value }) => value)).toMatchObject([{ count: 1 }, { count: 1 }])
    for (let index = 1; index < 20; index++) await ask()
    await expect(ask()).rejects.toMatchObject({ status: 429 })
  })

  it('stops when the client leaves', async () => {
    const client = new AbortController()
    const world = createWorld({
      'https://shop.example.com/1': () => (client.abort(), '<h1>1</h1>'),
      'https://shop.example.com/2': '<h1>2</h1>',
    })
    const { secret } = await world.platform.api.keys.create(OWNER, { name: 'k', scopes: ['*'] })
    const request = new Request(`http://host.test${PREVIEW}`, {
      method: 'POST',
      headers: { 'X-API-Key': secret, 'Content-Type': 'application/json' },
      signal: client.signal,
      body: JSON.stringify({ recipe: { start: { urls: ['https://shop.example.com/{1..2}'] } } }),
    })
    await world.clock.runUntil(world.platform.fetch(request))
    expect([...world.web.requests.keys()].filter((url) => !url.includes('robots'))).toEqual([
      'https://shop.example.com/1',
    ])
    expect(world.clock.sleeping).toBe(0)
  })
})

describe('POST /api/v1/tasks/:id/preview', () => {
  it('previews the task with unsaved changes', async () => {
    const { call } = await createServiceHost()
    const { body: created } = await call('POST', '/api/v1/tasks', {
      body: { recipe: recipeOf({ title: 'h1', gone: '.gone' }) },
    })
    const path = `/api/v1/tasks/${created.data.id}`
    const plain = await call('POST', `${path}/preview`)
    expect(plain.body.data).toMatchObject({
      rows: [{ title: 'A page', gone: null }],
      warnings: [{ code: 'field_empty', path: 'extract.fields.gone' }],
    })
    const changed = await call('POST', `${path}/preview`, {
      body: {
        recipe: { extract: { fields: { price: { css: '.price', as: 'number' } } } },
        urls: ['https://other.example.com/'],
      },
    })
    expect(changed.body.data).toMatchObject({
      rows: [{ price: 1.5 }],
      pages: [{ url: 'https://other.example.com/', outcome: 'fetched' }],
      warnings: [],
    })
    expect((await call('GET', path)).body.data).toEqual(created.data)
  })

  it('refuses changes that make an invalid recipe, with the place', async () => {
    const { call } = await createServiceHost()
    const { body: created } = await call('POST', '/api/v1/tasks', { body })
    const ask = async (recipe: unknown) =>
      (await call('POST', `/api/v1/tasks/${created.data.id}/preview`, { body: { recipe } })).body
        .error.issues
    expect(await ask({ extract: { on: 'detail' } })).toMatchObject([{ path: 'recipe.extract.on' }])
    expect(await ask({ surprise: 1 })).toMatchObject([{ path: 'recipe.surprise' }])
    expect(await ask('x')).toMatchObject([{ path: 'recipe' }])
  })
})
