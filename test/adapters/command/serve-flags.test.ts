import { expect, test } from 'vitest'
import { readServeFlags } from '../../../adapters/command/serve-flags.ts'

const NOTHING = {
  help: false,
  port: 3000,
  host: '127.0.0.1',
  data: '.seine',
  durability: 'normal',
  key: undefined,
  metricsPort: undefined,
  issuer: null,
  search: { url: undefined, onPrivateNetwork: false },
  platform: { allowPrivateNetwork: false },
  proxies: {},
}

test.for<readonly [flags: string, settings: object]>([
  ['', NOTHING],
  ['--port 0 --host ::1 --data d --key svc_sk_x', { port: 0, host: '::1', data: 'd' }],
  ['--metrics-port 9464', { metricsPort: 9464 }],
  ['--public-url https://d.test/x', { platform: { publicUrl: 'https://d.test/x' } }],
  ['--trust-proxy 2', { proxies: { trustProxy: 2 } }],
  ['--trust-proxy 10.0.0.0/8,::1', { proxies: { trustProxy: ['10.0.0.0/8', '::1'] } }],
  [
    '--trust-proxy 1 --proxy-header forwarded',
    { proxies: { trustProxy: 1, proxyHeader: 'forwarded' } },
  ],
  ['--cors *', { platform: { cors: { origins: '*' } } }],
  [
    '--cors https://a.test,http://localhost:5173',
    {
      platform: {
        cors: { origins: ['https://a.test', 'http://localhost:5173'] },
        mcp: { origins: ['https://a.test', 'http://localhost:5173'] },
      },
    },
  ],
  [
    '--jwt-issuer https://i.test/ --jwt-audience a,b',
    { issuer: { url: 'https://i.test/', audience: ['a', 'b'] } },
  ],
  [
    '--rate tasks=120/60s --rate mcp=off --rate billing=1/2h',
    {
      platform: {
        rateLimits: {
          tasks: { limit: 120, periodMs: 60_000, burst: 119 },
          mcp: false,
          billing: { limit: 1, periodMs: 7_200_000, burst: 0 },
        },
      },
    },
  ],
  ['--durability full', { durability: 'full' }],
  ['--no-rate-limit', { platform: { rateLimits: false } }],
  ['--search-url https://s.test', { search: { url: 'https://s.test', onPrivateNetwork: false } }],
])('%s', ([flags, settings]) => {
  const args = flags === '' ? [] : flags.split(' ')
  expect(readServeFlags(args, {})).toMatchObject(settings)
})

test('each flag may be an environment variable, which the flag overrides', () => {
  const env = {
    SEINE_PORT: '8080',
    SEINE_HOST: '0.0.0.0',
    SEINE_DATA: '/data',
    SEINE_DURABILITY: 'full',
    SEINE_KEY: 'svc_sk_x',
    SEINE_PUBLIC_URL: 'https://d.test',
    SEINE_TRUST_PROXY: '1',
    SEINE_PROXY_HEADER: 'forwarded',
    SEINE_CORS: 'https://a.test',
    SEINE_JWT_ISSUER: 'https://i.test',
    SEINE_JWT_AUDIENCE: 'me',
    SEINE_RATE: 'tasks=10/1m, mcp=off',
    SEINE_ALLOW_PRIVATE_NETWORK: 'true',
    SEINE_NO_RATE_LIMIT: '0',
    SEINE_SEARCH_URL: 'https://s.test',
    SEINE_SEARCH_ON_PRIVATE_NETWORK: '1',
  }
  const { key, port, ...rest } = readServeFlags(['--port', '81'], env)
  expect([key, port]).toEqual(['svc_sk_x', 81])
  expect(rest).toMatchObject({
    host: '0.0.0.0',
    data: '/data',
    durability: 'full',
    issuer: { url: 'https://i.test', audience: ['me'] },
    search: { url: 'https://s.test', onPrivateNetwork: true },
    platform: {
      allowPrivateNetwork: true,
      publicUrl: 'https://d.test',
      cors: { origins: ['https://a.test'] },
      rateLimits: { tasks: { limit: 10, periodMs: 60_000, burst: 9 }, mcp: false },
    },
    proxies: { trustProxy: 1, proxyHeader: 'forwarded' },
  })
  expect(readServeFlags([], { SEINE_PUBLIC_URL: '', SEINE_KEY: '' })).toEqual(NOTHING)
})

test.for<readonly [flags: string, message: string]>([
  ['--durability safe', '--durability must be normal or full, not "safe"'],
  ['--public-url data.test', '--public-url must be a URL'],
  ['--public-url https://d.test/?a', '--public-url must be a URL'],
  ['--proxy-header forwarded', '--proxy-header needs --trust-proxy'],
  ['--trust-proxy 1 --proxy-header via', '--proxy-header must be'],
  ['--trust-proxy 101', '--trust-proxy must be a whole number'],
  ['--cors app.test', '--cors must be * or origins'],
  ['--cors https://a.test/x', '"https://a.test/x"'],
  ['--jwt-issuer https://i.test', '--jwt-issuer needs --jwt-audience'],
  ['--jwt-audience me', '--jwt-audience needs --jwt-issuer'],
  ['--jwt-issuer i.test --jwt-audience me', "--jwt-issuer must be the issuer's URL"],
  ['--rate tasks=0/60s', '--rate must be a rate such as tasks=120/60s'],
  ['--rate task=1/60s', 'the services are tasks, analytics'],
  ['--rate tasks=120', 'not "tasks=120"'],
  ['--rate mcp=off --no-rate-limit', 'leave it out, or --rate'],
])('%s is refused', ([flags, message]) => {
  expect(() => readServeFlags(flags.split(' '), {})).toThrow(message)
})

test('a switch of the environment is on or off', () => {
  expect(() => readServeFlags([], { SEINE_NO_RATE_LIMIT: 'yes' })).toThrow(
    'SEINE_NO_RATE_LIMIT must be 1 or 0, not "yes"',
  )
})
