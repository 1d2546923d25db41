import { parseArgs } from 'node:util'
import type { CorsOptions, PlatformOptions, Rates } from 'seine'
import type { ProxyHeader, TrustProxy } from 'seine/node'
import { wholeNumber, wrongUse } from './command-error.ts'
import { DEFAULT_DATA } from './data-directory.ts'

const FLAGS = {
  port: { type: 'string' },
  host: { type: 'string' },
  data: { type: 'string' },
  durability: { type: 'string' },
  key: { type: 'string' },
  'public-url': { type: 'string' },
  'metrics-port': { type: 'string' },
  'trust-proxy': { type: 'string' },
  'proxy-header': { type: 'string' },
  cors: { type: 'string' },
  'jwt-issuer': { type: 'string' },
  'jwt-audience': { type: 'string' },
  rate: { type: 'string', multiple: true },
  'allow-private-network': { type: 'boolean' },
  'no-rate-limit': { type: 'boolean' },
  'search-url': { type: 'string' },
  'search-on-private-network': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

type Flag = Exclude<keyof typeof FLAGS, 'help'>
type Environment = Readonly<Record<string, string | undefined>>

/** What the flags of `seine serve` say. */
export interface ServeSettings {
  readonly help: boolean
  readonly port: number
  readonly host: string
  readonly data: string
  readonly durability: 'normal' | 'full'
  readonly key: string | undefined
  /** `undefined`: no metrics are collected. */
  readonly metricsPort: number | undefined
  readonly issuer: { readonly url: string; readonly audience: readonly string[] } | null
  readonly search: { readonly url: string | undefined; readonly onPrivateNetwork: boolean }
  readonly platform: Pick<
    PlatformOptions,
    'allowPrivateNetwork' | 'cors' | 'mcp' | 'rateLimits'
  > & { readonly publicUrl?: string }
  readonly proxies: { readonly trustProxy?: TrustProxy; readonly proxyHeader?: ProxyHeader }
}

/**
 * Reads the flags of `seine serve`. A flag that is not given is read from the environment: `SEINE_`
 * and its name, such as `SEINE_PUBLIC_URL`; of a switch, `1` or `true`.
 *
 * @throws {CommandError} that names the flag and what it takes
 */
export function readServeFlags(args: string[], env: Environment): ServeSettings {
  const { values } = parseArgs({ args, options: FLAGS })
  const text = (flag: Exclude<Flag, 'rate'>): string | undefined => {
    const setting = values[flag] ?? env[variableOf(flag)]
    return setting === undefined || setting === '' ? undefined : String(setting)
  }
  const isOn = (flag: (Flag & `${string}-network`) | 'no-rate-limit'): boolean => {
    const setting = text(flag)
    if (setting !== undefined && !['true', '1', 'false', '0'].includes(setting))
      throw wrongUse(`${variableOf(flag)} must be 1 or 0, not "${setting}"`)
    return setting === 'true' || setting === '1'
  }
  const rates = ratesOf(values.rate ?? listOf(env[variableOf('rate')]))
  if (rates !== null && isOn('no-rate-limit'))
    throw wrongUse('--no-rate-limit switches all rates off: leave it out, or --rate')
  const cors = corsOf(text('cors'))
  const trustProxy = trustOf(text('trust-proxy'))
  const proxyHeader = headerOf(text('proxy-header'))
  if (proxyHeader !== undefined && trustProxy === undefined)
    throw wrongUse('--proxy-header needs --trust-proxy, which names the proxies')
  return {
    help: values.help ?? false,
    port: wholeNumber('--port', text('port'), 0, 65_535) ?? 3000,
    host: text('host') ?? '127.0.0.1',
    data: text('data') ?? DEFAULT_DATA,
    durability: durabilityOf(text('durability')),
    key: values.key ?? text('key'),
    metricsPort: wholeNumber('--metrics-port', text('metrics-port'), 0, 65_535),
    issuer: issuerOf(text('jwt-issuer'), listOf(text('jwt-audience'))),
    search: { url: text('search-url'), onPrivateNetwork: isOn('search-on-private-network') },
    platform: {
      allowPrivateNetwork: isOn('allow-private-network'),
      ...publicUrlOf(text('public-url')),
      ...(cors && { cors, ...(cors.origins !== '*' && { mcp: { origins: cors.origins } }) }),
      ...(rates && { rateLimits: rates }),
      ...(isOn('no-rate-limit') && { rateLimits: false }),
    },
    proxies: {
      ...(trustProxy !== undefined && { trustProxy }),
      ...(proxyHeader !== undefined && { proxyHeader }),
    },
  }
}

function variableOf(flag: Flag): string {
  return `SEINE_${flag.toUpperCase().replaceAll('-', '_')}`
}

function listOf(text: string | undefined): readonly string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function publicUrlOf(text: string | undefined): { readonly publicUrl?: string } {
  if (text === undefined) return {}
  if (!URL.canParse(text) || !/^https?:\/\/[^?#]+$/i.test(text))
    throw wrongUse(`--public-url must be a URL such as https://data.example.com, not "${text}"`)
  return { publicUrl: text }
}

/** A number of proxies, or their addresses and networks, which `serve` checks. */
function trustOf(text: string | undefined): TrustProxy | undefined {
  if (text === undefined) return undefined
  return /^\d+$/.test(text) ? wholeNumber('--trust-proxy', text, 0, 100) : listOf(text)
}

function headerOf(text: string | undefined): ProxyHeader | undefined {
  if (text === undefined || text === 'forwarded' || text === 'x-forwarded-for') return text
  throw wrongUse(`--proxy-header must be x-forwarded-for or forwarded, not "${text}"`)
}

function durabilityOf(text: string | undefined): ServeSettings['durability'] {
  if (text === undefined || text === 'normal') return 'normal'
  if (text === 'full') return text
  throw wrongUse(`--durability must be normal or full, not "${text}"`)
}

function corsOf(text: string | undefined): CorsOptions | null {
  if (text === undefined) return null
  if (text.trim() === '*') return { origins: '*' }
  const origins = listOf(text)
  const wrong = origins.find((origin) => URL.parse(origin)?.origin !== origin)
  if (wrong !== undefined || origins.length === 0)
    throw wrongUse(
      `--cors must be * or origins such as https://app.example.com, not "${wrong ?? text}"`,
    )
  return { origins }
}

function issuerOf(
  issuer: string | undefined,
  audience: readonly string[],
): ServeSettings['issuer'] {
  if (issuer === undefined && audience.length === 0) return null
  if (issuer === undefined) throw wrongUse('--jwt-audience needs --jwt-issuer')
  if (audience.length === 0)
    throw wrongUse('--jwt-issuer needs --jwt-audience: the `aud` that its tokens have for you')
  const url = URL.parse(issuer)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw wrongUse(`--jwt-issuer must be the issuer's URL as it is in \`iss\`, not "${issuer}"`)
  return { url: issuer, audience }
}

const SERVICES: readonly string[] = [
  'tasks',
  'analytics',
  'billing',
  'mcp',
  'authentication',
] satisfies (keyof Rates)[]
const RATE = /^(\w+)=(?:off|([1-9]\d{0,8})\/([1-9]\d{0,5})(s|m|h))$/
const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 }

/** `tasks=120/60s`: 120 calls in 60 seconds, which may come at once. */
function ratesOf(texts: readonly string[]): Rates | null {
  if (texts.length === 0) return null
  return Object.fromEntries(
    texts.map((text) => {
      const [, service = '', limit, count, unit = ''] = RATE.exec(text) ?? []
      if (!SERVICES.includes(service))
        throw wrongUse(
          `--rate must be a rate such as tasks=120/60s or mcp=off, not "${text}"; the services ` +
            `are ${SERVICES.join(', ')}`,
        )
      if (limit === undefined) return [service, false]
      const periodMs = Number(count) * (UNITS[unit] ?? 0)
      return [service, { limit: Number(limit), periodMs, burst: Number(limit) - 1 }]
    }),
  )
}
