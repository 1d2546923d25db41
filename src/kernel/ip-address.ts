const DOT = 46
const ZERO = 48

/**
 * The 32 bits of a dotted quad as an unsigned number; `null` for anything else, leading zeros
 * included.
 */
export function parseIpv4(text: string): number | null {
  let bits = 0
  let octet = -1
  let dots = 0
  for (let position = 0; position < text.length; position++) {
    const code = text.charCodeAt(position)
    if (code === DOT) {
      if (octet < 0 || ++dots > 3) return null
      bits = bits * 256 + octet
      octet = -1
    } else {
      const digit = code - ZERO
      if (digit < 0 || digit > 9 || octet === 0) return null
      octet = octet < 0 ? digit : octet * 10 + digit
      if (octet > 255) return null
    }
  }
  return dots === 3 && octet >= 0 ? bits * 256 + octet : null
}

/**
 * Returns the eight 16-bit groups of an IPv6 address (RFC 4291, 2.2, without brackets or zone);
 * `null` for any other text.
 */
export function parseIpv6(text: string): readonly number[] | null {
  const gap = text.indexOf('::')
  if (gap < 0) {
    const groups = parseGroups(text)
    return groups?.length === 8 ? groups : null
  }
  if (text.includes('::', gap + 1)) return null
  const head = parseGroups(text.slice(0, gap), true)
  const tail = parseGroups(text.slice(gap + 2))
  if (head === null || tail === null || head.length + tail.length > 7) return null
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail]
}

function parseGroups(text: string, isHead = false): number[] | null {
  if (text === '') return []
  const parts = text.split(':')
  const groups: number[] = []
  for (const [index, part] of parts.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(part)) {
      groups.push(Number.parseInt(part, 16))
      continue
    }
    // A dotted quad may only stand at the very end of the address.
    const quad = !isHead && index === parts.length - 1 ? parseIpv4(part) : null
    if (quad === null) return null
    groups.push(Math.floor(quad / 65_536), quad % 65_536)
  }
  return groups
}

/** An address in its canonical form: IPv6 in eight groups, but an IPv4-mapped address as IPv4. */
export interface IpAddress {
  readonly version: 4 | 6
  /** Two 16-bit groups of IPv4, eight of IPv6. */
  readonly groups: readonly number[]
}

/** Reads an address in any spelling, IPv6 also with a zone or in brackets. `null` for other texts. */
export function parseIp(text: string): IpAddress | null {
  const bits = parseIpv4(text)
  if (bits !== null) return { version: 4, groups: [Math.floor(bits / 65_536), bits % 65_536] }
  const groups = text.includes(':')
    ? parseIpv6(text.replace(/^\[(.*)\]$/, '$1').split('%', 1)[0] ?? '')
    : null
  if (groups === null) return null
  const isMapped = groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0)
  return isMapped ? { version: 4, groups: groups.slice(6) } : { version: 6, groups }
}

/** A network: all addresses whose first `bits` bits are those of `address`. */
export interface IpNetwork {
  readonly address: IpAddress
  readonly bits: number
}

/** Reads `192.0.2.0/24`, `2001:db8::/32` or a single address. `null` for anything else. */
export function parseNetwork(text: string): IpNetwork | null {
  const [host = '', size, ...rest] = text.split('/')
  const address = parseIp(host)
  if (address === null || rest.length > 0) return null
  const width = address.groups.length * 16
  if (size === undefined) return { address, bits: width }
  return /^\d{1,3}$/.test(size) && Number(size) <= width ? { address, bits: Number(size) } : null
}

/** Returns true if an address is in a network. */
export function isWithin(ip: IpAddress, { address, bits }: IpNetwork): boolean {
  if (ip.version !== address.version) return false
  for (let index = 0; index * 16 < bits; index++) {
    const shift = Math.max(0, 16 - (bits - index * 16))
    if ((ip.groups[index] ?? 0) >>> shift !== (address.groups[index] ?? 0) >>> shift) return false
  }
  return true
}

/**
 * Returns the subscriber of an address, for rate limits: an IPv4 address itself, or the /64 of an
 * IPv6 address, because each subscriber has at least a /64 (RFC 6177). Text that is not an address
 * is returned unchanged.
 */
export function subscriberOf(text: string): string {
  const ip = parseIp(text)
  if (ip === null) return text
  return ip.version === 4 ? formatIp(ip) : `${hexGroups(ip.groups.slice(0, 4))}::/64`
}

/**
 * The /48 of an IPv6 address. It is the largest network that one site gets (RFC 6177). Counting it
 * keeps the site from counting as 65,536 subscribers. `null` for any other text.
 */
export function siteOf(text: string): string | null {
  const ip = parseIp(text)
  return ip?.version === 6 ? `${hexGroups(ip.groups.slice(0, 3))}::/48` : null
}

/** An address as text: one spelling for each, IPv6 in eight groups. */
export function formatIp({ version, groups }: IpAddress): string {
  return version === 4
    ? groups.flatMap((group) => [group >>> 8, group & 255]).join('.')
    : hexGroups(groups)
}

function hexGroups(groups: readonly number[]): string {
  return groups.map((group) => group.toString(16)).join(':')
}
