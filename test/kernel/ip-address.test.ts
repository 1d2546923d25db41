import * as fc from 'fast-check'
import { BlockList } from 'node:net'
import { describe, expect, it } from 'vitest'
import {
  formatIp,
  isWithin,
  parseIp,
  parseNetwork,
  siteOf,
  subscriberOf,
} from '../../src/kernel/ip-address.ts'

const within = (ip: string, network: string): boolean => {
  const [address, block] = [parseIp(ip), parseNetwork(network)]
  return address !== null && block !== null && isWithin(address, block)
}

describe('a network', () => {
  it('of any size has the same addresses as in node:net', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV4(), fc.nat(32), fc.nat(32), (ip, base, bits, near) => {
        const list = new BlockList()
        list.addSubnet(base, bits, 'ipv4')
        expect(within(ip, `${base}/${bits}`)).toBe(list.check(ip, 'ipv4'))
        // Two random addresses seldom share a prefix, so one gets some bits of the other.
        const mask = near === 0 ? 0 : (0xffffffff << (32 - near)) >>> 0
        const bitsOf = (text: string) =>
          text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
        const mixed = ((bitsOf(base) & mask) | (bitsOf(ip) & ~mask)) >>> 0
        const text = [24, 16, 8, 0].map((shift) => (mixed >>> shift) & 255).join('.')
        expect(within(text, `${base}/${bits}`)).toBe(list.check(text, 'ipv4'))
      }),
    )
    fc.assert(
      fc.property(fc.ipV6(), fc.ipV6(), fc.nat(128), (ip, base, bits) => {
        fc.pre(parseIp(ip)?.version === 6 && parseIp(base)?.version === 6)
        const list = new BlockList()
        list.addSubnet(base, bits, 'ipv6')
        for (const address of [ip, base])
          expect(within(address, `${base}/${bits}`)).toBe(list.check(address, 'ipv6'))
      }),
    )
  })
})

describe('an address', () => {
  it('that was written is read back', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const ip = parseIp(text)
        expect(ip && parseIp(formatIp(ip))).toEqual(ip)
        expect(ip).not.toBeNull()
      }),
    )
  })

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:0201', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9%eth0', '2001:db8:1:2::/64'],
    ['fe80::1', 'fe80:0:0:0::/64'],
    ['unix', 'unix'],
  ])('like %s counts as the client %s', (text, counted) => {
    expect(subscriberOf(text)).toBe(counted)
  })

  it.each([
    ['2001:DB8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['2001:db8:1:9::', '2001:db8:1::/48'],
    ['192.0.2.1', null],
    ['::ffff:192.0.2.1', null],
    ['unix', null],
  ])('like %s belongs to the site %s', (text, site) => {
    expect(siteOf(text)).toBe(site)
  })
})
