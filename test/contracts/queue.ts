import { describe, expect, it } from 'vitest'
import type { Delivery, JobResult, Queue } from '../../src/ports/queue.ts'
import { queueSharesContract } from './queue-shares.ts'
import type { QueueSubject } from './queue-subject.ts'

const never = new AbortController().signal

/**
 * The tests that every adapter of the Queue port must pass. `make` is called once for each test.
 *
 * @example
 *   declare const makeQueue: () => Promise<QueueSubject>
 *   queueContract('My queue', makeQueue)
 */
export function queueContract(name: string, make: () => Promise<QueueSubject>): void {
  /** Runs all jobs that are due, and returns the deliveries. */
  const drain = async (
    queue: Queue,
    answer: (job: Delivery) => JobResult = () => 'done',
  ): Promise<Delivery[]> => {
    const seen: Delivery[] = []
    await queue.consume(
      async (job) => {
        seen.push(job)
        return answer(job)
      },
      { concurrency: 4, signal: never, untilIdle: true },
    )
    return seen
  }

  describe(`${name} keeps the Queue contract`, () => {
    queueSharesContract(make)

    it('delivers a job with its data, once', async () => {
      const { queue, clock } = await make()
      await queue.push({ id: 'j1', kind: 'advance', data: { execution: 'x', parts: [1, null] } })
      expect(await clock.runUntil(drain(queue))).toEqual([
        {
          id: 'j1',
          kind: 'advance',
          data: { execution: 'x', parts: [1, null] },
          attempt: 1,
          lost: 0,
          isNewlyLost: false,
        },
      ])
      expect(await clock.runUntil(drain(queue))).toEqual([])
      await queue.close()
    })

    it('keeps one job for several pushes of the same id while it waits', async () => {
      const { queue, other, clock } = await make()
      await Promise.all([
        queue.push({ id: 'j', kind: 'a', data: 1 }),
        other.push({ id: 'j', kind: 'a', data: 2 }),
        queue.push({ id: 'j', kind: 'a', data: 3 }),
      ])
      expect(await clock.runUntil(drain(queue))).toHaveLength(1)
      await queue.push({ id: 'j', kind: 'a', data: 4 })
      expect((await clock.runUntil(drain(queue))).map((job) => job.data)).toEqual([4])
      await queue.close()
    })

    it('runs a job again that was pushed while it ran', async () => {
      const { queue, other, clock } = await make()
      await queue.push({ id: 'j', kind: 'a', data: null })
      const attempts: number[] = []
      const consumed = queue.consume(
        async (job) => {
          attempts.push(job.attempt)
          if (attempts.length === 1)
            await Promise.all([
              other.push({ id: 'j', kind: 'a', data: null }),
              queue.push({ id: 'j', kind: 'a', data: null }),
            ])
          return 'done'
        },
        { concurrency: 4, signal: never, untilIdle: true },
      )
      await clock.runUntil(consumed)
      expect(attempts).toEqual([1, 1])
      expect(await clock.runUntil(drain(other))).toEqual([])
      await queue.close()
    })

    it('holds a job back until its time, and runs it again when its handler asks for that', async () => {
      const { queue, clock } = await make()
      const start = clock.now()
      await queue.push({ id: 'late', kind: 'a', data: null }, { at: start + 5_000 })
      expect(await clock.runUntil(drain(queue))).toEqual([])
      const times: number[] = []
      const stop = new AbortController()
      const consumed = queue.consume(
        async () => {
          times.push(clock.now() - start)
          if (times.length < 3) return { again: clock.now() + 60_000 }
          stop.abort()
          return 'done'
        },
        { concurrency: 1, signal: stop.signal },
      )
      await clock.runUntil(consumed)
      expect(times).toEqual([5_000, 65_000, 125_000])
      await queue.close()
    })

    it('tries a failed job again, after a longer wait each time', async () => {
      const { queue, clock } = await make()
      await queue.push({ id: 'j', kind: 'a', data: null })
      const seen: { attempt: number; at: number }[] = []
      const stop = new AbortController()
      const consumed = queue.consume(
        async (job) => {
          seen.push({ attempt: job.attempt, at: clock.now() })
          if (seen.length < 14) throw new Error('not yet')
          stop.abort()
          return 'done'
        },
        { concurrency: 1, signal: stop.signal },
      )
      await clock.runUntil(consumed)
      expect(seen.map(({ attempt }) => attempt)).toEqual(
        Array.from({ length: 14 }, (_, i) => i + 1),
      )
      const waits = seen.slice(1).map(({ at }, i) => at - (seen[i]?.at ?? 0))
      waits.forEach((wait, i) => {
        const whole = Math.min(1_000 * 2 ** i, 300_000)
        expect(wait).toBeGreaterThanOrEqual(whole / 2)
        expect(wait).toBeLessThanOrEqual(whole + 1_000)
      })
      expect(await clock.runUntil(drain(queue))).toEqual([])
      await queue.close()
    })

    it('runs no more jobs at the same time than allowed, and starts another as soon as one ends', async () => {
      const { queue, clock } = await make()
      for (let i = 0; i < 25; i++) await queue.push({ id: `j${i}`, kind: 'a', data: i })
      let running = 0
      let most = 0
      const done: unknown[] = []
      const start = clock.now()
      const consumed = queue.consume(
        async (job) => {
          most = Math.max(most, ++running)
          await clock.sleep(100)
          running--
          done.push(job.data)
          return 'done'
        },
        { concurrency: 5, signal: never, untilIdle: true },
      )
      await clock.runUntil(consumed)
      expect(most).toBe(5)
      expect(new Set(done).size).toBe(25)
      expect(clock.now() - start).toBe(500)
      await queue.close()
    })

    it('lets no job wait for jobs of another lane', async () => {
      const { queue, clock } = await make()
      const lanes = ['long', 'remote', 'short'] as const
      for (let i = 0; i < 12; i++)
        await queue.push({ id: `long-${i}`, kind: 'long', data: null, lane: 'long' })
      for (let i = 0; i < 12; i++)
        await queue.push({ id: `remote-${i}`, kind: 'remote', data: null, lane: 'remote' })
      for (let i = 0; i < 12; i++)
        await queue.push({
          id: `short-${i}`,
          kind: 'short',
          data: null,
          ...(i % 2 === 0 && { lane: 'short' }),
        })
      const takes = { long: 120_000, remote: 15_000, short: 1_000 }
      const now = { long: 0, remote: 0, short: 0 }
      const most = { long: 0, remote: 0, short: 0 }
      const endedAt = { long: 0, remote: 0, short: 0 }
      const start = clock.now()
      const consumed = queue.consume(
        async ({ kind }) => {
          const lane = lanes.find((one) => one === kind) ?? expect.fail(kind)
          most[lane] = Math.max(most[lane], ++now[lane])
          await clock.sleep(takes[lane])
          now[lane]--
          endedAt[lane] = clock.now() - start
          return 'done'
        },
        { concurrency: { long: 2, remote: 3, short: 4 }, signal: never, untilIdle: true },
      )
      await clock.runUntil(consumed)
      expect(most).toEqual({ long: 2, remote: 3, short: 4 })
      expect(endedAt).toEqual({
        long: 6 * takes.long,
        remote: 4 * takes.remote,
        short: 3 * takes.short,
      })
      await queue.close()
    })

    it('runs a job that a job of another lane has pushed, before it is idle', async () => {
      const { queue, other, clock } = await make()
      await queue.push({ id: 'crawl', kind: 'a', data: null, lane: 'long' })
      const ran: string[] = []
      const consumed = queue.consume(
        async ({ id }) => {
          ran.push(id)
          if (id === 'crawl') await other.push({ id: 'event', kind: 'a', data: null })
          if (id === 'event')
            await other.push({ id: 'delivery', kind: 'a', data: null, lane: 'remote' })
          return 'done'
        },
        { concurrency: 1, signal: never, untilIdle: true },
      )
      await clock.runUntil(consumed)
      expect(ran).toEqual(['crawl', 'event', 'delivery'])
      await queue.close()
    })

    it('refuses a lane without places', async () => {
      const { queue } = await make()
      for (const concurrency of [0, 1.5, { short: 1, remote: 0, long: 1 }])
        await expect(
          queue.consume(async () => 'done', { concurrency, signal: never }),
        ).rejects.toThrow(RangeError)
      await queue.close()
    })

    it('shares jobs among consumers, each job to one', async () => {
      const { queue, other, clock } = await make()
      const ids = Array.from({ length: 60 }, (_, i) => `j${i}`)
      await Promise.all(ids.map((id) => queue.push({ id, kind: 'a', data: null })))
      const ran: string[] = []
      const active = new Set<string>()
      const consume = (one: Queue): Promise<void> =>
        one.consume(
          async (job) => {
            if (active.has(job.id)) throw new Error(`${job.id} runs twice at once`)
            active.add(job.id)
            await clock.sleep(10)
            active.delete(job.id)
            ran.push(job.id)
            return 'done'
          },
          { concurrency: 7, signal: never, untilIdle: true },
        )
      await clock.runUntil(Promise.all([consume(queue), consume(queue), consume(other)]))
      expect(ran.toSorted()).toEqual(ids.toSorted())
      await queue.close()
    })

    it('has run all due jobs when one of several consumers is idle', async () => {
      const { queue, other, clock } = await make()
      const ids = Array.from({ length: 80 }, (_, i) => `j${i}`)
      await Promise.all(ids.map((id) => queue.push({ id, kind: 'a', data: null })))
      const started = new Set<string>()
      const places = [1, 2, 3, 1]
      const ends: { readonly left: number; readonly others: number }[] = []
      const consume = async (one: Queue, concurrency: number): Promise<void> => {
        await one.consume(
          async (job) => {
            started.add(job.id)
            return 'done'
          },
          { concurrency, signal: never, untilIdle: true },
        )
        ends.push({
          left: ids.length - started.size,
          others: places.reduce((sum, size) => sum + size, -concurrency),
        })
      }
      await clock.runUntil(
        Promise.all(
          places.map((concurrency, i) => consume(i % 2 === 0 ? queue : other, concurrency)),
        ),
      )
      expect(ends.length).toBe(4)
      // Jobs that have not begun when a consumer is idle are with the others, which have this number
      // of places.
      for (const { left, others } of ends) expect(left).toBeLessThanOrEqual(others)
      expect(started.size).toBe(80)
      await queue.close()
    })

    it('gives a long job to no other consumer while it runs', async () => {
      const { queue, other, clock } = await make()
      await queue.push({ id: 'long', kind: 'a', data: null })
      let runs = 0
      let aborted = false
      const work = async (_: Delivery, signal: AbortSignal): Promise<JobResult> => {
        runs++
        await clock.sleep(600_000)
        aborted = signal.aborted
        stop.abort()
        return 'done'
      }
      const stop = new AbortController()
      await clock.runUntil(
        Promise.all([
          queue.consume(work, { concurrency: 2, signal: stop.signal }),
          other.consume(work, { concurrency: 2, signal: stop.signal }),
        ]),
      )
      expect({ runs, aborted }).toEqual({ runs: 1, aborted: false })
      await queue.close()
    })

    it('finds jobs of its own process at once, and those of another process soon', async () => {
      const { queue, other, clock } = await make()
      const stop = new AbortController()
      const start = clock.now()
      const seen: { id: string; after: number }[] = []
      const consumed = queue.consume(
        async (job) => {
          seen.push({ id: job.id, after: clock.now() - start })
          return 'done'
        },
        { concurrency: 1, signal: stop.signal },
      )
      await clock.advance(100)
      await queue.push({ id: 'here', kind: 'a', data: null })
      await clock.advance(1)
      await other.push({ id: 'there', kind: 'a', data: null })
      await clock.advance(2_000)
      expect(seen[0]).toEqual({ id: 'here', after: 100 })
      expect(seen[1]?.id).toBe('there')
      stop.abort()
      await clock.runUntil(consumed)
      await queue.close()
    })

    it('stops after its signal, once the running jobs have ended', async () => {
      const { queue, clock } = await make()
      for (const id of ['a', 'b', 'c']) await queue.push({ id, kind: 'a', data: null })
      const stop = new AbortController()
      const ended: string[] = []
      let settled = false
      const consumed = queue
        .consume(
          async (job, signal) => {
            await clock.sleep(1_000)
            ended.push(job.id + String(signal.aborted))
            return 'done'
          },
          { concurrency: 2, signal: stop.signal },
        )
        .finally(() => {
          settled = true
        })
      await clock.advance(10)
      stop.abort()
      await clock.advance(10)
      expect(settled).toBe(false)
      await clock.runUntil(consumed)
      // Both end at the same time, so their order is open.
      expect(ended.toSorted()).toEqual(['afalse', 'bfalse'])
      expect((await clock.runUntil(drain(queue))).map((job) => job.id)).toEqual(['c'])
      await queue.consume(async () => 'done', { concurrency: 1, signal: AbortSignal.abort() })
      await queue.close()
    })

    it('can be closed more than once; a close ends its consumers, and pushes are refused afterwards', async () => {
      const { queue, clock } = await make()
      const consumed = queue.consume(async () => 'done', { concurrency: 1, signal: never })
      await clock.advance(10)
      await Promise.all([queue.close(), queue.close(), consumed])
      await queue.close()
      await expect(queue.push({ id: 'j', kind: 'a', data: null })).rejects.toThrow('closed')
    })
  })
}
