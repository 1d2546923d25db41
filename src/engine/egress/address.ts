/**
 * Whether a textual IP address is on the public internet: IPv4 outside the special-purpose ranges, IPv6 inside 2000::/3
 * (the only space given out for global unicast) and outside its special blocks. IPv6 needs no unwrapping of embedded
 * IPv4: mapped, NAT64, ISATAP and the like all lie outside, 6to4 and Teredo are blocks of their own. Text that is no
 * address in canonical form (zone ids, octal, short forms) is not public.
 *
 * Source: IANA special-purpose address registries (RFC 6890), and the platform address 168.63.129.16.
 */
export function isPublicAddress(address: string): boolean {
  if (address.includes(':')) {
    const groups = parseIpv6(address)
    return groups !== null && isPublicIpv6(groups)
  }
  const bits = parseIpv4(address)
  return bits !== null && isPublicIpv4(bits)
}

/** The 32 bits of a dotted quad as an unsigned number; `null` for anything else, leading zeros included. */
export function parseIpv4(text: string): number | null {
  let bits = 0
  let octet = -1
  let dots = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
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

/** The eight 16-bit groups of an IPv6 address (RFC 4291, 2.2, without brackets or zone); `null` if it is none. */
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

const DOT = 46
const ZERO = 48

function parseGroups(text: string, isHead = false): number[] | null {
  if (text === '') return []
  const parts = text.split(':')
  const groups: number[] = []
  for (const [at, part] of parts.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(part)) {
      groups.push(Number.parseInt(part, 16))
      continue
    }
    // A dotted quad may only stand at the very end of the address.
    const quad = !isHead && at === parts.length - 1 ? parseIpv4(part) : null
    if (quad === null) return null
    groups.push(Math.floor(quad / 65_536), quad % 65_536)
  }
  return groups
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
      return second !== 18 && second !== 19 && !(second === 51 && third === 100) // benchmarking, documentation
    case 203:
      return !(second === 0 && third === 113) // documentation
    default:
      return first < 224 // multicast, reserved, broadcast
  }
}

function isPublicIpv6(groups: readonly number[]): boolean {
  const [first = 0, second = 0, third = 0] = groups
  if (first < 0x2000 || first > 0x3fff) return false
  if (first === 0x2001) return second > 0x1ff && second !== 0xdb8 // protocol assignments with Teredo and ORCHID; documentation
  if (first === 0x2002) return false // 6to4
  if (first === 0x2620) return !(second === 0x4f && third === 0x8000) // AS112
  return !(first === 0x3fff && second <= 0xfff) // documentation
}
