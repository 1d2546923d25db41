import { formatIp, isWithin, parseIp, parseNetwork } from '../ip-address.ts'
import type { IpNetwork } from '../ip-address.ts'

/**
 * The proxies in front of the service: their addresses or networks (`10.0.0.0/8`, `::1`), or their
 * number. With a number, only the proxies may be able to reach the service: any other client could
 * choose the last header value.
 */
export type TrustProxy = number | readonly string[]

/**
 * The header that the proxies add to. A header that they only pass on is under the client's
 * control.
 */
export type ProxyHeader = 'x-forwarded-for' | 'forwarded'

/** Finds the client's address from the socket's address and the value of the proxies' header. */
export type ClientAddress = (
  peer: string | undefined,
  header: string | null | undefined,
) => string | undefined

/**
 * Finds the client behind trusted proxies: going back from the socket, the first address that is
 * not a proxy's. Earlier addresses are ignored, because an untrusted peer can claim anything. If a
 * proxy names no address (`unknown`, `_hidden`), the proxy counts as the client.
 *
 * Source: RFC 7239 (`Forwarded`); `X-Forwarded-For` has no standard and is read as common proxies
 * write it.
 *
 * @throws {TypeError} for a proxy that is neither an address nor a network, and for an invalid
 *   number
 */
export function createClientAddress(
  trust: TrustProxy,
  headerName: ProxyHeader = 'x-forwarded-for',
): ClientAddress {
  const isTrusted =
    typeof trust === 'number' ? countHops(trust) : withinNetworks(trust.map(networkOf))
  const addressOf = headerName === 'forwarded' ? addressOfForwarded : addressOfList
  return (peer, header) => {
    let client = peer
    let rest = header ?? ''
    for (let hop = 0; rest !== '' && client !== undefined && isTrusted(client, hop); hop++) {
      const comma = rest.lastIndexOf(',')
      const address = addressOf(rest.slice(comma + 1).trim())
      if (address === null) break
      client = address
      rest = comma < 0 ? '' : rest.slice(0, comma)
    }
    return client
  }
}

type IsTrusted = (address: string, hop: number) => boolean

function countHops(count: number): IsTrusted {
  if (!Number.isInteger(count) || count < 0)
    throw new TypeError(`trustProxy: ${count} is not a number of proxies`)
  return (_, hop) => hop < count
}

function withinNetworks(networks: readonly IpNetwork[]): IsTrusted {
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

/** One element of `X-Forwarded-For`, some of which have a port. */
function addressOfList(element: string): string | null {
  const bare =
    /^\[(.*)\](?::\d+)?$/.exec(element)?.[1] ?? /^([\d.]+):\d+$/.exec(element)?.[1] ?? element
  const ip = parseIp(bare)
  return ip && formatIp(ip)
}

/** One element of `Forwarded`: `for=192.0.2.60;proto=http`, `for="[2001:db8::1]:4711"`. */
function addressOfForwarded(element: string): string | null {
  const parameter = element.split(';').find((pair) => /^\s*for\s*=/i.test(pair))
  return parameter === undefined
    ? null
    : addressOfList(
        parameter
          .slice(parameter.indexOf('=') + 1)
          .trim()
          .replace(/^"(.*)"$/, '$1'),
      )
}
