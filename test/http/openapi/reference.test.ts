import { gunzipSync } from 'node:zlib'
import * as v from 'valibot'
import { expect, it } from 'vitest'
import { createHttp } from '../../../src/http/handler.ts'
import { createDocuments } from '../../../src/http/openapi/documents.ts'
import { DEFAULT_INFO, referenceRoutes } from '../../../src/http/openapi/routes.ts'
import { createIds } from '../../../src/kernel/id.ts'
import { defineRoute } from '../../../src/kernel/http/route.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { seededRandom } from '../../support/fakes/seeded-random.ts'
import { createServiceHost } from '../../support/worlds/service-host.ts'

const host = await createServiceHost()
const read = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  host.send(method, path, { key: null, headers })
const silent = { debug() {}, info() {}, warn() {}, error() {} }

it('anybody can read the description, which is the same each time and may be cached', async () => {
  const [first, second] = [await read('/api/v1/openapi.json'), await read('/api/v1/openapi.json')]
  expect(first.status).toBe(200)
  expect(first.headers.get('content-type')).toBe('application/json')
  expect(first.headers.get('cache-control')).toBe('public, max-age=300')
  expect(second.headers.get('etag')).toBe(first.headers.get('etag'))
  expect(await second.text()).toBe(await first.text())
})

it('the description is made once, however often it and the page are requested', async () => {
  let builds = 0
  const example = async () => {
    builds++
    return { data: {} }
  }
  const row = defineRoute({
    method: 'GET',
    path: '/api/v1/x',
    operation: 'x.read',
    summary: 'Reads',
    scope: null,
    limit: null,
    data: async () => v.strictObject({}),
    example,
    handler: async () => ({}),
  })
  const clock = createFakeClock()
  const http = createHttp({
    routes: referenceRoutes([row], DEFAULT_INFO),
    authenticators: [],
    limiter: null,
    logger: silent,
    ids: createIds({ now: () => clock.now(), random: seededRandom(1) }),
    clock,
  })
  for (let i = 0; i < 3; i++)
    for (const path of ['/api/v1/openapi.json', '/docs'])
      expect((await http(new Request(`http://host.test${path}`))).status).toBe(200)
  expect(builds).toBe(1)
})

it('each document is made once and compressed once, however often it is requested', async () => {
  const documents = createDocuments([], DEFAULT_INFO)
  for (const make of [documents.json, documents.page]) {
    const document = await make()
    expect(await make()).toBe(document)
    for (const accepts of ['gzip', null]) {
      const form = await document.as(accepts)
      expect(form.coding).toBe(accepts ?? 'identity')
      expect(await document.as(accepts)).toBe(form)
    }
  }
})

it.each(['/api/v1/openapi.json', '/docs'])(
  '%s is answered 304 if the client has it already',
  async (path) => {
    const etag = (await read(path)).headers.get('etag') ?? ''
    const again = await read(path, { 'if-none-match': `W/${etag}` })
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag])
    expect((await read(path, { 'if-none-match': '"other"' })).status).toBe(200)
    const head = await read(path, {}, 'HEAD')
    expect([head.status, await head.text(), head.headers.get('etag')]).toEqual([200, '', etag])
  },
)

it.each(['/api/v1/openapi.json', '/docs'])(
  '%s is sent as gzip where that is accepted, and a cache keeps both forms apart',
  async (path) => {
    const [plain, packed] = [await read(path), await read(path, { 'accept-encoding': 'gzip, br' })]
    expect(plain.headers.get('content-encoding')).toBe(null)
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    for (const { headers } of [plain, packed]) expect(headers.get('vary')).toBe('Accept-Encoding')
    const [text, bytes] = [await plain.text(), new Uint8Array(await packed.arrayBuffer())]
    expect(gunzipSync(bytes).toString()).toBe(text)
    expect(bytes.length).toBeLessThan(text.length / 4)
    const [etag, own] = [plain, packed].map(({ headers }) => headers.get('etag') ?? '')
    expect(own).not.toBe(etag)
    const held = { 'accept-encoding': 'gzip', 'if-none-match': own ?? '' }
    expect((await read(path, held)).status).toBe(304)
    expect((await read(path, { ...held, 'if-none-match': etag ?? '' })).status).toBe(200)
    expect((await read(path, { 'accept-encoding': 'identity;q=0, br' })).status).toBe(406)
  },
)

it('the page may run only its own script, and can send no requests', async () => {
  const page = await read('/docs')
  const [text, policy] = [await page.text(), page.headers.get('content-security-policy') ?? '']
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toMatch(/unsafe|\*|https?:|connect-src/)
  for (const tag of ['style', 'script']) {
    const inline = new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(text)?.[1] ?? ''
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(inline))
    expect(policy).toContain(`${tag}-src 'sha256-${Buffer.from(digest).toString('base64')}'`)
  }
  expect(text.match(/<(script|style|link|img|iframe)[^>]*(src|href)="(?!data:)[^"]*"/g)).toBeNull()
  expect(text).not.toMatch(/ style="| on\w+="/)
})

it('the page has every operation and every schema, and each link leads to one of them', async () => {
  const text = await (await read('/docs')).text()
  for (const { operation } of [...host.routes, ...host.reference])
    expect(text).toContain(`<article class="operation" id="${operation}"`)
  const ids = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
  const links = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id)
  expect(links.length).toBeGreaterThan(50)
  expect(links.filter((id) => !ids.has(id))).toEqual([])
})

it('the search of the page knows the description and the parameters of an operation', async () => {
  const { paths }: { paths: Record<string, Record<string, { description: string }>> } = await (
    await read('/api/v1/openapi.json')
  ).json()
  const { description = '' } = paths['/api/v1/executions/{id}/pages']?.['get'] ?? {}
  const text = await (await read('/docs')).text()
  const [, searched = ''] = /id="executions.pages" data-search="([^"]*)"/.exec(text) ?? []
  // Of its words, those that HTML writes as they are.
  const words = description.toLowerCase().match(/[a-z]{4,}/g) ?? []
  expect(words.length).toBeGreaterThan(3)
  for (const word of ['outcome', 'host', ...words]) expect(searched).toContain(word)
})
