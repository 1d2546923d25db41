import { gunzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { createConsole, createSignInCodes } from '../../src/console.ts'
import type { ConsoleOptions } from '../../src/console.ts'
import { systemClock } from '../../src/defaults/system-clock.ts'
import { createPlatform } from '../../src/platform/platform.ts'
import type { Platform, PlatformOptions } from '../../src/platform/options.ts'
import { createServiceHost } from '../support/worlds/service-host.ts'

// Proves that the console is one page and its files at `/console` of the platform, that it runs no
// script of others, and that it is absent unless a host turns it on.
const logger = { debug() {}, info() {}, warn() {}, error() {} }
const open: Platform[] = []
const platformWith = (options: PlatformOptions): Platform => {
  const platform = createPlatform({ logger, ...options })
  open.push(platform)
  return platform
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((platform) => platform.close()))
})
const ask = (platform: Platform, path: string, init?: RequestInit) =>
  platform.fetch(new Request(`https://data.example${path}`, init))

test('the console is off unless a host turns it on', async () => {
  const platform = platformWith({})
  const response = await ask(platform, '/console')
  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({ error: { code: 'NOT_FOUND' } })
})

describe('the page', () => {
  test('is the same for each screen, and may load its own files only', async () => {
    const platform = platformWith({
      console: { title: 'Data & more', signIn: 'https://a.example/in' },
    })
    const response = await ask(platform, '/console')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-cache')
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(policy).not.toContain('unsafe')
    const page = await response.text()
    expect(page).toContain('<title>Data &amp; more</title>')
    // The imports of the script are requested with the page, not one step later.
    expect(page).toMatch(
      /<link rel="modulepreload" href="\/console\/main-.*<link rel="modulepreload" href="\/console\/chunk-/s,
    )
    expect(page).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=|style=/)
    const facts = /name="seine-console" content="([^"]*)"/.exec(page)?.[1] ?? ''
    expect(JSON.parse(facts.replaceAll('&quot;', '"').replaceAll('&amp;', '&'))).toEqual({
      base: '/console',
      api: '',
      title: 'Data & more',
      script: expect.stringMatching(/^main-\w+\.js$/),
      signIn: 'https://a.example/in',
    })
    for (const path of ['/console/', '/console/runs/exec_1?tab=rows'])
      expect(await (await ask(platform, path)).text()).toBe(page)
  })

  test('has addresses below the mount path, and below the prefix that a trusted proxy removed', async () => {
    const mounted = platformWith({ console: true, basePath: '/data' })
    expect(await (await ask(mounted, '/data/console')).text()).toContain(
      'src="/data/console/plain/boot-',
    )
    expect((await ask(mounted, '/console')).status).toBe(404)
    const behind = platformWith({ console: true })
    const context = { forwarded: { prefix: '/apps/seine' } }
    const request = new Request('https://data.example/console')
    expect(await (await behind.fetch(request, context)).text()).toContain(
      'src="/apps/seine/console/plain/boot-',
    )
  })

  test('is at another path if the host says so, and knows where the API is', async () => {
    for (const chosen of [{ path: '/admin' }, createConsole({ path: '/admin' })]) {
      const platform = platformWith({ console: chosen, basePath: '/data' })
      const page = await (await ask(platform, '/data/admin/tasks')).text()
      expect(page).toContain('src="/data/admin/plain/boot-')
      expect(page).toContain(
        '&quot;base&quot;:&quot;/data/admin&quot;,&quot;api&quot;:&quot;/data&quot;',
      )
      expect((await ask(platform, '/data/console')).status).toBe(404)
    }
    // The console would hide the path of a route that begins like its own.
    const host = await createServiceHost()
    const own = [...host.routes, ...host.reference].map(({ path }) => `/${path.split('/')[1]}`)
    expect(own).toContain('/api')
    for (const path of ['/', '', 'admin', '/a/b', '/a?b', '/mcp', ...new Set(own)]) {
      expect(() => platformWith({ console: { path } }), path).toThrow('a path such as /console')
      expect(() => createConsole({ path }), path).toThrow('a path such as /console')
    }
  })

  test('is the target of a redirect from the root, if the host says so', async () => {
    const home = await ask(platformWith({ console: { home: true } }), '/')
    expect([home.status, home.headers.get('location')]).toEqual([302, '/console'])
    expect((await ask(platformWith({ console: true }), '/')).status).toBe(404)
    const mounted = platformWith({ console: createConsole({ home: true }), basePath: '/data' })
    for (const path of ['/data', '/data/']) {
      const response = await ask(mounted, path)
      expect([response.status, response.headers.get('location')]).toEqual([302, '/data/console'])
    }
  })

  test('answers 405 to other methods', async () => {
    const platform = platformWith({ console: true })
    const response = await ask(platform, '/console', { method: 'POST' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    const head = await ask(platform, '/console', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })
})

describe('the files of the console', () => {
  const scriptOf = async (platform: Platform): Promise<string> =>
    /"modulepreload" href="([^"]+)"/.exec(await (await ask(platform, '/console')).text())?.[1] ?? ''

  test('are compressed if the browser accepts it, and cached for ever; an unknown name is 404', async () => {
    const platform = platformWith({ console: true })
    const path = await scriptOf(platform)
    const packed = await ask(platform, path, { headers: { 'accept-encoding': 'gzip, br' } })
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    expect(packed.headers.get('cache-control')).toContain('max-age=31536000, immutable')
    expect(packed.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    const plain = await ask(platform, path)
    expect(plain.headers.get('content-encoding')).toBeNull()
    const script = await plain.text()
    expect(gunzipSync(await packed.arrayBuffer()).toString() === script).toBe(true)
    expect(/\beval\(|new Function\(/.test(script)).toBe(false)
    const old = await ask(platform, '/console/main-00000000.js')
    expect([old.status, old.headers.get('cache-control')]).toEqual([404, 'no-store'])
  })

  test('have a tag, by which who has a file is not sent it again', async () => {
    const platform = platformWith({ console: true })
    const path = await scriptOf(platform)
    const tagOf = async (encoding: string) => {
      const headers = { 'accept-encoding': encoding }
      const etag = (await ask(platform, path, { headers })).headers.get('etag') ?? ''
      const again = await ask(platform, path, { headers: { ...headers, 'if-none-match': etag } })
      expect([again.status, again.headers.get('etag'), again.body]).toEqual([304, etag, null])
      return etag
    }
    const [packed, plain] = [await tagOf('gzip'), await tagOf('identity')]
    expect(packed).toMatch(/^"main-\w+\.js\.gz"$/)
    expect(plain).not.toBe(packed)
    const other = await ask(platform, path, { headers: { 'if-none-match': packed } })
    expect([other.status, other.headers.get('content-encoding')]).toEqual([200, null])
  })

  test('are there uncompressed, too, for whom a proxy drops `Content-Encoding`', async () => {
    const platform = platformWith({ console: true })
    const path = await scriptOf(platform)
    const packed = await ask(platform, path, { headers: { 'accept-encoding': 'gzip' } })
    // A proxy that keeps the header is asked not to change it.
    expect(packed.headers.get('cache-control')).toContain('no-transform')
    const plain = await ask(platform, path.replace('/console/', '/console/plain/'), {
      headers: { 'accept-encoding': 'gzip' },
    })
    expect([plain.status, plain.headers.get('content-encoding')]).toEqual([200, null])
    expect(await plain.text()).toBe(gunzipSync(await packed.arrayBuffer()).toString())
    expect((await ask(platform, '/console/plain/main-00000000.js')).status).toBe(404)
  })
})

test('the console can be mounted apart; there it answers to its own paths alone', async () => {
  const { handlers } = platformWith({ console: { home: true }, basePath: '/data' })
  const get = (path: string) => handlers.console(new Request(`https://data.example${path}`))
  expect(await (await get('/data/console/runs')).text()).toContain('src="/data/console/plain/boot-')
  expect((await get('/data')).headers.get('location')).toBe('/data/console')
  expect((await get('/data/api/v1/tasks')).status).toBe(404)
  const off = platformWith({}).handlers.console
  expect((await off(new Request('https://data.example/console'))).status).toBe(404)
})

describe('a sign-in link', () => {
  const session = (platform: Platform, code: string) =>
    ask(platform, '/console/session', { method: 'POST', body: code })

  test('works once', async () => {
    const codes = createSignInCodes()
    const platform = platformWith({ console: { exchange: async (code) => codes.take(code) } })
    const code = codes.issue('svc_sk_1')
    const good = await session(platform, code)
    expect([good.status, await good.text()]).toEqual([200, 'svc_sk_1'])
    expect(good.headers.get('cache-control')).toBe('no-store')
    expect((await session(platform, code)).status).toBe(403)
    expect((await session(platform, 'x'.repeat(10_000))).status).toBe(403)
    expect((await session(platform, '')).status).toBe(403)
  })

  test('works for ten minutes', () => {
    let now = 0
    const codes = createSignInCodes({ clock: { ...systemClock, now: () => now } })
    const [early, late] = [codes.issue('a'), codes.issue('b')]
    now = 599_999
    expect(codes.take(early)).toBe('a')
    now = 600_000
    expect(codes.take(late)).toBeNull()
  })

  test('is absent if the host exchanges none', async () => {
    expect((await session(platformWith({ console: true }), 'a')).status).toBe(405)
  })
})

test('a misspelt option is refused with its path', () => {
  const options: ConsoleOptions = JSON.parse('{"titel":"Data"}')
  expect(() => createConsole(options)).toThrow('title')
  expect(() => createPlatform({ logger, console: options })).toThrow('console.titel')
})
