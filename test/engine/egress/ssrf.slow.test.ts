import { readFileSync } from 'node:fs'
import { array, literal, number, object, optional, parse, record, string, union } from 'valibot'
import { expect, test } from 'vitest'
import { isPublicAddress, addressOf, refusalOf } from '../../../src/engine/egress/guard.ts'
import { createEgress } from '../../../src/engine/egress/egress.ts'
import type { EgressPurpose } from '../../../src/engine/egress/types.ts'
import { EgressError } from '../../../src/engine/egress/types.ts'
import { failingCases } from '../../support/failing-cases.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createFakeFetcher } from '../../support/fakes/fake-fetcher.ts'

const attack = object({
  id: string(),
  kind: union([literal('url'), literal('dns'), literal('redirect')]),
  input: string(),
  dns: optional(record(string(), array(array(string())))),
  hops: optional(array(string())),
  maxRedirects: optional(number()),
  expected: union([literal('deny'), literal('allow')]),
  expectConnect: optional(array(string())),
})
const entries = parse(
  array(attack),
  JSON.parse(readFileSync(new URL('../../fixtures/ssrf.json', import.meta.url), 'utf8')),
)
const purposes: readonly EgressPurpose[] = ['page', 'robots', 'sitemap', 'media', 'webhook', 'jwks']

async function run(entry: (typeof entries)[number], purpose: EgressPurpose) {
  const { hops = [], dns } = entry
  const fetcher = createFakeFetcher({
    ...(dns && { dns }),
    answer: (_, nth) => {
      const location = hops[nth - 1]
      return location === undefined ? {} : { status: 302, headers: { location } }
    },
  })
  const egress = createEgress({ fetcher, clock: createFakeClock() })
  // More redirects than the purpose allows: a shorter chain must not hide an attack at its end.
  const outcome = await egress({
    url: entry.input,
    purpose,
    maxRedirects: entry.maxRedirects ?? 10,
  }).catch((error: unknown) => error)
  // The target of each packet.
  const packets = fetcher.sent.flatMap(
    ({ url, addresses }) => addresses ?? [addressOf(url) ?? `unchecked name ${url.hostname}`],
  )
  return { outcome, packets }
}

test('the fixture has attacks and harmless requests', () => {
  expect(entries.filter(({ expected }) => expected === 'deny').length).toBeGreaterThanOrEqual(200)
  expect(entries.filter(({ expected }) => expected === 'allow').length).toBeGreaterThanOrEqual(40)
})

test('every attack is refused for every purpose, and no harmless request is', async () => {
  const cases = purposes.flatMap((purpose) => entries.map((entry) => ({ purpose, entry })))
  const nameOf = ({ purpose, entry }: (typeof cases)[number]) =>
    `${purpose}, ${entry.expected} ${entry.id} ${entry.input}`
  const failing = await failingCases(cases, nameOf, async ({ purpose, entry }) => {
    const { outcome, packets } = await run(entry, purpose)
    expect(packets.filter((address) => !isPublicAddress(address))).toEqual([])
    if (entry.expected === 'allow') {
      expect(outcome).toMatchObject({ status: 200, truncated: false })
      expect(packets).toHaveLength((entry.hops?.length ?? 0) + 1)
      return
    }
    expect(outcome).toBeInstanceOf(EgressError)
    if (!(outcome instanceof EgressError)) return
    expect(['refused', 'invalid_url', 'too_many_redirects']).toContain(outcome.reason)
    if (entry.kind !== 'redirect') expect(packets).toEqual([])
    if (entry.expectConnect) expect(packets).toEqual(entry.expectConnect)
    // The message is opaque: the caller learns nothing about the addresses of a name.
    const text = `${outcome.message} ${String(outcome.cause)} ${outcome.stack ?? ''}`
    for (const address of Object.values(entry.dns ?? {}).flat(2))
      expect(text).not.toContain(address)
  })
  expect(failing).toEqual([])
})

test('an attack that the URL alone shows is also refused when it is saved', () => {
  for (const { kind, input, expected } of entries) {
    if (kind === 'url') {
      expect([input, refusalOf(input) === null]).toEqual([input, expected === 'allow'])
    }
    if (kind === 'dns') expect([input, refusalOf(input)]).toEqual([input, null])
  }
})

test('a fetcher that cannot pin addresses still never gets a URL that is an attack by itself', async () => {
  for (const { kind, input, expected } of entries) {
    if (kind !== 'url' || expected === 'allow') continue
    const fetcher = createFakeFetcher({ pinsAddresses: false })
    await expect(
      createEgress({ fetcher, clock: createFakeClock() })({ url: input, purpose: 'page' }),
    ).rejects.toBeInstanceOf(EgressError)
    expect(fetcher.sent).toEqual([])
    expect(fetcher.resolved).toEqual([])
  }
})
