import { parseIpv4, parseIpv6 } from '../../kernel/ip-address.ts'
import { EgressError } from './types.ts'

/** Exceptions to the guard's rules. */
export interface GuardOptions {
  /**
   * Skips the rules for addresses, names and ports. The rules for schemes and credentials always
   * apply.
   */
  readonly allowPrivateNetwork?: boolean
  /** Skips the same rules, but for this one origin only. */
  readonly trustedOrigin?: string
}

/** The parts of a URL that the rules are for. */
export type JudgedUrl = Pick<
  URL,
  'protocol' | 'username' | 'password' | 'hostname' | 'port' | 'origin'
>

type Refusal = readonly [reason: 'invalid_url' | 'refused', message: string]

const MAX_URL_LENGTH = 16_384
const LABELS = /^(?:[a-z0-9_-]{1,63}\.)+[a-z0-9_-]{1,63}$/

/**
 * Returns the parsed URL if the URL itself breaks no rule. The addresses that its name resolves to
 * must still be checked.
 *
 * @throws {EgressError} `invalid_url` (unparsable, scheme, credentials, malformed host), `refused`
 *   (port, name, address)
 */
export function checkUrl(input: string | URL, options: GuardOptions = {}): URL {
  const url = typeof input === 'string' ? parse(input) : input
  const refusal = url === null ? UNPARSABLE : refuse(url, options)
  if (url === null || refusal !== null) throw new EgressError(...(refusal ?? UNPARSABLE))
  return url
}

/**
 * Returns the reason why a URL would be refused before any network use, or `null`. Recipes and
 * webhooks are validated with this when they are saved.
 */
export function refusalOf(url: string, options: GuardOptions = {}): string | null {
  const parsed = parse(url)
  return (parsed === null ? UNPARSABLE : refuse(parsed, options))?.[1] ?? null
}

/** @throws {EgressError} `refused`; the message does not reveal the address */
export function checkAddress(address: string): void {
  if (!isPublicAddress(address)) throw new EgressError(...NOT_PUBLIC)
}

/** True if a URL is exempt from the rules for addresses, names and ports. */
export function isExempt(
  url: Pick<URL, 'origin'>,
  { allowPrivateNetwork, trustedOrigin }: GuardOptions,
): boolean {
  return (
    allowPrivateNetwork === true || (trustedOrigin !== undefined && url.origin === trustedOrigin)
  )
}

/** Returns the URL's host if it is an IP address (IPv6 without brackets), else `null`. */
export function addressOf({ hostname }: Pick<URL, 'hostname'>): string | null {
  if (hostname.startsWith('[')) return hostname.slice(1, -1)
  const last = hostname.charCodeAt(hostname.length - 1)
  // The URL parser turns every spelling of an IPv4 address into a dotted quad, so a host that
  // does not end in a digit is a name.
  return last >= 48 && last <= 57 && parseIpv4(hostname) !== null ? hostname : null
}

const UNPARSABLE: Refusal = ['invalid_url', 'This is not a valid URL.']
const NOT_PUBLIC: Refusal = ['refused', 'The host of this URL is not on the public internet.']

function parse(input: string): URL | null {
  return input.length > MAX_URL_LENGTH ? null : URL.parse(input)
}

/**
 * Returns why a URL with these parts would be refused before any network use: the code and the
 * message.
 */
export function refuse(url: JudgedUrl, options: GuardOptions): Refusal | null {
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return ['invalid_url', 'Only http and https URLs are allowed.']
  if (url.username !== '' || url.password !== '')
    return ['invalid_url', 'Credentials in a URL are not allowed.']
  if (isExempt(url, options)) return null
  if (url.port !== '' && BAD_PORTS.has(Number(url.port)))
    return ['refused', `Port ${url.port} is not allowed.`]
  const address = addressOf(url)
  if (address !== null) return isPublicAddress(address) ? null : NOT_PUBLIC
  return refuseName(url.hostname)
}

function refuseName(hostname: string): Refusal | null {
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
  const lastDot = name.lastIndexOf('.')
  if (SPECIAL_USE_TLDS.has(name.slice(lastDot + 1))) return NOT_PUBLIC
  if (lastDot < 0 && name !== '') return NOT_PUBLIC
  return name.length <= 253 && LABELS.test(name)
    ? null
    : ['invalid_url', 'The host name of this URL is malformed.']
}

/**
 * True if a textual IP address is on the public internet. IPv4 must lie outside the special-purpose
 * ranges. IPv6 must lie inside 2000::/3 (the only space allocated for global unicast) and outside
 * the special blocks in it. Embedded IPv4 addresses need no unwrapping: mapped, NAT64, ISATAP and
 * similar forms all lie outside 2000::/3, and 6to4 and Teredo are special blocks. Text that is not
 * an address in canonical form (zone ids, octal, short forms) is not public.
 *
 * Source: IANA special-purpose address registries (RFC 6890), and the platform address
 * 168.63.129.16.
 */
export function isPublicAddress(address: string): boolean {
  if (address.includes(':')) {
    const groups = parseIpv6(address)
    return groups !== null && isPublicIpv6(groups)
  }
  const bits = parseIpv4(address)
  return bits !== null && isPublicIpv4(bits)
}

function isPublicIpv4(bits: number): boolean {
  const first = Math.floor(bits / 16_777_216)
  const rest = bits % 16_777_216
  const second = Math.floor(rest / 65_536)
  const third = Math.floor(bits / 256) % 256
  switch (first) {
    case 0: // this network
    case 10: // private
    case 127: // loopback
      return false
    case 100:
      return second < 64 || second > 127 // shared address space
    case 168:
      return bits !== 2_822_734_096 // 168.63.129.16, a cloud's host channel
    case 169:
      return second !== 254 // link local
    case 172:
      return second < 16 || second > 31 // private
    case 192:
      if (second === 0) return third !== 0 && third !== 2 // protocol assignments, documentation
      if (second === 31) return third !== 196 // AS112
      if (second === 52) return third !== 193 // AMT
      if (second === 88) return third !== 99 // 6to4 relays
      if (second === 175) return third !== 48 // AS112
      return second !== 168 // private
    case 198:
      // benchmarking, documentation
      return second !== 18 && second !== 19 && !(second === 51 && third === 100)
    case 203:
      return !(second === 0 && third === 113) // documentation
    default:
      return first < 224 // multicast, reserved, broadcast
  }
}

function isPublicIpv6(groups: readonly number[]): boolean {
  const [first = 0, second = 0, third = 0] = groups
  if (first < 0x2000 || first > 0x3fff) return false
  // protocol assignments with Teredo and ORCHID; documentation
  if (first === 0x2001) return second > 0x1ff && second !== 0xdb8
  if (first === 0x2002) return false // 6to4
  if (first === 0x2620) return !(second === 0x4f && third === 0x8000) // AS112
  return !(first === 0x3fff && second <= 0xfff) // documentation
}

/**
 * Ports that a crawler must not reach, whether they speak HTTP or not: the bad ports of the Fetch
 * standard, then databases, caches, brokers, and container or cluster control.
 */
const BAD_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 445,
  465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 873, 989,
  990, 993, 995, 1433, 1521, 1719, 1720, 1723, 2049, 2181, 2375, 2376, 2379, 2380, 3306, 3389, 3659,
  4045, 4190, 4369, 5060, 5061, 5432, 5672, 5984, 6000, 6379, 6443, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 7001, 7474, 8086, 8500, 9042, 9092, 9200, 9300, 10080, 10250, 10255, 11211,
  15672, 27017, 50070,
])

/**
 * Top-level names that never belong to a public site: those reserved by RFC 6761, 6762 (local),
 * 7686 (onion), 8375 (home.arpa) and 9476 (alt); those that ICANN keeps out of the root (internal,
 * corp, home, mail); and those that home routers, container engines, clusters and service discovery
 * use themselves.
 */
const SPECIAL_USE_TLDS: ReadonlySet<string> = new Set([
  'alt',
  'arpa',
  'example',
  'invalid',
  'local',
  'localhost',
  'onion',
  'test',
  'corp',
  'home',
  'internal',
  'mail',
  'consul',
  'container',
  'containers',
  'cluster',
  'default',
  'docker',
  'domain',
  'gateway',
  'intra',
  'intranet',
  'kube',
  'lan',
  'localdomain',
  'localdomain4',
  'localdomain6',
  'localhost4',
  'localhost6',
  'node',
  'pod',
  'priv',
  'private',
  'router',
  'svc',
  'vpn',
  'workgroup',
])
