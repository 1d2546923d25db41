import { expect, test } from 'vitest'
import { lineOf } from '../../../adapters/bullmq/share-lines.ts'
import { createObjectLimiter, LimiterObject } from '../../../adapters/cloudflare/index.ts'
import { KeyShare } from '../../../src/features/verify/key-share.ts'
import { fnv1a } from '../../../src/kernel/short-key.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createObjectHost } from '../../support/worlds/object-host.ts'

const TEXTS = ['', 'a', 'foobar', 'acme', 'account:42', 'café', 'naïve ☂ 😀']

test('the hash of ASCII is FNV-1a, and that of other texts is of their UTF-16 units', () => {
  // The first three are test vectors of FNV's authors.
  expect(TEXTS.map(fnv1a)).toEqual([
    0x811c9dc5, 0xe40c292c, 0xbf9cf968, 0x45fd71af, 0xc2a16320, 0x3308be7c, 0xd8e796a3,
  ])
})

test('jobs that wait in BullMQ keep their line', () => {
  expect(TEXTS.map(lineOf)).toEqual([828887, 800621, 853346, 882191, 94027, 573869, 500786])
})

test('the counters of a limiter stay in their Durable Object', async () => {
  const clock = createFakeClock()
  const { namespace, asked } = createObjectHost((state) => new LimiterObject(state, {}, clock))
  const limiter = createObjectLimiter({ namespace, clock, shards: 8 })
  const keys = TEXTS.slice(1)
  for (const key of keys) await limiter.take(key, { limit: 60, periodMs: 60_000, burst: 9 })
  expect(asked).toEqual([4, 0, 7, 0, 4, 3].map((shard) => `seine:limits:${shard}`))
})

test('a key keeps its share in a verification', () => {
  let shares = [KeyShare.all()]
  for (let times = 0; times < 4; times++) shares = shares.flatMap((share) => share.halves() ?? [])
  const shareOf = (key: string) => shares.findIndex((share) => share.has(key))
  expect(['acme', 'foobar', 'café', 'a', 'b', 'c'].map(shareOf)).toEqual([10, 8, 11, 2, 11, 5])
})
