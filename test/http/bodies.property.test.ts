import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createServiceHost, recipeOf } from '../support/worlds/service-host.ts'

const host = await createServiceHost({ maxBodyBytes: 10_000 })
const create = (body: unknown, headers: Record<string, string> = {}) =>
  host.call('POST', '/api/v1/tasks', { body, headers })
/** Streams need `duplex` (Fetch standard), which is not yet in the types of the DOM. */
const streamed = (body: ReadableStream, headers: Record<string, string>) => {
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, headers, duplex: 'half' }
  return new Request('http://host.test/api/v1/tasks', init)
}
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

describe('a body', () => {
  it.each([
    ['cut short', '{"name":', 'the body is not valid JSON'],
    ['a list', '[]', 'the body must be a JSON object'],
    ['null', 'null', 'the body must be a JSON object'],
    ['not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), 'the body is not valid UTF-8'],
    ['deeper than 64 levels', `{"name":${nested(64)}}`, 'the body is deeper than 64 levels'],
    ['much deeper', `{"name":${nested(4_000)}}`, 'the body is deeper than 64 levels'],
    ['infinite', '{"name":1e400}', 'is not a finite number'],
    ['beyond exact numbers', '{"name":9007199254740993}', expect.stringContaining('2^53')],
    ['naming __proto__', '{"__proto__":{"scopes":["*"]}}', 'is not allowed as a name'],
    [
      'naming __proto__ inside',
      '{"recipe":{"page":{"headers":{"__proto__":"x"}}}}',
      'is not allowed as a name',
    ],
    ['of broken Unicode', '{"name":"\\ud800"}', 'is not well-formed Unicode'],
    ['absent', undefined, 'the body is missing: send a JSON object'],
    ['empty', '', 'the body is missing: send a JSON object'],
  ])('that is %s is refused', async (_, body, message) => {
    const answer = await create(body)
    expect(answer.status).toBe(400)
    expect(answer.body.error.code).toBe('BAD_REQUEST')
    expect(answer.body.error.issues[0].message).toEqual(message)
  })

  it('of a megabyte of opening brackets is refused before it is parsed', async () => {
    const roomy = await createServiceHost()
    const answer = await roomy.call('POST', '/api/v1/tasks', {
      body: `{"name":${'['.repeat(1_000_000)}`,
    })
    // Parsed, it would not be valid JSON.
    expect(answer.body.error.issues[0].message).toBe('the body is deeper than 64 levels')
  })

  it('of 64 levels reaches the schema', async () => {
    const answer = await create(`{"name":${nested(63)}}`)
    expect(answer.body.error.issues[0]).toEqual({ path: 'name', message: 'must be a text' })
  })

  it.each([
    'text/plain',
    'application/jsonx',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
  ])('declared as %s is 415', async (type) => {
    const answer = await create('{}', { 'content-type': type })
    expect(answer.status).toBe(415)
    expect(answer.body.error.code).toBe('UNSUPPORTED_MEDIA_TYPE')
  })

  it.each(['gzip', 'br', 'x-unknown', 'gzip, identity'])(
    'in the coding %s is 415, and the answer names no accepted coding',
    async (coding) => {
      const { status, body, headers } = await create(JSON.stringify({ recipe: recipeOf() }), {
        'content-encoding': coding,
      })
      expect([status, body.error.code, headers.get('accept-encoding')]).toEqual([
        415,
        'UNSUPPORTED_MEDIA_TYPE',
        'identity',
      ])
    },
  )

  it.each(['identity', 'Identity', ''])('in the coding "%s" is read', async (coding) => {
    expect(
      (await create(JSON.stringify({ recipe: recipeOf() }), { 'content-encoding': coding })).status,
    ).toBe(201)
  })

  it.each([
    'application/json',
    'Application/JSON; charset=UTF-8',
    'application/merge-patch+json',
    'application/json;charset="utf-8"',
  ])('declared as %s is read', async (type) => {
    expect(
      (await create(JSON.stringify({ recipe: recipeOf() }), { 'content-type': type })).status,
    ).toBe(201)
  })

  it('whose length is too large is refused before it is read', async () => {
    const body = new ReadableStream(
      { pull: () => Promise.reject(new Error('was read')) },
      { highWaterMark: 0 },
    )
    const request = streamed(body, {
      'x-api-key': host.key,
      'content-length': '10001',
      'content-type': 'application/json',
    })
    const response = await host.http(request)
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({
      success: false,
      error: { code: 'PAYLOAD_TOO_LARGE' },
    })
  })

  it('that turns out to be too large is cancelled at the limit', async () => {
    let sent = 0
    let cancelled = false
    const body = new ReadableStream({
      pull(controller) {
        sent += 4_000
        controller.enqueue(new Uint8Array(4_000).fill(0x20))
      },
      cancel() {
        cancelled = true
      },
    })
    const request = streamed(body, { 'x-api-key': host.key, 'content-type': 'application/json' })
    expect((await host.http(request)).status).toBe(413)
    expect(cancelled).toBe(true)
    expect(sent).toBeLessThanOrEqual(20_000)
  })

  it('may be left out if it is optional', async () => {
    const task = await create({ recipe: recipeOf() })
    expect((await host.call('POST', `/api/v1/tasks/${task.body.data.id}/executions`)).status).toBe(
      201,
    )
    expect(
      (
        await host.call('POST', `/api/v1/tasks/${task.body.data.id}/executions`, {
          body: '',
          headers: { 'content-type': 'text/plain' },
        })
      ).status,
    ).toBe(201)
  })

  it('is refused with the names of all wrong fields', async () => {
    const answer = await create({
      name: '',
      labels: ['a', 5],
      status: 'done',
      recipe: {
        start: {},
        extract: { fields: { price: { css: 5 } } },
        follow: [{ next: 'a', maxPages: 0 }],
        extra: 1,
        more: 2,
      },
      first: 1,
      second: 2,
    })
    expect(answer.status).toBe(400)
    expect(answer.body.error.issues).toHaveLength(9)
    expect(answer.body.error.issues).toEqual(
      expect.arrayContaining([
        { path: 'name', message: 'must not be empty' },
        { path: 'labels.1', message: 'must be a text' },
        { path: 'status', message: 'must be "active", "paused" or "archived"' },
        { path: 'recipe.extract.fields.price.css', message: 'must be a text' },
        { path: 'recipe.follow.0.maxPages', message: 'must be at least 1' },
        { path: 'recipe.extra', message: 'unknown field; did you mean extract?' },
        { path: 'recipe.more', message: expect.stringMatching(/^unknown field; known: .*start, /) },
        { path: 'first', message: expect.stringMatching(/^unknown field; known: name, /) },
        { path: 'second', message: expect.stringMatching(/^unknown field; known: name, /) },
      ]),
    )
    expect(answer.body.error.message).toContain(answer.body.error.issues[0].path)
  })

  it('of any JSON is answered in the envelope, and never with 500', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue(),
        fc.constantFrom(
          'POST /api/v1/tasks',
          'POST /api/v1/keys',
          'PATCH /api/v1/tasks/x',
          'POST /api/v1/tasks/x/executions',
        ),
        async (value, route) => {
          const [method = '', path = ''] = route.split(' ')
          const answer = await host.call(method, path, { body: JSON.stringify(value) })
          expect([400, 404, 413]).toContain(answer.status)
          expect(answer.body.success).toBe(false)
        },
      ),
      { numRuns: 200 },
    )
    expect(host.logged.filter(({ level }) => level === 'error')).toEqual([])
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('scopes')
  })
})
