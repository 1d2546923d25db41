import { readFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { array, object, optional, parse, record, string } from 'valibot'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createNodeFetcher } from '../../../adapters/node/fetcher.ts'
import { isPublicAddress } from '../../../src/engine/egress/guard.ts'
import { createEgress } from '../../../src/engine/egress/egress.ts'
import { EgressError } from '../../../src/engine/egress/types.ts'
import { failingCases } from '../../support/failing-cases.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'

// Proves the whole way of a request down to the socket. Only the socket is replaced: it notes its
// target, and refuses.
const targets: string[] = []

beforeAll(() => {
  vi.spyOn(Socket.prototype, 'connect').mockImplementation(function connect(
    this: Socket,
    ...args: unknown[]
  ) {
    const [options] = Array.isArray(args[0]) ? args[0] : args
    const { host, lookup } = options
    if (lookup === undefined) targets.push(host)
    else
      lookup(host, { all: true }, (_: unknown, addresses: { address: string }[]) =>
        targets.push(...addresses.map(({ address }) => address)),
      )
    process.nextTick(() =>
      this.destroy(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })),
    )
    return this
  })
})
afterAll(() => vi.restoreAllMocks())

const attack = object({
  input: string(),
  kind: string(),
  expected: string(),
  dns: optional(record(string(), array(array(string())))),
})
const entries = parse(
  array(attack),
  JSON.parse(readFileSync(new URL('../../fixtures/ssrf.json', import.meta.url), 'utf8')),
).filter(({ kind }) => kind !== 'redirect')

async function check({ input, expected, dns = {} }: (typeof entries)[number]): Promise<void> {
  targets.splice(0)
  const fetcher = createNodeFetcher({ lookup: async (host) => dns[host]?.[0] ?? ['93.184.216.34'] })
  const outcome: unknown = await createEgress({ fetcher, clock: createFakeClock() })({
    url: input,
    purpose: 'page',
  }).catch((error: unknown) => error)
  expect(outcome).toBeInstanceOf(EgressError)
  if (expected === 'deny') expect(targets).toEqual([])
  else {
    expect(targets.length).toBeGreaterThan(0)
    expect(targets.filter((address) => !isPublicAddress(address))).toEqual([])
    expect(outcome).toMatchObject({ reason: 'connection', message: 'The connection was refused.' })
  }
  await fetcher.close()
}

test('no attack opens a socket, and sockets are opened to public addresses only', async () => {
  const nameOf = ({ expected, input }: (typeof entries)[number]) => `${expected} ${input}`
  expect(await failingCases(entries, nameOf, check)).toEqual([])
})
