import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isPublicAddress } from '../../../src/engine/egress/guard.ts'
import { parseIpv4, parseIpv6 } from '../../../src/kernel/ip-address.ts'
import {
  ALLOWED_V6,
  DENIED_V4,
  DENIED_V6,
  isWithin,
  rangeOf,
  v4Text,
  v6Text,
} from '../../support/fakes/ip-ranges.ts'
import { failingCases } from '../../support/failing-cases.ts'

/** Any number in the space, and often one that is close to an edge of a range. */
function addresses(cidrs: readonly string[], bits: number): fc.Arbitrary<bigint> {
  const top = (1n << BigInt(bits)) - 1n
  const edges = cidrs.map(rangeOf).flatMap(([first, last]) => [first, last])
  const near = fc
    .tuple(fc.constantFrom(...edges), fc.bigInt(-3n, 3n))
    .map(([edge, by]) => edge + by)
    .filter((address) => address >= 0n && address <= top)
  return fc.oneof(
    near,
    fc.bigInt(0n, top),
    fc
      .tuple(fc.constantFrom(...cidrs.map(rangeOf)), fc.bigInt(0n, top))
      .map(([[first, last], offset]) => first + (offset % (last - first + 1n))),
  )
}

test('an IPv4 address is public if it is outside of the special ranges', () => {
  fc.assert(
    fc.property(
      addresses(DENIED_V4, 32),
      (address) => isPublicAddress(v4Text(address)) === !isWithin(DENIED_V4, address),
    ),
    { numRuns: 5_000 },
  )
})

test('an IPv6 address is public if it is in 2000::/3 and outside of its special blocks', () => {
  const isPublic = (address: bigint) =>
    isWithin(ALLOWED_V6, address) && !isWithin(DENIED_V6, address)
  fc.assert(
    fc.property(
      addresses([...ALLOWED_V6, ...DENIED_V6], 128),
      (address) => isPublicAddress(v6Text(address)) === isPublic(address),
    ),
    { numRuns: 5_000 },
  )
})

test('the first and last address of every range, and their neighbours, are judged right', () => {
  for (const [first, last] of DENIED_V4.map(rangeOf)) {
    for (const address of [first - 1n, first, last, last + 1n]) {
      if (address >= 0n && address < 1n << 32n) {
        expect([v4Text(address), isPublicAddress(v4Text(address))]).toEqual([
          v4Text(address),
          !isWithin(DENIED_V4, address),
        ])
      }
    }
  }
})

test('every spelling of an IPv6 address is read as the same address', () => {
  const spelling = fc.bigInt(0n, (1n << 128n) - 1n).chain((address) =>
    fc.record({
      at: fc.constant(address),
      from: fc.nat(7),
      length: fc.integer({ min: 1, max: 8 }),
      upper: fc.boolean(),
      quad: fc.boolean(),
      pad: fc.boolean(),
    }),
  )
  fc.assert(
    fc.property(spelling, ({ at, from, length, upper, quad, pad }) => {
      const zeroed = v6Text(at)
        .split(':')
        .map((group, i) => (i >= from && i < from + length ? '0' : group))
      const expected = zeroed.map((group) => Number.parseInt(group, 16))
      let groups = pad ? zeroed.map((group) => group.padStart(4, '0')) : zeroed
      const end = Math.min(8, from + length)
      const [high = 0, low = 0] = expected.slice(6)
      if (quad && end <= 6)
        groups = [...groups.slice(0, 6), `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`]
      const text = `${groups.slice(0, from).join(':')}::${groups.slice(end).join(':')}`
      expect(parseIpv6(upper ? text.toUpperCase() : text)).toEqual(expected)
    }),
    { numRuns: 2_000 },
  )
})

test('a text that is not an IPv4 address is not public', async () => {
  const texts = [
    '',
    '.',
    '1',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.',
    '.1.2.3',
    '1..2.3',
    '256.1.1.1',
    '08.8.8.8',
    '8.8.8.08',
    '00.8.8.8',
    '0x8.8.8.8',
    '8.8.8.8 ',
    ' 8.8.8.8',
    '8.8.8.8%eth0',
    '134744072',
    '８.8.8.8',
    '1.2.3.-4',
    '1.2.3.4e0',
  ]
  const failing = await failingCases(texts, JSON.stringify, (text) => {
    expect(parseIpv4(text)).toBeNull()
    expect(isPublicAddress(text)).toBe(false)
  })
  expect(failing).toEqual([])
})

test('a text that is not an IPv6 address is not public', async () => {
  const texts = [
    ':',
    ':::',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1::2::3',
    '2606:4700::1%eth0',
    '[2606:4700::1]',
    '2606:4700::12345',
    '2606:4700::g',
    ':2606:4700::',
    '2606:4700::1:',
    '1:2:3:4:5:6:7::8:9',
    '2606:4700::1.2.3',
    '2606:4700:1.2.3.4::',
    '1.2.3.4::',
    '::1.2.3.4:5',
    '2606:4700::08.8.8.8',
    '2606:4700::+1',
    '2606:4700::0x1',
    '2606:4700:: ',
  ]
  const failing = await failingCases(texts, JSON.stringify, (text) => {
    expect(parseIpv6(text)).toBeNull()
    expect(isPublicAddress(text)).toBe(false)
  })
  expect(failing).toEqual([])
})

test('no text throws an error, and no text but an address counts as public', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'0123456789abcdef:.') })),
      (text) => !isPublicAddress(text) || parseIpv4(text) !== null || parseIpv6(text) !== null,
    ),
    { numRuns: 5_000 },
  )
})
