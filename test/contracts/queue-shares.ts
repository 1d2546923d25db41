import { describe, expect, it } from 'vitest'
import type { Queue, JobTurn } from '../../src/ports/queue.ts'
import type { QueueSubject } from './queue-subject.ts'

const never = new AbortController().signal

/** Pushes jobs of one share, whose ids begin with its name. */
export async function pushMany(queue: Queue, share: string, count: number): Promise<void> {
  for (let i = 0; i < count; i++)
    await queue.push({ id: `${share}-${i}`, kind: 'x', data: null, lane: 'long', share })
}

const sorted = (shares: readonly string[]): string => shares.toSorted().join('')

/** The part of the Queue contract about sharing places between shares. */
export function queueSharesContract(make: () => Promise<QueueSubject>): void {
  describe('shares', () => {
    it('have their jobs run in turns, however many jobs one has and however late the others come', async () => {
      const { queue, clock } = await make()
      await pushMany(queue, 'a', 60)
      await clock.advance(60_000)
      await pushMany(queue, 'b', 3)
      await pushMany(queue, 'c', 2)
      const order: string[] = []
      const work = async ({ id }: { readonly id: string }) => (
        order.push(id[0] ?? ''),
        'done' as const
      )
      await clock.runUntil(queue.consume(work, { concurrency: 1, signal: never, untilIdle: true }))
      // The adapter chooses the order within a round.
      expect([
        sorted(order.slice(0, 3)),
        sorted(order.slice(3, 6)),
        sorted(order.slice(6, 8)),
      ]).toEqual(['abc', 'abc', 'ab'])
      expect(order).toHaveLength(65)
      await queue.close()
    })

    it('have their jobs run in turns on several processes', async () => {
      const { queue, other, clock } = await make()
      await pushMany(queue, 'a', 60)
      await pushMany(queue, 'b', 4)
      const order: string[] = []
      const consume = (one: Queue): Promise<void> =>
        one.consume(
          async ({ id }) => {
            order.push(id)
            await clock.sleep(100)
            return 'done'
          },
          { concurrency: { short: 1, remote: 1, long: 2 }, signal: never, untilIdle: true },
        )
      await clock.runUntil(Promise.all([consume(queue), consume(other)]))
      expect(order.toSorted()).toEqual([...new Set(order)].toSorted())
      expect(order).toHaveLength(64)
      // There are four places: all four jobs of the small share come within the first turns of each place.
      expect(order.slice(0, 12).filter((id) => id.startsWith('b'))).toHaveLength(4)
      await queue.close()
    })

    it('have a line of their own each for jobs whose time comes later', async () => {
      const { queue, clock } = await make()
      const dueAt = clock.now() + 5_000
      for (let i = 0; i < 20; i++)
        await queue.push(
          { id: `a-${i}`, kind: 'x', data: null, lane: 'long', share: 'a' },
          { at: dueAt },
        )
      await queue.push(
        { id: 'b', kind: 'x', data: null, lane: 'long', share: 'b' },
        { at: dueAt + 1 },
      )
      const order: string[] = []
      await clock.advance(6_000)
      const work = async ({ id }: { readonly id: string }) => (order.push(id), 'done' as const)
      await clock.runUntil(queue.consume(work, { concurrency: 1, signal: never, untilIdle: true }))
      expect(order.indexOf('b')).toBeLessThanOrEqual(1)
      expect(order).toHaveLength(21)
      await queue.close()
    })
  })

  describe('a job that can interrupt itself', () => {
    /** Jobs of `a` work until they are asked to stop; returns when each was begun and asked. */
    async function crowd(push: (subject: QueueSubject) => Promise<void>, ms: number) {
      const subject = await make()
      const { queue, clock } = subject
      await pushMany(queue, 'a', 20)
      const begun: { id: string; at: number }[] = []
      const runs: { id: string; at: number }[] = []
      const start = clock.now()
      const stop = new AbortController()
      const work = async (id: string, turn: JobTurn): Promise<'done' | { again: number }> => {
        begun.push({ id, at: clock.now() - start })
        if (id.startsWith('b')) return 'done'
        const over = turn.over
        await clock.sleep(10_000_000, AbortSignal.any([over, stop.signal])).catch(() => {})
        if (over.aborted) runs.push({ id, at: clock.now() - start })
        // It ends its current page.
        await clock.sleep(250)
        return { again: clock.now() }
      }
      const concurrency = { short: 1, remote: 1, long: 4 }
      const consumed = queue.consume(async ({ id }, _, turn) => work(id, turn), {
        concurrency,
        signal: stop.signal,
      })
      await clock.advance(5_000)
      await push(subject)
      await clock.advance(ms)
      stop.abort()
      await clock.runUntil(consumed)
      await queue.close()
      return { begun, asked: runs, shares: begun.map(({ id }) => id[0]).join('') }
    }

    it('is asked at once to stop if another share has no place, and no other job is asked', async () => {
      const { begun, asked: runs } = await crowd(({ queue }) => pushMany(queue, 'b', 1), 10_000)
      expect(runs.map(({ at }) => at)).toEqual([5_000])
      expect(begun.filter(({ id }) => id === 'b-0')).toHaveLength(1)
      // Its job begins when the current page has ended, or earlier if the place is lent meanwhile.
      expect(begun.find(({ id }) => id === 'b-0')?.at).toBeLessThanOrEqual(5_250)
    })

    it('is asked to stop soon if another process has pushed the job of the other share', async () => {
      const { begun, asked: runs } = await crowd(({ other }) => pushMany(other, 'b', 1), 10_000)
      expect(runs).toHaveLength(1)
      expect(runs[0]?.at).toBeLessThanOrEqual(6_100)
      expect(begun.find(({ id }) => id === 'b-0')?.at).toBeLessThanOrEqual(6_350)
    })

    it('is never asked to stop while its share is alone', async () => {
      const { asked: runs, shares } = await crowd(
        ({ queue }) =>
          queue.push({ id: 'a-more', kind: 'x', data: null, lane: 'long', share: 'a' }),
        60_000,
      )
      expect({ asked: runs, shares }).toEqual({ asked: [], shares: 'aaaa' })
    })

    it('is continued before the jobs of its share that have not begun', async () => {
      const {
        begun,
        asked: runs,
        shares,
      } = await crowd(({ queue }) => pushMany(queue, 'b', 1), 10_000)
      expect(shares).toBe('aaaaba')
      expect(begun.at(-1)?.id).toBe(runs[0]?.id)
    })
  })
}
