import { expect, test } from 'vitest'
import { SeineError } from 'seine/client'
import { createScripted, done } from './scripted.ts'

const read = async (response: Response): Promise<unknown> =>
  createScripted([response], { retries: 0 })
    .client.tasks.get('task_1')
    .catch((error: unknown) => error)
const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  Response.json(body, { status, headers })

test('an error has every member of the envelope', async () => {
  const issues = [{ path: 'recipe.start.urls.0', message: 'must be an http(s) URL' }]
  const error = await read(
    json(
      400,
      { success: false, error: { code: 'BAD_REQUEST', message: 'The request is invalid', issues } },
      { 'X-Request-Id': 'req_12345678' },
    ),
  )
  expect(error).toBeInstanceOf(SeineError)
  expect(error).toMatchObject({
    name: 'SeineError',
    code: 'BAD_REQUEST',
    status: 400,
    message: 'The request is invalid',
    issues,
    requestId: 'req_12345678',
    retryAfter: null,
  })
})

test('an error names the scope that the key lacks', async () => {
  const body = JSON.stringify({ success: false, error: { code: 'FORBIDDEN', message: 'No' } })
  const read403 = (challenge?: string) =>
    read(
      new Response(body, {
        status: 403,
        headers: challenge === undefined ? {} : { 'WWW-Authenticate': challenge },
      }),
    )
  const challenge = 'Bearer error="insufficient_scope", scope="tasks:write"'
  expect(await read403(challenge)).toMatchObject({ scope: 'tasks:write' })
  expect(await read403()).toMatchObject({ code: 'FORBIDDEN', scope: null })
})

test('an error has the figures of a limit, and ignores members that are not figures', async () => {
  const failure = (limit: unknown) =>
    read(json(402, { success: false, error: { code: 'PAYMENT_REQUIRED', message: 'No', limit } }))
  expect(await failure({ of: 'credits', needed: 5, available: 2, other: 'x' })).toMatchObject({
    limit: { of: 'credits', needed: 5, available: 2 },
  })
  expect(await failure(7)).toMatchObject({ limit: null })
})

test.for<readonly [string, Response, object]>([
  [
    'a legacy body',
    json(402, { error: 'No credits left' }),
    { code: 'PAYMENT_REQUIRED', status: 402, message: 'No credits left', issues: [] },
  ],
  [
    'a media body',
    json(404, { error: 'no such item' }),
    { code: 'NOT_FOUND', status: 404, message: 'no such item' },
  ],
  [
    'a quota',
    json(429, { error: 'preview_limit_exceeded', message: 'Enough for today' }),
    { code: 'preview_limit_exceeded', status: 429, message: 'Enough for today' },
  ],
  [
    'a code of a later service',
    json(418, { success: false, error: { code: 'TEAPOT', message: 'short and stout' } }),
    { code: 'TEAPOT', status: 418, message: 'short and stout' },
  ],
  [
    'no body',
    new Response(null, { status: 500 }),
    { code: 'INTERNAL_SERVER_ERROR', status: 500, message: 'The service answered with status 500' },
  ],
  [
    'a page',
    new Response('<h1>Bad gateway</h1>', { status: 502 }),
    { code: 'UNEXPECTED_RESPONSE', status: 502 },
  ],
  ['a list', json(503, ['no']), { code: 'SERVICE_UNAVAILABLE', status: 503 }],
  [
    'issues of a wrong shape',
    json(400, {
      error: {
        code: 'BAD_REQUEST',
        message: 'no',
        issues: [1, null, { path: 'a' }, { path: 'a', message: 'b' }],
      },
    }),
    { issues: [{ path: 'a', message: 'b' }] },
  ],
  [
    'an envelope without a message',
    json(404, { success: false, error: {} }),
    { code: 'NOT_FOUND', message: 'The service answered with status 404' },
  ],
])('%s', async ([, response, facts]) => {
  const error = await read(response)
  expect(error).toBeInstanceOf(SeineError)
  expect(error).toMatchObject(facts)
})

test('a success body without envelope is data; a body that is not an object is not one of the service', async () => {
  expect(await read(Response.json({ balance: 3 }))).toEqual({ balance: 3 })
  expect(await read(done({ id: 'x' }))).toEqual({ id: 'x' })
  for (const body of [
    '[]',
    '"text"',
    '{"success":true}',
    '{"success":true,"data":[]}',
    '',
    '{"success":tr',
  ]) {
    expect(await read(new Response(body))).toMatchObject({
      code: 'UNEXPECTED_RESPONSE',
      status: 200,
    })
  }
})
