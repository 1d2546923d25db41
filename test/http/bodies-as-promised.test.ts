import { describe, expect, it } from 'vitest'
import { createMemoryLimiter } from '../../src/defaults/memory-limiter.ts'
import { addMedia } from '../support/fakes/add-media.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'
import { pngOf } from '../support/fakes/image-bytes.ts'
import { createServiceHost, recipeOf } from '../support/worlds/service-host.ts'

const clock = createFakeClock()

// The host chooses the bodies of billing: see legacy-bodies.slow.test.ts.
describe('documented bodies that differ from the envelopes', () => {
  it('of media are bytes, or only an error string', async () => {
    const host = await createServiceHost()
    const id = await addMedia(host, 'acme', {
      bytes: pngOf(1, 1),
      sourceUrl: 'https://shop.example.com/a.png',
    })
    const { pathname, search } = new URL(
      (await host.call('GET', `/api/v1/media/${id}`)).body.data.url,
    )
    const ask = async (path: string, method = 'GET', headers: Record<string, string> = {}) => {
      const response = await host.send(method, path, {
        key: null,
        headers: { 'X-Request-Id': 'trace_12345678', ...headers },
      })
      return [response.status, await response.json()]
    }
    expect(
      new Uint8Array(
        await (await host.send('GET', pathname + search, { key: null })).arrayBuffer(),
      ),
    ).toEqual(pngOf(1, 1))
    expect(await ask(pathname)).toEqual([
      403,
      { error: 'This link is not valid, or it has expired' },
    ])
    expect(await ask('/media/a/b/c')).toEqual([404, { error: 'Media item not found' }])
    for (const path of ['/media/a', '/media/', '/media'])
      expect(await ask(path)).toEqual([404, { error: 'Path not found' }])
    expect(await ask('/media/a/b/%ff')).toEqual([
      400,
      { error: 'The request is invalid: name: is not valid percent-encoding' },
    ])
    expect(await ask(pathname + search, 'POST')).toEqual([
      405,
      { error: 'This path does not support POST' },
    ])
    // Many clients send this with every call.
    const json = { key: null, headers: { Accept: 'application/json' } }
    const sent = await host.send('GET', pathname + search, json)
    expect([sent.status, sent.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(await ask(pathname + search, 'GET', { Accept: 'text/html' })).toEqual([
      406,
      { error: 'The response is image/png, which Accept excludes' },
    ])
    expect(await ask(pathname + search, 'GET', { Range: 'bytes=30-' })).toEqual([
      416,
      { error: 'There are only 30 bytes' },
    ])
    Object.assign(host.blobs, { get: () => Promise.reject(new Error('disk')) })
    expect(await ask(pathname + search)).toEqual([
      500,
      { error: 'Something went wrong on our side (request trace_12345678)' },
    ])
    // The neighbouring route of the API has the envelope.
    expect(await ask('/api/v1/media/med_none')).toEqual([
      401,
      { success: false, error: expect.anything() },
    ])
  })

  it('of previews are those of the quota', async () => {
    const host = await createServiceHost({
      previews: { perDay: 1, perScope: 1, urls: 5 },
      limiter: createMemoryLimiter({ clock }),
    })
    const ask = () => host.call('POST', '/api/v1/tasks/preview', { body: { recipe: recipeOf() } })
    expect(await ask()).toMatchObject({ status: 200, body: { success: true } })
    const { status, body, headers } = await ask()
    expect([status, body]).toEqual([
      429,
      {
        error: 'preview_limit_exceeded',
        message: "Today's 1 previews are used up; the quota resets at 2026-01-02T00:00:00.000Z",
      },
    ])
    expect(
      ['retry-after', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'content-type'].map((name) =>
        headers.get(name),
      ),
    ).toEqual(['86400', '120', '118', 'application/json; charset=utf-8'])
  })
})
