import { formatIp, isWithin, parseIp, parseNetwork } from '../ip-address.ts'
import type { IpNetwork } from '../ip-address.ts'
import { mountPath } from './base-url.ts'
import type { Forwarded } from './base-url.ts'
import type { HttpContext } from './message.ts'

/**
 * The proxies in front of the service: their addresses or networks (`10.0.0.0/8`, `::1`), or their
 * number. With a number, only the proxies may reach the service: any other client could choose the
 * last header value.
 */
export type TrustProxy = number | readonly string[]

/**
 * The header that the proxies add to. A header that they only pass on is under the client's
 * control.
 */
export type ProxyHeader = 'x-forwarded-for' | 'forwarded'

/** Reads what proxies report about a request. `peer` is the address of the socket. */
export type ProxyReader = (
  peer: string | undefined,
  header: (name: string) => string | null | undefined,
) => HttpContext

/**
 * Reads the headers of trusted proxies. The list is read from the socket backwards, and the first
 * address that is not a proxy's is the client's. Earlier addresses are ignored, because an
 * untrusted peer can claim anything. If a proxy names no address (`unknown`, `_hidden`), the proxy
 * counts as the client. Scheme, host and prefix are those that the proxy nearest to the client
 * reports.
 *
 * Source: RFC 7239 (`Forwarded`); `X-Forwarded-For`, `-Proto`, `-Host` and `-Prefix` have no
 * standard and are read as common proxies write them.
 *
 * @throws {TypeError} for a proxy that is neither an address nor a network, and for an invalid
 *   number
 */
export function createProxyReader(
  trust: TrustProxy,
  headerName: ProxyHeader = 'x-forwarded-for',
): ProxyReader {
  const isTrusted =
    typeof trust === 'number' ? countHops(trust) : withinNetworks(trust.map(networkOf))
  const isStandard = headerName === 'forwarded'
  return (peer, header) => {
    if (peer === undefined) return {}
    if (!isTrusted(peer, 0)) return { clientIp: peer }
    let clientIp = peer
    let rest = header(headerName) ?? ''
    let forwarded: Forwarded = {}
    let hops = 0
    while (rest !== '' && isTrusted(clientIp, hops)) {
      hops++
      const comma = rest.lastIndexOf(',')
      const element = rest.slice(comma + 1).trim()
      if (isStandard) forwarded = { ...forwarded, ...addressToldBy(element) }
      const address = addressOfList(isStandard ? parameterOf(element, 'for') : element)
      if (address === null) break
      clientIp = address
      rest = comma < 0 ? '' : rest.slice(0, comma)
    }
    return {
      clientIp,
      forwarded: isStandard ? forwarded : addressInHeaders(header, Math.max(1, hops)),
    }
  }
}

type IsTrusted = (address: string, hop: number) => boolean

function countHops(count: number): IsTrusted {
  if (!Number.isInteger(count) || count < 0)
    throw new TypeError(`trustProxy: ${count} is not a number of proxies`)
  return (_, hop) => hop < count
}

function withinNetworks(networks: readonly IpNetwork[]): IsTrusted {
  if (networks.length === 0) return () => false
  return (address) => {
    const ip = parseIp(address)
    return ip !== null && networks.some((network) => isWithin(ip, network))
  }
}

function networkOf(text: string): IpNetwork {
  const network = parseNetwork(text)
  if (network === null)
    throw new TypeError(
      `trustProxy: ${JSON.stringify(text)} is neither an address nor a network such as 10.0.0.0/8`,
    )
  return network
}

/** One element of `X-Forwarded-For`, with or without a port. */
function addressOfList(element: string): string | null {
  const bare =
    /^\[(.*)\](?::\d+)?$/.exec(element)?.[1] ?? /^([\d.]+):\d+$/.exec(element)?.[1] ?? element
  const ip = parseIp(bare)
  return ip && formatIp(ip)
}

/** A parameter of an element of `Forwarded`: `for=192.0.2.60;proto=http;host="[::1]:80"`. */
function parameterOf(element: string, name: string): string {
  const pair = element
    .split(';')
    .map((text) => text.trim())
    .find((text) => text.toLowerCase().startsWith(`${name}=`))
  return (pair ?? '').slice(name.length + 1).replace(/^"(.*)"$/, '$1')
}

function addressToldBy(element: string): Forwarded {
  return validAddress(parameterOf(element, 'proto'), parameterOf(element, 'host'), '')
}

/**
 * The value that the proxy `hops` before the socket wrote. Proxies replace these headers or append
 * to them.
 */
function addressInHeaders(header: Parameters<ProxyReader>[1], hops: number): Forwarded {
  const valueOf = (name: string): string => {
    const values = (header(`x-forwarded-${name}`) ?? '').split(',')
    return (values[Math.max(0, values.length - hops)] ?? '').trim()
  }
  return validAddress(valueOf('proto'), valueOf('host'), valueOf('prefix'))
}

const HOST = /^[\w.:[\]-]+$/
const PREFIX = /^(?:\/[\w\-.~%!$&'()*+,;=:@]+)+$/

/** Returns only values that can be part of a link. */
function validAddress(proto: string, host: string, prefix: string): Forwarded {
  const mount = mountPath(prefix)
  return {
    ...(/^https?$/i.test(proto) && { proto: proto.toLowerCase() }),
    ...(HOST.test(host) && URL.canParse(`http://${host}`) && { host: host.toLowerCase() }),
    ...(PREFIX.test(mount) && { prefix: mount }),
  }
}
