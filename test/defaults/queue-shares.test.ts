import { describe, expect, it } from 'vitest'
import { dealPlaces, findOverdue, lendPlaces, TURN_MS } from '../../src/defaults/queue-turns.ts'
import type { Queue, Turn } from '../../src/ports/queue.ts'
import { createQueueProcesses } from '../support/queue-processes.ts'

const never = new AbortController().signal

async function pushMany(queue: Queue, share: string, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await queue.push({ id: `${share}-${i}`, kind: 'x', data: null, lane: 'long', share })
}

describe('shares', () => {
  it('have their jobs in turns, however many one has and however late the other comes', async () => {
    const { clock, spawn } = createQueueProcesses()
    const { queue } = spawn()
    await pushMany(queue, 'a', 300)
    await clock.advance(60_000)
    await pushMany(queue, 'b', 3)
    await pushMany(queue, 'c', 2)
    const order: string[] = []
    await clock.runUntil(queue.consume(async ({ id }) => (order.push(id[0] ?? ''), 'done'), { concurrency: 1, signal: never, untilIdle: true }))
    expect(order.slice(0, 9).join('')).toBe('abcabcaba')
    expect(order).toHaveLength(305)
  })

  it('cost few reads of the store, however many jobs wait', async () => {
    const readsOf = async (count: number): Promise<number> => {
      const { clock, counts, spawn } = createQueueProcesses()
      const { queue } = spawn()
      await pushMany(queue, 'a', count)
      await pushMany(queue, 'b', count)
      const stop = new AbortController()
      let runs = 0
      const before = counts.reads
      await clock.runUntil(queue.consume(async () => {
        if (++runs === 50) stop.abort()
        return 'done'
      }, { concurrency: { short: 1, remote: 1, long: 4 }, signal: stop.signal }))
      return (counts.reads - before) / runs
    }
    const few = await readsOf(60)
    const many = await readsOf(600)
    expect(many).toBeLessThan(few * 1.2)
    expect(many).toBeLessThan(20)
  })

  it('on several processes', async () => {
    const { clock, spawn } = createQueueProcesses()
    const { queue } = spawn()
    await pushMany(queue, 'a', 200)
    await pushMany(queue, 'b', 4)
    const order: string[] = []
    const processes = [spawn(), spawn(), spawn()]
    await clock.runUntil(Promise.all(processes.map((one) => one.queue.consume(async ({ id }) => {
      order.push(id)
      await clock.sleep(100)
      return 'done'
    }, { concurrency: { short: 1, remote: 1, long: 2 }, signal: never, untilIdle: true }))))
    expect(order).toHaveLength(204)
    expect(new Set(order).size).toBe(204)
    // Six places: within the first turns of each, all four of the small share have come.
    expect(order.slice(0, 14).filter((id) => id.startsWith('b'))).toHaveLength(4)
  })
})

describe('a job that can put itself down', () => {
  /** Jobs of `a` work until they are asked; tells when each was begun and asked. */
  async function crowd(push: (queue: Queue, begun: () => number) => Promise<void>, ms: number) {
    const { clock, spawn } = createQueueProcesses()
    const { queue } = spawn()
    await pushMany(queue, 'a', 50)
    const begun: { share: string; at: number }[] = []
    const asked: number[] = []
    const start = clock.now()
    const stop = new AbortController()
    const work = async (id: string, turn: Turn): Promise<'done' | { again: number }> => {
      begun.push({ share: id[0] ?? '', at: clock.now() - start })
      if (id.startsWith('b')) return 'done'
      const over = turn.over
      await clock.sleep(10_000_000, AbortSignal.any([over, stop.signal])).catch(() => {})
      if (over.aborted) asked.push(clock.now() - start)
      // The page under way.
      await clock.sleep(250)
      return { again: clock.now() }
    }
    const consumed = queue.consume(async ({ id }, _, turn) => work(id, turn), { concurrency: { short: 1, remote: 1, long: 4 }, signal: stop.signal })
    await clock.advance(5_000)
    await push(queue, () => begun.length)
    await clock.advance(ms)
    stop.abort()
    await clock.runUntil(consumed)
    return { begun, asked }
  }

  it('is asked at once where another share has no place, which is lent its place meanwhile', async () => {
    const { begun, asked } = await crowd((queue) => pushMany(queue, 'b', 1), 10_000)
    expect(asked).toEqual([5_000])
    expect(begun.filter(({ share }) => share === 'b')).toEqual([{ share: 'b', at: 5_000 }])
  })

  it('is never asked while its share is alone', async () => {
    const { begun, asked } = await crowd(async (queue) => {
      await queue.push({ id: 'a-more', kind: 'x', data: null, lane: 'long', share: 'a' })
    }, 600_000)
    expect({ asked, begun: begun.length }).toEqual({ asked: [], begun: 4 })
  })

  it('goes on where it was, before the jobs of its share that have not begun', async () => {
    const { begun } = await crowd((queue) => pushMany(queue, 'b', 1), 10_000)
    expect(begun.map(({ share }) => share).join('')).toBe('aaaaba')
  })
})

describe('places', () => {
  it('go to the share that has the fewest, in turns', () => {
    const waiting = ['a', 'a', 'a', 'b', 'c'].map((share) => ({ share }))
    expect(dealPlaces(waiting, new Map([['a', 1]]), 'b', 4).map(({ share }) => share)).toEqual(['c', 'b', 'a', 'a'])
    expect(dealPlaces(waiting, new Map(), null, 9)).toHaveLength(5)
  })

  it('of one more are given back after a turn, and those of two more at once', () => {
    const placed = (share: string, since: number) => ({ share, since, yields: true, isIdle: false, asked: false })
    const one = [placed('a', 0)]
    expect(findOverdue(one, [{ share: 'b' }], null, TURN_MS - 1)).toEqual({ over: [], again: 1 })
    expect(findOverdue(one, [{ share: 'b' }], null, TURN_MS).over).toEqual(one)
    const two = [placed('a', 5), placed('a', 3)]
    expect(findOverdue(two, [{ share: 'b' }], null, 6).over).toEqual([two[1]])
    // Shared equally already.
    expect(findOverdue([placed('a', 0), placed('b', 0)], [{ share: 'a' }, { share: 'b' }], null, 1e9).over).toEqual([])
    // One that only waits leaves its place to whoever else wants it.
    const idle = { ...placed('b', 0), isIdle: true }
    expect(findOverdue([placed('a', 0), idle], [{ share: 'a' }], null, 1).over).toEqual([idle])
    expect(findOverdue([idle], [{ share: 'b' }], null, 1e9).over).toEqual([])
    // One is coming.
    expect(findOverdue([{ ...placed('a', 0), asked: true }, placed('a', 1)], [{ share: 'b' }], null, 1e9).over).toEqual([])
  })
})

describe('places that are lent', () => {
  const placed = (share: string, asked: boolean) => ({ share, since: 0, yields: true, isIdle: false, asked })
  const waiting = ['b', 'b', 'c', 'd'].map((share) => ({ share }))
  const shares = (jobs: readonly { readonly share: string }[]) => jobs.map(({ share }) => share)

  it('are those that were asked back, once each, for shares that have none', () => {
    expect(shares(lendPlaces([placed('a', false), placed('a', false)], waiting, null, 2))).toEqual([])
    expect(shares(lendPlaces([placed('a', true), placed('a', false)], waiting, null, 2))).toEqual(['b'])
    expect(shares(lendPlaces([placed('a', true), placed('a', true)], waiting, null, 2))).toEqual(['b', 'c'])
    expect(shares(lendPlaces([placed('a', true), placed('a', true), placed('b', false)], waiting, null, 2))).toEqual(['c'])
    expect(shares(lendPlaces([placed('a', true), placed('a', true), placed('b', false), placed('c', false)], waiting, null, 2))).toEqual([])
    expect(shares(lendPlaces([placed('a', true)], [{ share: 'a' }], null, 1))).toEqual([])
  })

  it('are not promised twice: a further share is asked for a further place', () => {
    const lent = [placed('a', true), placed('a', false), placed('a', false), placed('b', false)]
    expect(findOverdue(lent, [{ share: 'c' }], null, 1, 3).over).toEqual([lent[1]])
  })
})
