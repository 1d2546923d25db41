import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Limiter } from '../../src/ports/limiter.ts'
import { TokenBucket } from './limiter-model.ts'

/** The limiter to test: empty, and used by nobody else. */
export interface LimiterSubject {
  readonly limiter: Limiter
  /** The time that the limiter sees. */
  readonly clock: { now(): number; advance(ms: number): Promise<void> }
}

/**
 * The tests that every adapter of the Limiter port must pass. `make` is called once for each test.
 *
 * @example
 *   declare const makeLimiter: () => Promise<LimiterSubject>
 *   limiterContract('My limiter', makeLimiter)
 */
export function limiterContract(name: string, make: () => Promise<LimiterSubject>): void {
  describe(`${name} keeps the Limiter contract`, () => {
    const rate = { limit: 60, periodMs: 60_000, burst: 4 }

    it('lets the burst through at once, then the steady rate', async () => {
      const { limiter, clock } = await make()
      const now = clock.now()
      const calls = []
      for (let i = 0; i < 6; i++) calls.push(await limiter.take('k', rate))
      expect(calls.map((call) => call.allowed)).toEqual([true, true, true, true, true, false])
      expect(calls.map((call) => call.remaining)).toEqual([4, 3, 2, 1, 0, 0])
      expect(calls.every((call) => call.limit === 60)).toBe(true)
      expect(calls[5]?.resetAt).toBe(now + 1_000)
      await clock.advance(999)
      expect((await limiter.take('k', rate)).allowed).toBe(false)
      await clock.advance(1)
      expect(await limiter.take('k', rate)).toEqual({
        allowed: true,
        limit: 60,
        remaining: 0,
        resetAt: now + 6_000,
      })
      expect((await limiter.take('k', rate)).allowed).toBe(false)
      await limiter.close()
    })

    it('allows the full burst again after a rest, and not more', async () => {
      const { limiter, clock } = await make()
      for (let i = 0; i < 5; i++) await limiter.take('k', rate)
      await clock.advance(3_600_000)
      const calls = []
      for (let i = 0; i < 6; i++) calls.push((await limiter.take('k', rate)).allowed)
      expect(calls).toEqual([true, true, true, true, true, false])
      await limiter.close()
    })

    it('limits each key by itself', async () => {
      const { limiter } = await make()
      const once = { limit: 1, periodMs: 1_000, burst: 0 }
      expect((await limiter.take('a', once)).allowed).toBe(true)
      expect((await limiter.take('a', once)).allowed).toBe(false)
      expect((await limiter.take('b', once)).allowed).toBe(true)
      await limiter.close()
    })

    it('charges a cost, charges nothing for a refused call, and answers a call of cost 0 without charge', async () => {
      const { limiter, clock } = await make()
      expect(await limiter.take('k', rate, 3)).toMatchObject({ allowed: true, remaining: 2 })
      expect(await limiter.take('k', rate, 3)).toMatchObject({
        allowed: false,
        remaining: 2,
        resetAt: clock.now() + 1_000,
      })
      expect(await limiter.take('k', rate, 0)).toMatchObject({ allowed: true, remaining: 2 })
      expect(await limiter.take('k', rate, 2)).toMatchObject({ allowed: true, remaining: 0 })
      expect((await limiter.take('other', rate, 6)).allowed).toBe(false)
      await limiter.close()
    })

    it('never lets more through than rate and burst allow, whatever the calls', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.nat(400), { minLength: 1, maxLength: 80, size: 'max' }),
          fc.integer({ min: 1, max: 7 }),
          fc.nat(5),
          async (pauses, limit, burst) => {
            const { limiter, clock } = await make()
            const started = clock.now()
            let allowed = 0
            for (const pause of pauses) {
              await clock.advance(pause)
              const call = await limiter.take('k', { limit, periodMs: 1_000, burst })
              if (call.allowed) allowed++
              expect(call.allowed || call.resetAt > clock.now()).toBe(true)
            }
            expect(allowed).toBeLessThanOrEqual(
              burst + 1 + ((clock.now() - started) * limit) / 1_000 + 1e-6,
            )
            await limiter.close()
          },
        ),
        { numRuns: 30 },
      )
    })

    it('agrees exactly with a bucket of tokens that is counted in whole numbers', async () => {
      const rates = fc.record({
        limit: fc.integer({ min: 1, max: 1_000 }),
        periodMs: fc.integer({ min: 1, max: 100_000 }),
        burst: fc.nat(50),
      })
      const calls = fc.array(
        fc.record({ pause: fc.oneof(fc.constant(0), fc.nat(20), fc.nat(5_000)), cost: fc.nat(3) }),
        { minLength: 1, maxLength: 60, size: 'max' },
      )
      await fc.assert(
        fc.asyncProperty(rates, calls, async (any, sequence) => {
          const { limiter, clock } = await make()
          const model = new TokenBucket(any, clock.now())
          for (const { pause, cost } of sequence) {
            await clock.advance(pause)
            expect(await limiter.take('k', any, cost)).toEqual(model.take(cost, clock.now()))
          }
          await limiter.close()
        }),
        { numRuns: 30 },
      )
    })

    it('admits as many of 500 calls at the same time as of 500 calls one by one', async () => {
      const { limiter, clock } = await make()
      const busy = { limit: 7, periodMs: 1_000, burst: 99 }
      const burst = () => Promise.all(Array.from({ length: 500 }, () => limiter.take('k', busy)))
      const first = await burst()
      expect(first.filter(({ allowed }) => allowed)).toHaveLength(100)
      expect(
        first
          .filter(({ allowed }) => allowed)
          .map(({ remaining }) => remaining)
          .toSorted((a, b) => a - b),
      ).toEqual(Array.from({ length: 100 }, (_, index) => index))
      await clock.advance(999)
      expect((await burst()).filter(({ allowed }) => allowed)).toHaveLength(6)
      await clock.advance(1)
      expect((await burst()).filter(({ allowed }) => allowed)).toHaveLength(1)
      await limiter.close()
    })

    it('allows a refused call at the time that the refusal names, and not before', async () => {
      const { limiter, clock } = await make()
      const odd = { limit: 7, periodMs: 60_000, burst: 0 }
      for (let i = 0; i < 5; i++) {
        expect((await limiter.take('k', odd)).allowed).toBe(true)
        const refused = await limiter.take('k', odd)
        expect(refused.allowed).toBe(false)
        await clock.advance(refused.resetAt - clock.now() - 1)
        expect((await limiter.take('k', odd)).allowed).toBe(false)
        await clock.advance(1)
      }
      await limiter.close()
    })

    it('refuses an impossible rate', async () => {
      const { limiter } = await make()
      for (const wrong of [
        { ...rate, limit: 0 },
        { ...rate, periodMs: 0 },
        { ...rate, burst: -1 },
        { ...rate, limit: Number.NaN },
        { ...rate, limit: 0.5 },
        { ...rate, periodMs: Infinity },
      ]) {
        await expect(limiter.take('k', wrong)).rejects.toThrow(RangeError)
      }
      await expect(limiter.take('k', rate, -1)).rejects.toThrow(RangeError)
      await limiter.close()
    })

    it('can be closed more than once', async () => {
      const { limiter } = await make()
      await limiter.close()
      await expect(limiter.close()).resolves.toBe(undefined)
    })
  })
}
