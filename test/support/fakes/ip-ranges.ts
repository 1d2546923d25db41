/**
 * The special ranges as the registries write them, with a slow and plain reader of them, to which
 * the fast one is compared.
 */
export const DENIED_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '168.63.129.16/32',
]
export const ALLOWED_V6 = ['2000::/3']
export const DENIED_V6 = [
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
]

/** A range of numbers, both ends included. */
export type Range = readonly [first: bigint, last: bigint]

/** First and last address of a CIDR block. */
export function rangeOf(cidr: string): Range {
  const [address = '', prefix = ''] = cidr.split('/')
  const isV6 = address.includes(':')
  const size = 1n << BigInt((isV6 ? 128 : 32) - Number(prefix))
  const first = isV6
    ? v6Number(address)
    : address.split('.').reduce((sum, octet) => sum * 256n + BigInt(octet), 0n)
  return [first, first + size - 1n]
}

function v6Number(address: string): bigint {
  const [head = '', tail = ''] = address.split('::')
  const groups = (text: string) => text.split(':').filter(Boolean)
  const zeros = Array<string>(8 - groups(head).length - groups(tail).length).fill('0')
  return [...groups(head), ...zeros, ...groups(tail)].reduce(
    (sum, group) => sum * 65_536n + BigInt(`0x${group}`),
    0n,
  )
}

/** Whether a number lies in one of the blocks. */
export function isWithin(cidrs: readonly string[], address: bigint): boolean {
  return cidrs.map(rangeOf).some(([first, last]) => address >= first && address <= last)
}

/** Dotted quad. */
export function v4Text(address: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 255n).join('.')
}

/** Eight full groups. */
export function v6Text(address: bigint): string {
  return Array.from({ length: 8 }, (_, index) =>
    ((address >> BigInt(112 - 16 * index)) & 65_535n).toString(16),
  ).join(':')
}
