import { parseIpv4, parseIpv6 } from '../../kernel/ip-address.ts'

/**
 * Whether a textual IP address is on the public internet: IPv4 outside the special-purpose ranges,
 * IPv6 inside 2000::/3 (the only space given out for global unicast) and outside its special
 * blocks. IPv6 needs no unwrapping of embedded IPv4: mapped, NAT64, ISATAP and the like all lie
 * outside, 6to4 and Teredo are blocks of their own. Text that is no address in canonical form (zone
 * ids, octal, short forms) is not public.
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
