import { parseIpv4 } from '../../kernel/ip-address.ts'
import { isPublicAddress } from './address.ts'
import { BAD_PORTS, SPECIAL_USE_TLDS } from './blocked.ts'
import { EgressError } from './types.ts'

/** What the guard leaves out. */
export interface GuardOptions {
  /** Skips the rules for addresses, names and ports; never those for schemes and credentials. */
  readonly allowPrivateNetwork?: boolean
  /** Skips the same for this one origin. */
  readonly trustedOrigin?: string
}

type Refusal = readonly [reason: 'invalid_url' | 'refused', message: string]

const MAX_URL_LENGTH = 16_384
const LABELS = /^(?:[a-z0-9_-]{1,63}\.)+[a-z0-9_-]{1,63}$/

/**
 * The parsed URL, if it may be asked for as far as the URL itself tells; a name's addresses are
 * still to be checked.
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
 * Why a URL would be refused before any network is used, or `null`; validates recipes and webhooks
 * when they are saved.
 */
export function refusalOf(url: string, options: GuardOptions = {}): string | null {
  const parsed = parse(url)
  return (parsed === null ? UNPARSABLE : refuse(parsed, options))?.[1] ?? null
}

/** @throws {EgressError} `refused`, with a message that does not tell the address */
export function checkAddress(address: string): void {
  if (!isPublicAddress(address)) throw new EgressError(...NOT_PUBLIC)
}

/** True if the rules for addresses, names and ports do not hold for a URL. */
export function isExempt(url: URL, { allowPrivateNetwork, trustedOrigin }: GuardOptions): boolean {
  return (
    allowPrivateNetwork === true || (trustedOrigin !== undefined && url.origin === trustedOrigin)
  )
}

/** The address, if the host of this URL is one: IPv6 without its brackets. */
export function addressOf(url: URL): string | null {
  const { hostname } = url
  if (hostname.startsWith('[')) return hostname.slice(1, -1)
  const last = hostname.charCodeAt(hostname.length - 1)
  // The URL parser makes every spelling of an IPv4 address a dotted quad, so one that ends in no
  // digit is a name.
  return last >= 48 && last <= 57 && parseIpv4(hostname) !== null ? hostname : null
}

const UNPARSABLE: Refusal = ['invalid_url', 'This is not a valid URL.']
const NOT_PUBLIC: Refusal = ['refused', 'The host of this URL is not on the public internet.']

function parse(input: string): URL | null {
  return input.length > MAX_URL_LENGTH ? null : URL.parse(input)
}

function refuse(url: URL, options: GuardOptions): Refusal | null {
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
