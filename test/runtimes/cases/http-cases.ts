import { equal, like, present, that } from './expect.ts'
import { ANALYTICS_CALLS } from './platform-options.ts'
import type { Case, Stage } from './stage.ts'
import { tokenFor } from './tokens.ts'

const RECIPE = {
  start: { urls: ['https://shop.example.com/'] },
  extract: { fields: { title: 'h1' } },
}
const JSON_TYPE = { 'content-type': 'application/json' }

interface Answer {
  readonly success: boolean
  readonly data?: Readonly<Record<string, unknown>>
  readonly error?: {
    readonly code: string
    readonly message: string
    readonly issues?: readonly { readonly path: string; readonly message: string }[]
  }
}

async function answer(response: Response): Promise<Answer> {
  return JSON.parse(await response.text())
}

const post = (
  stage: Stage,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> =>
  stage.send('/api/v1/tasks', {
    method: 'POST',
    headers: { ...JSON_TYPE, authorization: `Bearer ${stage.key}`, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

/** The wire contract (docs of the API: `src/http/openapi`). */
export const httpCases: readonly Case[] = [
  {
    name: 'http: a caller without a credential is told what is wanted',
    async run(stage) {
      const response = await stage.send('/api/v1/tasks')
      equal([response.status, (await answer(response)).error?.code], [401, 'UNAUTHORIZED'])
      like(response.headers.get('www-authenticate'), /^Bearer/, 'WWW-Authenticate')
      like(response.headers.get('x-request-id'), /^[\w-]{8,64}$/, 'X-Request-Id')
    },
  },
  {
    name: 'http: a key is accepted in both headers, and two credentials are not',
    async run(stage) {
      const codes = await Promise.all(
        [
          { authorization: `Bearer ${stage.key}` },
          { authorization: `bEaReR ${stage.key}` },
          { 'x-api-key': stage.key },
          { 'x-api-key': `${stage.key}x` },
          { 'x-api-key': stage.key, authorization: 'Bearer other' },
        ].map(async (headers) => (await stage.send('/api/v1/tasks?limit=1', { headers })).status),
      )
      equal(codes, [200, 200, 200, 401, 401])
    },
  },
  {
    name: 'http: a token is accepted with its scopes, and a forged or an old one is not',
    async run(stage) {
      const by = async (token: string, path = '/api/v1/tasks?limit=1') =>
        stage.send(path, { headers: { authorization: `Bearer ${token}` } })
      equal((await by(await tokenFor('ben'))).status, 200)
      equal(
        (await by(await tokenFor('ben', {}, 'another secret of thirty-two bytes!!'))).status,
        401,
      )
      const now = Math.floor(Date.now() / 1000)
      equal((await by(await tokenFor('ben', { iat: now - 7_200, exp: now - 3_600 }))).status, 401)
      const narrow = await by(
        await tokenFor('ben', { scope: 'tasks:read' }),
        '/api/v1/billing/balance',
      )
      equal([narrow.status, (await answer(narrow)).error?.code], [403, 'FORBIDDEN'])
      like(narrow.headers.get('www-authenticate'), /insufficient_scope/, 'WWW-Authenticate')
    },
  },
  {
    name: 'http: refusals have a status, a code and the path of the field',
    async run(stage) {
      const wrong = await answer(
        await post(stage, {
          name: '',
          recipe: { ...RECIPE, start: { urls: ['ftp://x'] } },
          colour: 1,
        }),
      )
      equal(wrong.error?.code, 'BAD_REQUEST')
      const paths = (wrong.error?.issues ?? []).map(({ path }) => path).toSorted()
      const refusals = [
        await stage.send('/api/v1/nothing', { headers: { 'x-api-key': stage.key } }),
        await stage.send('/api/v1/tasks/task_00000000000000000000000000', {
          headers: { 'x-api-key': stage.key },
        }),
        await stage.send('/api/v1/tasks', { method: 'PUT', headers: { 'x-api-key': stage.key } }),
        await post(stage, 'x', { 'content-type': 'text/plain' }),
        await post(stage, '{'),
        await post(stage, JSON.stringify({ name: 'x'.repeat(1_100_000) })),
      ]
      const seen = await Promise.all(
        refusals.map(async (response) => [response.status, (await answer(response)).error?.code]),
      )
      equal(seen, [
        [404, 'NOT_FOUND'],
        [404, 'NOT_FOUND'],
        [405, 'METHOD_NOT_ALLOWED'],
        [415, 'UNSUPPORTED_MEDIA_TYPE'],
        [400, 'BAD_REQUEST'],
        [413, 'PAYLOAD_TOO_LARGE'],
      ])
      return {
        paths: paths.join(' '),
        message: present(wrong.error?.issues?.[0], 'an issue').message,
      }
    },
  },
  {
    name: 'http: reads have an ETag, changes honour it',
    async run(stage) {
      const id = String(
        (await answer(await post(stage, { name: 'Tagged', recipe: RECIPE }))).data?.['id'],
      )
      const headers = { authorization: `Bearer ${stage.key}`, ...JSON_TYPE }
      const first = await stage.send(`/api/v1/tasks/${id}`, { headers })
      const etag = present(first.headers.get('etag'), 'ETag')
      const { length } = new TextEncoder().encode(await first.text())
      const head = await stage.send(`/api/v1/tasks/${id}`, { method: 'HEAD', headers })
      equal(
        [
          head.status,
          head.headers.get('etag'),
          Number(head.headers.get('content-length')),
          await head.text(),
        ],
        [200, etag, length, ''],
      )
      const again = await stage.send(`/api/v1/tasks/${id}`, {
        headers: { ...headers, 'if-none-match': etag },
      })
      equal([again.status, await again.text()], [304, ''])
      const change = (body: object, tag: string) =>
        stage.send(`/api/v1/tasks/${id}`, {
          method: 'PATCH',
          headers: { ...headers, 'if-match': tag },
          body: JSON.stringify(body),
        })
      equal((await change({ name: 'Renamed' }, etag)).status, 200)
      const stale = await change({ name: 'Lost' }, etag)
      equal([stale.status, (await answer(stale)).error?.code], [412, 'PRECONDITION_FAILED'])
      equal((await stage.client.tasks.get(id)).name, 'Renamed')
    },
  },
  {
    name: 'http: a repeated write has its effect once and gives the first answer',
    async run(stage) {
      const key = { 'idempotency-key': crypto.randomUUID() }
      const body = { name: `Once ${key['idempotency-key']}`, recipe: RECIPE }
      const [one, two] = [await post(stage, body, key), await post(stage, body, key)]
      equal(
        [
          one.status,
          two.status,
          one.headers.get('idempotency-replayed'),
          two.headers.get('idempotency-replayed'),
        ],
        [201, 201, null, 'true'],
      )
      equal(await two.text(), await one.text())
      const other = await post(stage, { ...body, name: 'Other' }, key)
      equal(other.status, 422)
      equal((await stage.client.tasks.list({ q: key['idempotency-key'] })).items.length, 1)
    },
  },
  {
    name: 'http: calls beyond the rate are 429 and say when to come back',
    async run(stage) {
      const headers = { authorization: `Bearer ${await tokenFor('hasty')}` }
      const seen: number[] = []
      let last: Response | null = null
      for (let i = 0; i <= ANALYTICS_CALLS; i++) {
        last = await stage.send('/api/v1/analytics/usage/summary', { headers })
        seen.push(last.status)
        if (i < ANALYTICS_CALLS)
          equal(
            [last.headers.get('x-ratelimit-limit'), last.headers.get('x-ratelimit-remaining')],
            [String(ANALYTICS_CALLS), String(ANALYTICS_CALLS - 1 - i)],
          )
      }
      const blocked = present(last, 'an answer')
      equal(seen, [...Array.from({ length: ANALYTICS_CALLS }, () => 200), 429])
      equal((await answer(blocked)).error, {
        code: 'RATE_LIMIT_EXCEEDED',
        message: 'Too many requests',
      })
      like(blocked.headers.get('retry-after'), /^\d+$/, 'Retry-After')
      that(
        Number(blocked.headers.get('x-ratelimit-reset')) * 1_000 > Date.now() - 1_000,
        'X-RateLimit-Reset lies ahead',
      )
    },
  },
  {
    name: 'http: lists come in pages, and a tampered cursor is refused',
    async run(stage) {
      const label = `l${crypto.randomUUID().slice(0, 8)}`
      for (let i = 0; i < 3; i++)
        await stage.client.tasks.create({ name: `Page ${i}`, recipe: RECIPE, labels: [label] })
      const first = await stage.client.tasks.list({ label, limit: 2 })
      const rest = await stage.client.tasks.list({
        label,
        limit: 2,
        cursor: present(first.nextCursor, 'a cursor'),
      })
      equal(
        [first.items.length, rest.items.map(({ name }) => name), rest.nextCursor],
        [2, ['Page 0'], null],
      )
      const tampered = await stage.send(
        `/api/v1/tasks?cursor=${first.nextCursor?.slice(0, -2)}xx`,
        { headers: { 'x-api-key': stage.key } },
      )
      equal(tampered.status, 400)
    },
  },
  {
    name: 'http: the API is described, with a page to read it',
    async run(stage) {
      const description = await stage.send('/api/v1/openapi.json')
      const { openapi, paths }: { openapi: string; paths: object } = JSON.parse(
        await description.text(),
      )
      const page = await stage.send('/docs')
      like(await page.text(), /<!doctype html>/i, '/docs')
      return { openapi: `${openapi}, ${Object.keys(paths).length} paths` }
    },
  },
]
