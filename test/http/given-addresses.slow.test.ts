import { describe, expect, test } from 'vitest'
import { toWebHandler } from '../../adapters/common/serve/web-handler.ts'
import type { RecipeInput } from '../../src/engine/recipe/recipe-input.ts'
import { createMcpHandler } from '../../src/mcp/handler.ts'
import { callOf, keyOf, post } from '../mcp/mcp-world.ts'
import { pngOf } from '../support/fakes/image-bytes.ts'
import { OWNER, createWorld } from '../support/worlds/world.ts'
import type { World } from '../support/worlds/world.ts'

type Mount = NonNullable<NonNullable<Parameters<typeof createWorld>[1]>['mount']>
type Ask = (request: Request) => Promise<Response>

const SITE = 'https://shop.example.com'
const PAGES = {
  [`${SITE}/`]: '<h1>Pen</h1><img src=/pen.png>',
  [`${SITE}/pen.png`]: { headers: { 'content-type': 'image/png' }, body: pngOf(64, 48) },
}
const RECIPE: RecipeInput = {
  start: { urls: [`${SITE}/`] },
  extract: { fields: { name: 'h1', image: { css: 'img', as: 'media' } } },
}

/** Runs the recipe like an agent. */
async function run(world: World): Promise<string> {
  const { id } = await world.platform.api.executions.run(OWNER, { recipe: RECIPE })
  await world.work()
  return id
}

/** A world with an execution that has a media item in its row. */
async function shopWorld(mount: Mount = {}) {
  const world = createWorld(PAGES, { mount })
  return { world, execution: await run(world), key: await keyOf(world, ['*']) }
}

/** The base of every link in a text. */
function basesIn(text: string): string[] {
  const links = text.match(/https?:[^"\\ ]+?(?=\/api\/v1\/|\/media\/[\w-]{22}\/)/g) ?? []
  return [...new Set(links)]
}

/** The answers of a platform that callers reach at `root`, by the way of the call. */
async function answersAt(
  { world, execution, key }: Awaited<ReturnType<typeof shopWorld>>,
  ask: Ask,
  root: string,
): Promise<Readonly<Record<string, string>>> {
  const headers = { 'x-api-key': key }
  const read = async (path: string) => (await ask(new Request(root + path, { headers }))).text()
  const get = { runId: execution }
  const call = (accept: string) =>
    ask(
      new Request(`${root}/api/v1/mcp/agentic-executions`, {
        method: 'POST',
        headers: { ...headers, accept, 'content-type': 'application/json' },
        body: JSON.stringify({ tool: 'get_run', arguments: get }),
      }),
    )
  const rows = await read(`/api/v1/executions/${execution}/results`)
  const media = /med_[\da-f]{64}/.exec(rows)?.[0] ?? expect.fail(rows)
  const called = await (await call('application/json')).text()
  const id = /agx_\w+/.exec(called)?.[0] ?? expect.fail(called)
  return {
    rows,
    file: await read(`/api/v1/executions/${execution}/results/export?format=jsonl`),
    media: await read(`/api/v1/media/${media}`),
    called,
    calledBefore: await read(`/api/v1/mcp/agentic-executions/${id}`),
    streamed: await world.clock.runUntil((await call('text/event-stream')).text()),
    mcp: await (await ask(post(callOf('get_run', get), headers, `${root}/mcp`))).text(),
  }
}

const everywhere = (base: string) => ({
  rows: [base],
  file: [base],
  media: [base],
  called: [base],
  calledBefore: [base],
  streamed: [base],
  mcp: [base],
})
const bases = (answers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(answers).map(([way, text]) => [way, basesIn(text)]))

describe('every link begins at the address where the service is reached', () => {
  test.for<readonly [what: string, mount: Mount, root: string, base: string]>([
    ['the request', {}, 'http://data.test:8080', 'http://data.test:8080'],
    ['below a path', { basePath: '/d' }, 'http://data.test/d', 'http://data.test/d'],
    ['a path that is stripped', { basePath: '/d' }, 'http://data.test', 'http://data.test/d'],
    ['publicUrl', { publicUrl: 'https://p.test/x/' }, 'http://10.0.0.9', 'https://p.test/x'],
  ])('%s', async ([, mount, root, base]) => {
    const shop = await shopWorld(mount)
    expect(bases(await answersAt(shop, shop.world.platform.fetch, root))).toEqual(everywhere(base))
  })

  test('which a trusted proxy may name, and nobody else', async () => {
    const shop = await shopWorld()
    const handle = toWebHandler(shop.world.platform.fetch, { trustProxy: ['10.0.0.1'] })
    const from =
      (peer: string): Ask =>
      (request) => {
        const proxied = new Request(request)
        proxied.headers.set('x-forwarded-proto', 'https')
        proxied.headers.set('x-forwarded-host', 'p.test')
        proxied.headers.set('x-forwarded-prefix', '/x')
        return handle(proxied, peer)
      }
    const root = 'http://inside.test:3000'
    expect(bases(await answersAt(shop, from('10.0.0.1'), root))).toEqual(
      everywhere('https://p.test/x'),
    )
    expect(bases(await answersAt(shop, from('10.0.0.2'), root))).toEqual(everywhere(root))
  })

  test('but for services in process, which know only the public URL', async () => {
    const links = async (mount: Mount) => {
      const { world, execution } = await shopWorld(mount)
      const { api } = world.platform
      return JSON.stringify([
        await api.results.list(OWNER, execution),
        await api.agentic.call(OWNER, { tool: 'get_run', arguments: { runId: execution } }),
      ])
    }
    expect(basesIn(await links({ publicUrl: 'https://p.test' }))).toEqual(['https://p.test'])
    expect(basesIn(await links({}))).toEqual([])
  })

  test('but for links to media, if media.baseUrl is set', async () => {
    const world = createWorld(PAGES, {
      media: { baseUrl: 'https://cdn.test' },
      mount: { publicUrl: 'https://p.test' },
    })
    const execution = await run(world)
    const answer = await world.platform.api.agentic.call(OWNER, {
      tool: 'get_run',
      arguments: { runId: execution },
    })
    expect(basesIn(JSON.stringify(answer)).toSorted()).toEqual([
      'https://cdn.test',
      'https://p.test',
    ])
  })
})

describe('a separate MCP endpoint', () => {
  const INSIDE = 'http://10.0.0.9:3000'
  const linksOf = async (mount: Mount, publicUrl?: string): Promise<string[]> => {
    const { world, execution, key } = await shopWorld(mount)
    const mcp = createMcpHandler({
      baseUrl: INSIDE,
      fetch: (request) => world.platform.fetch(request),
      ...(publicUrl !== undefined && { publicUrl }),
    })
    const request = post(callOf('get_run', { runId: execution }), { 'x-api-key': key })
    const text = await world.clock.runUntil((await mcp(request)).text())
    expect(text).toContain('Pen')
    return basesIn(text)
  }

  test.for<readonly [what: string, mount: Mount, own: string | undefined, base: string]>([
    ['the public URL of the service', { publicUrl: 'https://p.test' }, undefined, 'https://p.test'],
    ['its own, where the service has none', {}, 'https://p.test/x/', 'https://p.test/x'],
    ['neither', {}, undefined, INSIDE],
  ])('gives links of %s', async ([, mount, own, base]) => {
    expect(await linksOf(mount, own)).toEqual([base])
  })
})

describe('the address of the MCP endpoint', () => {
  const servers = { authorizationServers: ['https://auth.test'] }
  const addressesOf = async (world: World, url: string) => {
    const knock = await world.platform.fetch(post({}, {}, url))
    const challenge = /resource_metadata="([^"]+)"/.exec(
      knock.headers.get('www-authenticate') ?? '',
    )
    const metadata = challenge?.[1] ?? expect.fail('no metadata')
    // A proxy that passes the path on.
    const passed = new URL(new URL(metadata).pathname, url)
    const body: { resource: string } = await (
      await world.platform.fetch(new Request(passed))
    ).json()
    return [metadata, body.resource]
  }

  test.for<readonly [mount: Mount, url: string, resource: string]>([
    [{ mcp: servers }, 'http://data.test/mcp', 'http://data.test/mcp'],
    [{ mcp: servers, basePath: '/d' }, 'http://data.test/d/mcp', 'http://data.test/d/mcp'],
    [{ mcp: servers, publicUrl: 'https://p.test/x' }, 'http://in.test/mcp', 'https://p.test/x/mcp'],
    [
      { mcp: { ...servers, resource: 'https://m.test/mcp' }, publicUrl: 'https://p.test' },
      'http://in.test/mcp',
      'https://m.test/mcp',
    ],
  ])('%j', async ([mount, url, resource]) => {
    const { origin, pathname } = new URL(resource)
    expect(await addressesOf(createWorld({}, { mount }), url)).toEqual([
      `${origin}/.well-known/oauth-protected-resource${pathname}`,
      resource,
    ])
  })
})

test.for<readonly [mount: Mount, url: string]>([
  [{}, '../..'],
  [{ publicUrl: 'https://p.test/x/' }, 'https://p.test/x'],
])('the API description of %j names %s', async ([mount, url]) => {
  const { platform } = createWorld({}, { mount })
  const answer = await platform.fetch(new Request('http://in.test/api/v1/openapi.json'))
  expect(await answer.json()).toMatchObject({ servers: [{ url }] })
})

test.for(['data.example.com', 'ftp://x', 'https://x/?a=1', 'https://x/#a'])(
  'publicUrl: %s is refused',
  (publicUrl) => {
    expect(() => createWorld({}, { mount: { publicUrl } })).toThrow('publicUrl must be a URL')
  },
)
