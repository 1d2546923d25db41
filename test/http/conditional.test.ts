import { describe, expect, it } from 'vitest'
import { createServiceHost, recipeOf } from '../support/worlds/service-host.ts'

async function open() {
  const host = await createServiceHost()
  const created = await host.call('POST', '/api/v1/tasks', {
    body: { name: 'Shop', recipe: recipeOf() },
  })
  const path = `/api/v1/tasks/${created.body.data.id}`
  const etagOf = async (of = path) => (await host.call('GET', of)).headers.get('etag') ?? ''
  return { ...host, made: created, path, etagOf }
}

describe('a read', () => {
  it('has the ETag of its record: the one that a write gave, until the record changes', async () => {
    const { call, made, path, etagOf } = await open()
    const first = await etagOf()
    expect(first).toBe(made.headers.get('etag'))
    expect(await etagOf()).toBe(first)
    const changed = await call('PATCH', path, { body: { name: 'New' } })
    expect(changed.headers.get('etag')).not.toBe(first)
    expect(await etagOf()).toBe(changed.headers.get('etag'))
  })

  it.each(['GET', 'HEAD'])(
    'by %s is 304 without a body if the caller has the current version',
    async (method) => {
      const { send, path, etagOf } = await open()
      const etag = await etagOf()
      for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
        const response = await send(method, path, { headers: { 'If-None-Match': tag } })
        expect([
          response.status,
          await response.text(),
          response.headers.get('etag'),
          response.headers.get('content-type'),
        ]).toEqual([304, '', etag, null])
        expect(response.headers.get('x-request-id')).toMatch(/^[\w-]{8,64}$/)
      }
      expect((await send(method, path, { headers: { 'If-None-Match': '"x"' } })).status).toBe(200)
    },
  )

  it('of a list is 304 as long as the list is unchanged', async () => {
    const { call, path, etagOf } = await open()
    const etag = await etagOf('/api/v1/tasks')
    const again = () => call('GET', '/api/v1/tasks', { headers: { 'If-None-Match': etag } })
    expect((await again()).status).toBe(304)
    await call('PATCH', path, { body: { name: 'New' } })
    expect((await again()).status).toBe(200)
  })

  it('of an execution has another ETag when its counters change', async () => {
    const { executionWith, addSegment, etagOf } = await open()
    const { id } = await executionWith([])
    const before = await etagOf(`/api/v1/executions/${id}`)
    await addSegment(id, [{ title: 'a' }])
    expect(await etagOf(`/api/v1/executions/${id}`)).not.toBe(before)
  })

  it('with If-Match is 412 if the record has changed', async () => {
    const { call, path, etagOf } = await open()
    expect((await call('GET', path, { headers: { 'If-Match': '"x"' } })).status).toBe(412)
    expect((await call('GET', path, { headers: { 'If-Match': await etagOf() } })).status).toBe(200)
  })
})

describe('a write with If-Match', () => {
  it('changes only the version that the caller knows', async () => {
    const { call, path, etagOf } = await open()
    const etag = await etagOf()
    const rename = (name: string, ifMatch: string) =>
      call('PATCH', path, { body: { name }, headers: { 'If-Match': ifMatch } })
    expect((await rename('One', etag)).status).toBe(200)
    const stale = await rename('Two', etag)
    expect([stale.status, stale.body.error.code, stale.headers.get('etag')]).toEqual([
      412,
      'PRECONDITION_FAILED',
      await etagOf(),
    ])
    // Weak tags never match strongly (RFC 9110 section 13.1.1).
    expect((await rename('Two', `W/${await etagOf()}`)).status).toBe(412)
    expect((await call('GET', path)).body.data.name).toBe('One')
    expect((await rename('Three', '*')).status).toBe(200)
    expect((await call('DELETE', path, { headers: { 'If-Match': etag } })).status).toBe(412)
    expect(
      (await call('DELETE', path, { headers: { 'If-Match': `"x", ${await etagOf()}` } })).status,
    ).toBe(200)
    expect((await rename('Four', '*')).status).toBe(404)
  })

  it('succeeds for one of two at the same time', async () => {
    const { call, path, etagOf } = await open()
    const etag = await etagOf()
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((name) =>
        call('PATCH', path, { body: { name }, headers: { 'If-Match': etag } }),
      ),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412, 412])
  })

  it('can also be a move of an execution or the revocation of a key', async () => {
    const { call, executionWith, etagOf } = await open()
    const path = `/api/v1/executions/${(await executionWith([])).id}`
    const etag = await etagOf(path)
    expect((await call('POST', `${path}/pause`, { headers: { 'If-Match': etag } })).status).toBe(
      200,
    )
    expect((await call('POST', `${path}/cancel`, { headers: { 'If-Match': etag } })).status).toBe(
      412,
    )
    const key = (
      await call('POST', '/api/v1/keys', { body: { name: 'k', scopes: ['tasks:read'] } })
    ).body.data.id
    expect(
      (await call('DELETE', `/api/v1/keys/${key}`, { headers: { 'If-Match': '"x"' } })).status,
    ).toBe(412)
    expect(
      (await call('DELETE', `/api/v1/keys/${key}`, { headers: { 'If-Match': '*' } })).status,
    ).toBe(200)
  })
})
