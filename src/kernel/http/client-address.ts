import { formatIp, isWithin, parseIp, parseNetwork } from '../ip-address.ts'
import type { IpNetwork } from '../ip-address.ts'

/**
 * Which proxies stand before the service: their addresses or networks (`10.0.0.0/8`, `::1`), or how
 * many there are. With a number, nobody else may be able to reach the service: whoever can, chooses
 * what the last header says.
 */
export type TrustProxy = number | readonly string[]

/**
 * The header that the proxies add to. A header that they only pass on is whatever the client made
 * of it.
 */
export type ProxyHeader = 'x-forwarded-for' | 'forwarded'

/** The client's address, of that of the socket and the value of the proxies' header. */
export type ClientAddress = (
  peer: string | undefined,
  header: string | null | undefined,
) => string | undefined

/**
 * Finds the client behind trusted proxies: going back from the socket, the first address that is no
 * proxy's. Nothing further back is read, since an untrusted peer can claim anything. Where a proxy
 * names no address (`unknown`, `_hidden`), the proxy itself stands for the client.
 *
 * Source: RFC 7239 (`Forwarded`); `X-Forwarded-For` has no standard, and is read as all proxies
 * write it.
 *
 * @throws {TypeError} for a proxy that is neither an address nor a network, and for a number that
 *   is no count
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
