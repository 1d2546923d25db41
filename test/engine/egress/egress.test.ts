import { describe, expect, test } from 'vitest'
import { createEgress } from '../../../src/engine/egress/egress.ts'
import { USER_AGENT, EgressError } from '../../../src/engine/egress/types.ts'
import type { EgressHop, EgressRequest, RedirectTarget } from '../../../src/engine/egress/types.ts'
import { FetchFailure } from '../../../src/kernel/failures.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createFakeFetcher, never } from '../../support/fakes/fake-fetcher.ts'
import type { FakeAnswer, FakeFetcherOptions } from '../../support/fakes/fake-fetcher.ts'

function setUp(options: FakeFetcherOptions & { allowPrivateNetwork?: boolean } = {}) {
  const clock = createFakeClock()
  const fetcher = createFakeFetcher(options)
  const { allowPrivateNetwork = false } = options
  const egress = createEgress({ fetcher, clock, allowPrivateNetwork })
  return {
    clock,
    fetcher,
    get: (url: string, more: Partial<EgressRequest> = {}) =>
      egress({ url, purpose: 'page', ...more }),
  }
}

/** Answers each URL from a table; others are empty pages. */
const site = (pages: Readonly<Record<string, FakeAnswer>>): FakeFetcherOptions => ({
  answer: ({ url }) => pages[url.href] ?? {},
})
const to = (location: string, status = 302): FakeAnswer => ({ status, headers: { location } })

describe('a request', () => {
  test('has the default headers of its purpose, and its answer is unchanged', async () => {
    const { fetcher, get } = setUp(
      site({ 'https://a.com/x': { status: 404, headers: { etag: '"1"' }, body: 'none' } }),
    )
    const response = await get('https://a.com/x#part')
    expect(response).toEqual({
      url: 'https://a.com/x',
      status: 404,
      headers: { etag: '"1"' },
      body: new TextEncoder().encode('none'),
      truncated: false,
      redirects: [],
      durationMs: 0,
    })
    expect(fetcher.sent[0]?.headers).toEqual({
      'user-agent': USER_AGENT,
      accept: expect.stringContaining('text/html'),
      'accept-language': expect.any(String),
    })
    expect(fetcher.sent[0]?.addresses).toEqual(['93.184.216.34'])
  })

  test('may set headers of its own, but none of the connection', async () => {
    const { fetcher, get } = setUp()
    await get('https://a.com/', {
      headers: {
        'User-Agent': 'Mine',
        'X-Token': 't',
        Host: 'internal',
        Connection: 'close',
        'Transfer-Encoding': 'chunked',
        'Accept-Encoding': 'x',
      },
    })
    expect(fetcher.sent[0]?.headers).toMatchObject({ 'user-agent': 'Mine', 'x-token': 't' })
    for (const name of ['host', 'connection', 'transfer-encoding', 'accept-encoding', 'Host'])
      expect(fetcher.sent[0]?.headers).not.toHaveProperty(name)
  })

  test.for([{ 'bad name': 'x' }, { '': 'x' }, { x: 'a\r\nb: c' }, { x: 'a\0' }, { x: '\u2713' }])(
    'with the header %j is not sent',
    async (headers) => {
      const { fetcher, get } = setUp()
      await expect(get('https://a.com/', { headers })).rejects.toMatchObject({ reason: 'protocol' })
      expect(fetcher.sent).toEqual([])
    },
  )

  test('gets the checked addresses in their order, and none if its host is an IP literal', async () => {
    const { fetcher, get } = setUp({ dns: { 'a.com': [['1.1.1.1', '2606:4700::1']] } })
    await get('http://a.com/')
    await get('http://1.1.1.1/')
    await get('http://[2606:4700::1]/')
    expect(fetcher.sent.map(({ addresses }) => addresses)).toEqual([
      ['1.1.1.1', '2606:4700::1'],
      null,
      null,
    ])
    expect(fetcher.resolved).toEqual(['a.com'])
  })

  test('for a name without addresses fails', async () => {
    await expect(setUp({ dns: { 'a.com': [[]] } }).get('http://a.com/')).rejects.toMatchObject({
      reason: 'dns',
    })
  })
})

describe('trustedOrigin', () => {
  const trustedOrigin = 'http://10.0.0.7:8080'

  test('exempts one origin, by address and by name', async () => {
    const { fetcher, get } = setUp({ dns: { 'auth.internal': [['10.0.0.7']] } })
    await get('http://10.0.0.7:8080/keys', { trustedOrigin })
    await get('http://auth.internal/keys', { trustedOrigin: 'http://auth.internal' })
    expect(fetcher.sent.map(({ url, addresses }) => [url.href, addresses])).toEqual([
      ['http://10.0.0.7:8080/keys', null],
      ['http://auth.internal/keys', ['10.0.0.7']],
    ])
  })

  test.for([
    'http://10.0.0.7/',
    'http://10.0.0.7:8081/',
    'https://10.0.0.7:8080/',
    'http://10.0.0.8:8080/',
    'http://10.0.0.7.nip.test:8080/',
  ])('exempts no other: %s', async (url) => {
    const { fetcher, get } = setUp()
    await expect(get(url, { trustedOrigin })).rejects.toMatchObject({ reason: 'refused' })
    expect(fetcher.sent).toEqual([])
  })

  test('exempts no redirect to another, and none later without it', async () => {
    const { fetcher, get } = setUp(
      site({ 'http://10.0.0.7:8080/keys': to('http://10.0.0.8/keys') }),
    )
    await expect(get('http://10.0.0.7:8080/keys', { trustedOrigin })).rejects.toMatchObject({
      reason: 'refused',
    })
    await expect(get('http://10.0.0.7:8080/keys')).rejects.toMatchObject({ reason: 'refused' })
    expect(fetcher.sent).toHaveLength(1)
  })

  test('does not change the rules for schemes and credentials', async () => {
    const { get } = setUp()
    await expect(get('http://user:pass@10.0.0.7:8080/', { trustedOrigin })).rejects.toMatchObject({
      reason: 'invalid_url',
    })
    await expect(get('file:///etc/passwd', { trustedOrigin: 'null' })).rejects.toMatchObject({
      reason: 'invalid_url',
    })
  })
})

describe('allowPrivateNetwork', () => {
  test.for([
    'http://127.0.0.1:8080/',
    'http://[::1]/',
    'http://localhost:6379/',
    'http://printer.local/',
    'http://a_b/',
  ])('allows %s', async (url) => {
    const { get } = setUp({ allowPrivateNetwork: true, dns: { localhost: [['127.0.0.1']] } })
    expect((await get(url)).status).toBe(200)
  })

  test.for([
    'ftp://127.0.0.1/',
    'file:///etc/passwd',
    'http://u:p@localhost/',
    'http://u@localhost/',
    'http://',
    'x',
  ])('still refuses %s', async (url) => {
    const { fetcher, get } = setUp({ allowPrivateNetwork: true })
    await expect(get(url)).rejects.toMatchObject({ reason: 'invalid_url' })
    expect(fetcher.sent).toEqual([])
  })
})

describe('redirects', () => {
  test('are followed, and the name is checked anew each time', async () => {
    const { fetcher, get } = setUp(
      site({
        'http://a.com/1': to('2'),
        'http://a.com/2': to('//b.com/3', 301),
        'http://b.com/3': { body: 'end' },
      }),
    )
    const response = await get('http://a.com/1#start')
    expect(response).toMatchObject({
      url: 'http://b.com/3',
      redirects: ['http://a.com/1', 'http://a.com/2'],
      status: 200,
    })
    expect(fetcher.resolved).toEqual(['a.com', 'a.com', 'b.com'])
  })

  test('are told one by one, also where the next one is refused', async () => {
    const { get } = setUp(
      site({ 'http://a.com/1': to('/2', 301), 'http://a.com/2': to('http://10.0.0.1/') }),
    )
    const hops: EgressHop[] = []
    await expect(get('http://a.com/1', { onHop: (hop) => hops.push(hop) })).rejects.toMatchObject({
      reason: 'refused',
    })
    await get('http://93.184.216.34/', { onHop: (hop) => hops.push(hop) })
    expect(hops).toEqual([
      { url: 'http://a.com/1', status: 301, headers: { location: '/2' }, leadsOn: true, dnsMs: 0 },
      {
        url: 'http://a.com/2',
        status: 302,
        headers: { location: 'http://10.0.0.1/' },
        leadsOn: true,
        dnsMs: 0,
      },
      { url: 'http://93.184.216.34/', status: 200, headers: {}, leadsOn: false },
    ])
  })

  test('are refused if the name resolves to a private address the second time', async () => {
    const { fetcher, get } = setUp({
      ...site({ 'http://a.com/1': to('/2') }),
      dns: { 'a.com': [['1.1.1.1'], ['127.0.0.1']] },
    })
    await expect(get('http://a.com/1')).rejects.toMatchObject({ reason: 'refused' })
    expect(fetcher.sent).toHaveLength(1)
  })

  test('are refused if one address of the name is private, although others are public', async () => {
    const { fetcher, get } = setUp({ dns: { 'a.com': [['1.1.1.1', '10.0.0.1']] } })
    await expect(get('http://a.com/')).rejects.toMatchObject({ reason: 'refused' })
    expect(fetcher.sent).toEqual([])
  })

  test.for([
    [301, 'GET'],
    [302, 'GET'],
    [303, 'GET'],
    [307, 'POST'],
    [308, 'POST'],
  ] as const)('by %i turn a POST into a %s', async ([status, method]) => {
    const { fetcher, get } = setUp(site({ 'http://a.com/1': to('/2', status) }))
    const body = new Uint8Array([1])
    await get('http://a.com/1', { method: 'POST', body, headers: { 'content-type': 'x/y' } })
    expect(fetcher.sent[1]?.method).toBe(method)
    expect(fetcher.sent[1]?.body).toEqual(method === 'POST' ? body : undefined)
    expect(fetcher.sent[1]?.headers['content-type']).toBe(method === 'POST' ? 'x/y' : undefined)
  })

  test('by 303 leave a HEAD a HEAD', async () => {
    const { fetcher, get } = setUp(site({ 'http://a.com/1': to('/2', 303) }))
    await get('http://a.com/1', { method: 'HEAD' })
    expect(fetcher.sent.map(({ method }) => method)).toEqual(['HEAD', 'HEAD'])
  })

  test('send the cookies that they set, within the same chain only', async () => {
    const { fetcher, get } = setUp({
      answer: ({ url, headers }) =>
        url.hostname === 'b.com' || headers['cookie']?.includes('seen=1') === true
          ? { body: 'in', headers: { 'set-cookie': 'late=1' } }
          : { status: 302, headers: { location: '/', 'set-cookie': 'seen=1, own=2; path=/' } },
    })
    expect(await get('http://a.com/', { headers: { Cookie: 'own=1; x=3' } })).toMatchObject({
      status: 200,
      redirects: ['http://a.com/'],
    })
    await get('http://b.com/')
    expect(fetcher.sent.map(({ headers }) => headers['cookie'])).toEqual([
      'own=1; x=3',
      'x=3; seen=1; own=2',
      undefined,
    ])
  })

  test('send no cookie to another host', async () => {
    const { fetcher, get } = setUp({
      answer: ({ url }) =>
        url.hostname === 'a.com'
          ? { status: 302, headers: { location: 'http://b.com/', 'set-cookie': 's=1; domain=com' } }
          : {},
    })
    await get('http://a.com/')
    expect(fetcher.sent[1]?.headers['cookie']).toBeUndefined()
  })

  const secrets = {
    authorization: 'Bearer x',
    cookie: 'a=b',
    'x-api-key': 'k',
    'accept-language': 'de',
  }
  test.for([
    [
      'the same origin',
      'http://a.com/2',
      ['authorization', 'cookie', 'x-api-key', 'accept-language'],
    ],
    ['another scheme of the host', 'https://a.com/2', ['accept-language']],
    ['another port of the host', 'http://a.com:8080/2', ['accept-language']],
    ['another host', 'http://b.com/2', ['accept-language']],
  ] as const)('to %s keep the headers for that target only', async ([, target, headers]) => {
    const { fetcher, get } = setUp(site({ 'http://a.com/1': to(target) }))
    await get('http://a.com/1', { headers: secrets })
    expect(
      Object.keys(secrets).filter((name) => fetcher.sent[1]?.headers[name] !== undefined),
    ).toEqual(headers)
  })

  test.for([
    ['from https to http', 'https://a.com/1', 'http://a.com/2'],
    ['to another port of https', 'https://a.com/1', 'https://a.com:8443/2'],
    ['to a subdomain', 'https://a.com/1', 'https://www.a.com/2'],
  ] as const)(
    '%s send no secret, whatever header the recipe has it in',
    async ([, from, target]) => {
      const { fetcher, get } = setUp(site({ [from]: to(target, 307) }))
      await get(from, {
        headers: { 'X-Api-Key': 'secret', 'x-any-name': 'secret', Accept: 'text/html' },
      })
      expect(fetcher.sent[0]?.headers).toMatchObject({
        'x-api-key': 'secret',
        'x-any-name': 'secret',
      })
      expect(JSON.stringify(fetcher.sent[1]?.headers)).not.toContain('secret')
      expect(fetcher.sent[1]?.headers).toMatchObject({ accept: 'text/html' })
    },
  )

  test.for([
    [
      'the same origin by its port',
      'http://a.com:80/2',
      ['authorization', 'cookie', 'x-api-key', 'accept-language'],
    ],
  ] as const)('to %s keep all headers', async ([, target, headers]) => {
    const { fetcher, get } = setUp(site({ 'http://a.com/1': to(target) }))
    await get('http://a.com/1', { headers: secrets })
    expect(
      Object.keys(secrets).filter((name) => fetcher.sent[1]?.headers[name] !== undefined),
    ).toEqual(headers)
  })

  test('back to the first origin do not send the credentials again', async () => {
    const { fetcher, get } = setUp(
      site({ 'http://a.com/1': to('http://b.com/'), 'http://b.com/': to('http://a.com/2') }),
    )
    await get('http://a.com/1', { headers: secrets })
    expect(fetcher.sent[2]?.headers).not.toHaveProperty('authorization')
  })

  test('end at the limit', async () => {
    const loop = site({ 'http://a.com/': to('/') })
    const { fetcher, get } = setUp(loop)
    await expect(get('http://a.com/')).rejects.toMatchObject({ reason: 'too_many_redirects' })
    expect(fetcher.sent).toHaveLength(11)
    await expect(
      setUp(loop).get('http://a.com/', { purpose: 'webhook', method: 'POST' }),
    ).resolves.toMatchObject({ status: 302, redirects: [] })
  })

  test.for([
    [304, '/x'],
    [300, '/x'],
    [200, '/x'],
    [302, undefined],
  ] as const)(
    'are not followed for %i with Location %s, which is returned as an answer',
    async ([status, location]) => {
      const { get } = setUp(
        site({ 'http://a.com/': { status, headers: location === undefined ? {} : { location } } }),
      )
      expect(await get('http://a.com/')).toMatchObject({ status, redirects: [] })
    },
  )

  test('to a location with bytes outside of ASCII are read as UTF-8', async () => {
    const bytes = String.fromCharCode(...new TextEncoder().encode('/grüße'))
    const { get } = setUp(site({ 'http://a.com/': to(bytes) }))
    expect((await get('http://a.com/')).url).toBe('http://a.com/gr%C3%BC%C3%9Fe')
  })

  test('to a text that is not a URL fail', async () => {
    await expect(
      setUp(site({ 'http://a.com/': to('http://[') })).get('http://a.com/'),
    ).rejects.toMatchObject({ reason: 'invalid_url' })
  })

  test('can be stopped by the caller, who is asked after the check', async () => {
    const paths: string[] = []
    const stop = new Error('robots')
    const { fetcher, get } = setUp(site({ 'http://a.com/1': to('/2'), 'http://a.com/2': to('/3') }))
    const onRedirect = async (target: RedirectTarget) => {
      paths.push(target.pathname)
      // Has no influence on where the request goes.
      Object.assign(target, { href: 'http://127.0.0.1/', origin: 'http://127.0.0.1' })
      if (target.pathname === '/3') throw stop
    }
    await expect(get('http://a.com/1', { onRedirect })).rejects.toBe(stop)
    expect(paths).toEqual(['/2', '/3'])
    expect(fetcher.sent.map(({ url }) => url.href)).toEqual(['http://a.com/1', 'http://a.com/2'])
    await expect(
      setUp(site({ 'http://a.com/1': to('http://10.0.0.1/') })).get('http://a.com/1', {
        onRedirect: () => void paths.push('inside'),
      }),
    ).rejects.toMatchObject({ reason: 'refused' })
    expect(paths).not.toContain('inside')
  })
})

describe('limits', () => {
  test('the deadline is one for all hops together, on the injected clock', async () => {
    const clock = createFakeClock()
    const fetcher = createFakeFetcher({
      answer: async (hop, nth) => {
        if (nth > 1) return never(hop)
        await clock.sleep(20_000)
        return to('/2')
      },
    })
    const started = clock.now()
    const pending = createEgress({ fetcher, clock })({ url: 'http://a.com/1', purpose: 'page' })
    expect(await clock.runUntil(pending.catch((error: unknown) => error))).toMatchObject({
      reason: 'timeout',
    })
    expect(clock.now() - started).toBe(30_000)
    expect(fetcher.sent).toHaveLength(2)
  })

  test('a silent site times out after 30 s, or after the wanted time', async () => {
    const { clock, get } = setUp({ answer: never })
    const started = clock.now()
    expect(
      await clock.runUntil(get('http://a.com/').catch((error: unknown) => error)),
    ).toMatchObject({ reason: 'timeout' })
    expect(clock.now() - started).toBe(30_000)
    expect(
      await clock.runUntil(get('http://a.com/', { timeoutMs: 5 }).catch((error: unknown) => error)),
    ).toMatchObject({ reason: 'timeout' })
    expect(clock.now() - started).toBe(30_005)
    expect(clock.sleeping).toBe(0)
  })

  test('the caller can abort at any time, also before the call', async () => {
    const { clock, fetcher, get } = setUp({ answer: never })
    const controller = new AbortController()
    const pending = get('http://a.com/', { signal: controller.signal }).catch(
      (error: unknown) => error,
    )
    await clock.advance(1)
    controller.abort(new Error('mine'))
    expect(await pending).toMatchObject({ reason: 'aborted' })
    await expect(get('http://a.com/', { signal: controller.signal })).rejects.toMatchObject({
      reason: 'aborted',
    })
    expect(fetcher.sent).toHaveLength(1)
    expect(clock.sleeping).toBe(0)
  })

  test('no timer is left after the answer', async () => {
    const { clock, get } = setUp()
    await get('http://a.com/')
    expect(clock.sleeping).toBe(0)
  })

  test('each purpose has a cap of bytes; a page or a key set above it is refused, not cut', async () => {
    const { fetcher, get } = setUp({ answer: () => ({ body: new Uint8Array(300 * 1024) }) })
    expect(await get('http://a.com/', { purpose: 'webhook' })).toMatchObject({
      truncated: true,
      body: { byteLength: 64 * 1024 },
    })
    expect(await get('http://a.com/', { maxBytes: 10 })).toMatchObject({
      truncated: true,
      body: { byteLength: 0 },
    })
    await expect(get('http://a.com/', { purpose: 'jwks' })).rejects.toMatchObject({
      reason: 'too_large',
    })
    expect(fetcher.sent.map(({ maxBytes, whole }) => [maxBytes, whole])).toEqual([
      [64 * 1024, false],
      [10, true],
      [256 * 1024, true],
    ])
  })
})

test('a failure of a fetcher becomes an EgressError with the same reason; other errors stay unchanged', async () => {
  const failing = (error: Error) =>
    setUp({ answer: () => Promise.reject(error) })
      .get('http://a.com/')
      .catch((thrown: unknown) => thrown)
  const thrown = await failing(new FetchFailure('tls', 'The certificate has expired.'))
  expect(thrown).toBeInstanceOf(EgressError)
  expect(thrown).toMatchObject({ reason: 'tls', message: 'The certificate has expired.' })
  const bug = new TypeError('x')
  expect(await failing(bug)).toBe(bug)
})
