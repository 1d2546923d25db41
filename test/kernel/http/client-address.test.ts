import { describe, expect, it } from 'vitest'
import { createProxyReader } from '../../../src/kernel/http/client-address.ts'
import type { ProxyHeader, TrustProxy } from '../../../src/kernel/http/client-address.ts'
import { cpuMs } from '../../support/cpu-ms.ts'

/** The address of the client by the header that proxies append to. */
const createClientAddress = (trust: TrustProxy, name: ProxyHeader = 'x-forwarded-for') => {
  const read = createProxyReader(trust, name)
  return (peer: string | undefined, header: string | null | undefined) =>
    read(peer, (lookup) => (lookup === name ? header : null)).clientIp
}

describe('the client behind trusted proxies', () => {
  const behind = createClientAddress(['10.0.0.0/8', '::1', '2001:db8:aa::/48'])

  it.each([
    ['none in between: nothing is believed', '198.51.100.7', '203.0.113.1', '198.51.100.7'],
    ['one proxy', '10.0.0.1', '203.0.113.1', '203.0.113.1'],
    ['one proxy over a 4-in-6 socket', '::ffff:10.0.0.1', '203.0.113.1', '203.0.113.1'],
    ['a claim in front of the proxy', '10.0.0.1', '1.1.1.1, 203.0.113.1', '203.0.113.1'],
    ['a claim to be a proxy', '10.0.0.1', '1.1.1.1, 10.9.9.9,203.0.113.1', '203.0.113.1'],
    ['two proxies', '::1', '203.0.113.1, 10.0.0.2', '203.0.113.1'],
    ['proxies alone', '::1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['a proxy on IPv6', '2001:db8:aa:1::9', '2001:db8:bb::7', '2001:db8:bb:0:0:0:0:7'],
    ['a port', '10.0.0.1', '203.0.113.1:4711', '203.0.113.1'],
    ['brackets and a port', '10.0.0.1', '[2001:db8::1]:4711', '2001:db8:0:0:0:0:0:1'],
    ['a name instead of an address', '10.0.0.1', '203.0.113.1, unknown', '10.0.0.1'],
    ['an empty element', '10.0.0.1', '203.0.113.1,', '10.0.0.1'],
    ['an invalid address', '10.0.0.1', '203.0.113.1, 010.0.0.1', '10.0.0.1'],
    ['no header', '10.0.0.1', null, '10.0.0.1'],
    ['no header, as node:http has it', '10.0.0.1', undefined, '10.0.0.1'],
    ['no socket', undefined, '203.0.113.1', undefined],
  ])('%s', (_, peer, header, client) => {
    expect(behind(peer, header)).toBe(client)
  })

  it.each([
    [0, '1.1.1.1, 203.0.113.1', '192.0.2.1'],
    [1, '1.1.1.1, 203.0.113.1', '203.0.113.1'],
    [2, '1.1.1.1, 203.0.113.1, 192.0.2.9', '203.0.113.1'],
    [5, '203.0.113.1', '203.0.113.1'],
  ])('by number: %d', (count, header, client) => {
    expect(createClientAddress(count)('192.0.2.1', header)).toBe(client)
  })

  it.each([
    ['for=203.0.113.1;proto=https;by=10.0.0.1', '203.0.113.1'],
    ['for=1.1.1.1, For="[2001:db8::1]:4711"; proto=http', '2001:db8:0:0:0:0:0:1'],
    ['for="203.0.113.1:80"', '203.0.113.1'],
    ['for=203.0.113.1, for=10.0.0.7', '203.0.113.1'],
    ['for="evil, for=203.0.113.1', '203.0.113.1'],
    ['for=203.0.113.1, for=_hidden', '10.0.0.1'],
    ['proto=https', '10.0.0.1'],
  ])('by Forwarded: %s', (header, client) => {
    expect(createClientAddress(['10.0.0.0/8'], 'forwarded')('10.0.0.1', header)).toBe(client)
  })

  it('is found in a long header without reading all of it', () => {
    // Made from bytes, so that the string is not joined during the measurement.
    const bytes = Buffer.alloc(9_000_000, '1.1.1.1, ')
    const claim = Buffer.concat([bytes, Buffer.from('203.0.113.1')]).toString('latin1')
    const started = cpuMs()
    expect(behind('10.0.0.1', claim)).toBe('203.0.113.1')
    expect(cpuMs() - started).toBeLessThan(50)
  })

  it.each([
    ['10.0.0.0/33'],
    ['10.0.0'],
    ['proxy.example'],
    ['10.0.0.0/8/8'],
    ['::/129'],
    ['10.0.0.0/'],
    [''],
    ['loopback'],
  ])('needs valid proxies: %j is refused', (wrong) => {
    expect(() => createClientAddress([wrong])).toThrow(TypeError)
  })

  it.each([-1, 1.5, Number.NaN])('needs a valid number of proxies: %d is refused', (wrong) => {
    expect(() => createClientAddress(wrong)).toThrow(TypeError)
  })
})

describe('the address that the client requested', () => {
  const addressOf = (
    headers: Readonly<Record<string, string>>,
    { trust = ['10.0.0.0/8'], peer = '10.0.0.1' }: { trust?: TrustProxy; peer?: string } = {},
  ) => {
    const name = 'forwarded' in headers ? 'forwarded' : 'x-forwarded-for'
    return createProxyReader(trust, name)(peer, (one) => headers[one]).forwarded
  }

  it.each<readonly [what: string, headers: Record<string, string>, told: object]>([
    ['nothing', {}, {}],
    ['a scheme', { 'x-forwarded-proto': 'HTTPS' }, { proto: 'https' }],
    [
      'all three',
      {
        'x-forwarded-for': '203.0.113.1',
        'x-forwarded-proto': 'https',
        'x-forwarded-host': 'Data.example.com:8443',
        'x-forwarded-prefix': '/data/',
      },
      { proto: 'https', host: 'data.example.com:8443', prefix: '/data' },
    ],
    [
      'of what the client claimed and the proxy added, what the proxy added',
      {
        'x-forwarded-for': '1.1.1.1, 203.0.113.1',
        'x-forwarded-proto': 'http, https',
        'x-forwarded-host': 'evil.example, data.example.com',
      },
      { proto: 'https', host: 'data.example.com' },
    ],
    [
      'of two proxies, the one nearest to the client',
      {
        'x-forwarded-for': '203.0.113.1, 10.0.0.2',
        'x-forwarded-proto': 'https, http',
        'x-forwarded-host': 'data.example.com, inside.example',
      },
      { proto: 'https', host: 'data.example.com' },
    ],
    [
      'nothing that is not part of an address',
      {
        'x-forwarded-proto': 'javascript',
        'x-forwarded-host': 'a@evil.example/x',
        'x-forwarded-prefix': '/a?b#c',
      },
      {},
    ],
    ['no second host', { 'x-forwarded-prefix': '//evil.example/x' }, { prefix: '/evil.example/x' }],
    ['no port above all', { 'x-forwarded-host': 'data.example.com:99999' }, {}],
    [
      'Forwarded',
      { forwarded: 'for=203.0.113.1;proto=https;host="data.example.com:8443"' },
      { proto: 'https', host: 'data.example.com:8443' },
    ],
    [
      'Forwarded by two proxies',
      { forwarded: 'for=203.0.113.1; proto=https; host=data.example.com, for=10.0.0.2;proto=http' },
      { proto: 'https', host: 'data.example.com' },
    ],
    [
      'Forwarded, after a claim',
      { forwarded: 'for=1.1.1.1;host=evil.example, for=203.0.113.1;host=data.example.com' },
      { host: 'data.example.com' },
    ],
    [
      'with Forwarded none of the others',
      { forwarded: 'for=203.0.113.1', 'x-forwarded-host': 'evil.example' },
      {},
    ],
  ])('%s', (_, headers, address) => {
    expect(addressOf(headers)).toEqual(address)
  })

  it('is not read from headers of strangers', () => {
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example' }
    expect(addressOf(headers, { peer: '198.51.100.7' })).toBeUndefined()
    expect(addressOf(headers, { trust: 0 })).toBeUndefined()
    expect(addressOf(headers, { trust: 1 })).toEqual({ proto: 'https', host: 'evil.example' })
  })
})
