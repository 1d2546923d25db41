import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createObjectLimiter, LimiterObject } from '../../../adapters/cloudflare/index.ts'
import type { ObjectNamespace } from '../../../adapters/cloudflare/index.ts'
import type { Limiter } from '../../../src/ports/limiter.ts'
import { limiterContract } from '../../contracts/limiter.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createObjectHost } from '../../support/worlds/object-host.ts'

const open = () => {
  const clock = createFakeClock()
  return { clock, ...createObjectHost((state) => new LimiterObject(state, {}, clock)) }
}

// test/runtimes/hosts/worker-limits.ts proves the same in workerd itself.
limiterContract('createObjectLimiter', async () => {
  const { namespace, clock } = open()
  return { limiter: createObjectLimiter({ namespace, clock }), clock }
})

limiterContract('createObjectLimiter by the time of its objects', async () => {
  const clock = createFakeClock()
  const { namespace } = createObjectHost((state) => new LimiterObject(state, {}, clock))
  // Each call has a binding of its own, so that the limiter knows of no refusals: the system's clock is not
  // the objects' here.
  const limiter: Limiter = {
    take: (...call) => createObjectLimiter({ namespace: { ...namespace } }).take(...call),
    close: async () => {},
  }
  return { limiter, clock }
})

const rate = { limit: 60, periodMs: 60_000, burst: 9 }

describe('the calls of objects', () => {
  it('an object is asked once for each call, and not at all while the limiter knows that it would refuse', async () => {
    const { namespace, asked, clock } = open()
    // One limiter for each event, as `serve` has them.
    const take = (key = 'k') => createObjectLimiter({ namespace, clock }).take(key, rate)
    for (let call = 0; call < 11; call++) await take()
    expect(asked).toHaveLength(11)
    for (let call = 0; call < 50; call++)
      expect(await take()).toEqual({
        allowed: false,
        limit: 60,
        remaining: 0,
        resetAt: clock.now() + 1_000,
      })
    expect(asked).toHaveLength(11)
    expect((await take('other')).allowed).toBe(true)
    await clock.advance(1_000)
    expect((await take()).allowed).toBe(true)
    expect(asked).toHaveLength(13)
  })

  it('a known refusal does not stop calls of another rate, another cost or another platform', async () => {
    const { namespace, clock } = open()
    const limiter = createObjectLimiter({ namespace, clock })
    for (let call = 0; call < 11; call++) await limiter.take('k', rate)
    expect(await limiter.take('k', rate, 0)).toMatchObject({ allowed: true, remaining: 0 })
    expect(await limiter.take('k', { ...rate, burst: 10 })).toMatchObject({
      allowed: true,
      remaining: 0,
    })
    expect(
      (await createObjectLimiter({ namespace, clock, prefix: 'another' }).take('k', rate)).allowed,
    ).toBe(true)
  })

  it('keys are spread over the objects', async () => {
    const { namespace, asked } = open()
    for (let key = 0; key < 400; key++)
      await createObjectLimiter({ namespace }).take(`tasks:ip:192.0.2.${key}`, rate)
    const counts = [0, 1, 2, 3].map(
      (shard) => asked.filter((name) => name === `seine:limits:${shard}`).length,
    )
    expect(counts.reduce((sum, count) => sum + count)).toBe(400)
    for (const count of counts) expect(count).toBeGreaterThan(50)
    for (const shards of [0, 1.5, Number.NaN, -1])
      expect(() => createObjectLimiter({ namespace, shards })).toThrow(TypeError)
  })
})

describe('the buckets in the storage of an object', () => {
  const once = { limit: 1, periodMs: 3_600_000, burst: 0 }
  const NAME = 'seine:limits:0'

  it('buckets outlive an object that was evicted from memory', async () => {
    const { namespace, evict, clock } = open()
    const allowed = []
    for (let call = 0; call < 12; call++) {
      evict()
      allowed.push(
        (await createObjectLimiter({ namespace: { ...namespace }, clock }).take('k', rate)).allowed,
      )
    }
    expect(allowed.filter(Boolean)).toHaveLength(10)
  })

  it('calls that take nothing write nothing', async () => {
    const { namespace, stored, written, clock } = open()
    const limiter = createObjectLimiter({ namespace, clock, shards: 1 })
    await limiter.take('k', rate, 0)
    await limiter.take('k', rate, 11)
    expect(stored(NAME)).toEqual({ rows: 0, alarm: null })
    for (let call = 0; call < 5; call++) await limiter.take('k', rate, 2)
    expect(written(NAME)).toBe(5)
    for (const cost of [0, 1, 2]) await limiter.take('k', rate, cost)
    expect(written(NAME)).toBe(5)
  })

  it('buckets that are full again are deleted, and the whole storage with the last of them', async () => {
    const { namespace, stored, ring, evict, clock } = open()
    const limiter = createObjectLimiter({ namespace, clock, shards: 1 })
    const began = clock.now()
    for (let key = 0; key < 50; key++) await limiter.take(`short ${key}`, rate)
    await limiter.take('long', once)
    expect(stored(NAME)).toEqual({ rows: 51, alarm: began + 600_000 })
    evict()
    await clock.advance(300_000)
    await limiter.take('long', once)
    await limiter.take('early', { ...once, periodMs: 1_000 })
    expect(stored(NAME)).toEqual({ rows: 52, alarm: began + 600_000 })
    await clock.advance(300_000)
    await ring(clock.now())
    expect(stored(NAME)).toEqual({ rows: 1, alarm: began + 1_200_000 })
    expect((await limiter.take('long', once)).allowed).toBe(false)
    for (let minutes = 20; minutes < 80; minutes += 10) {
      await clock.advance(600_000)
      await ring(clock.now())
    }
    expect(stored(NAME)).toEqual({ rows: 0, alarm: null })
    expect((await limiter.take('long', once)).allowed).toBe(true)
    expect(stored(NAME)).toEqual({ rows: 1, alarm: clock.now() + 600_000 })
  })

  it('no bucket that still limits is lost, whenever the object cleans up or is evicted, at any time', async () => {
    const steps = fc.array(
      fc.record({
        pause: fc.oneof(fc.nat(5_000), fc.nat(2_000_000)),
        key: fc.nat(2),
        ring: fc.boolean(),
        evict: fc.boolean(),
      }),
      { minLength: 1, maxLength: 40 },
    )
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.integer({ min: -10_000_000, max: 10_000_000 }),
        async (calls, apart) => {
          const world = open()
          const plain = open()
          const skewedClock = { now: () => world.clock.now() + apart }
          for (const { pause, key, ring, evict } of calls) {
            await world.clock.advance(pause)
            await plain.clock.advance(pause)
            if (evict) world.evict()
            if (ring) await world.ring(world.clock.now())
            const slow = { limit: 2, periodMs: 1_500_000, burst: 1 }
            const { resetAt, ...rest } = await createObjectLimiter({
              namespace: world.namespace,
              clock: skewedClock,
            }).take(String(key), slow)
            expect({ ...rest, resetAt: resetAt - apart }).toEqual(
              await createObjectLimiter({ namespace: plain.namespace, clock: plain.clock }).take(
                String(key),
                slow,
              ),
            )
          }
        },
      ),
      { numRuns: 40 },
    )
  })

  it('a cleanup that has too much to delete for one alarm rings again at once', async () => {
    const { namespace, stored, run, ring, clock } = open()
    await createObjectLimiter({ namespace, clock, shards: 1 }).take('k', rate)
    run(
      NAME,
      'WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) ' +
        'INSERT INTO buckets SELECT i, ms, part, parts, useless_at FROM buckets, n',
    )
    expect(stored(NAME).rows).toBe(10_001)
    await clock.advance(600_000)
    await ring(clock.now())
    expect(stored(NAME)).toEqual({ rows: 1, alarm: clock.now() })
    await ring(clock.now())
    expect(stored(NAME)).toEqual({ rows: 0, alarm: null })
  })
})

describe('an object that cannot be reached', () => {
  const failing = (
    failures: readonly object[],
    answer?: Response,
  ): { readonly namespace: ObjectNamespace; readonly stubs: () => number } => {
    let stubs = 0
    const { namespace } = open()
    return {
      namespace: {
        getByName(name) {
          const failure = failures[stubs++]
          if (failure)
            return {
              fetch: () =>
                Promise.reject(Object.assign(new Error('Network connection lost.'), failure)),
            }
          return answer ? { fetch: async () => answer } : namespace.getByName(name)
        },
      },
      stubs: () => stubs,
    }
  }

  it('makes the call fail, as with other limiters', async () => {
    const { namespace, stubs } = failing([{ retryable: false }])
    await expect(createObjectLimiter({ namespace }).take('k', rate)).rejects.toThrow(
      'Network connection lost.',
    )
    expect(stubs()).toBe(1)
    await expect(
      createObjectLimiter({
        namespace: failing([], new Response('', { status: 503 })).namespace,
      }).take('k', rate),
    ).rejects.toThrow('503')
  })

  it('is asked once more, by a new stub, if it was restarted, but not if it is overloaded', async () => {
    const restarted = failing([{ retryable: true }])
    expect(
      (await createObjectLimiter({ namespace: restarted.namespace }).take('k', rate)).allowed,
    ).toBe(true)
    expect(restarted.stubs()).toBe(2)
    const objects = failing([{ retryable: true }, { retryable: true }])
    await expect(
      createObjectLimiter({ namespace: objects.namespace }).take('k', rate),
    ).rejects.toThrow('lost')
    expect(objects.stubs()).toBe(2)
    const overloaded = failing([{ retryable: true, overloaded: true }])
    await expect(
      createObjectLimiter({ namespace: overloaded.namespace }).take('k', rate),
    ).rejects.toThrow('lost')
    expect(overloaded.stubs()).toBe(1)
  })
})
