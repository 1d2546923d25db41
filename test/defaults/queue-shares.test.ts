import { describe, expect, it } from 'vitest'
import { dealPlaces, findOverdue, lendPlaces, TURN_MS } from '../../src/kernel/fair/fair-places.ts'
import type { JobTurn } from '../../src/ports/queue.ts'
import { pushMany } from '../contracts/queue-shares.ts'
import { createQueueProcesses } from '../support/stores/queue-processes.ts'

describe('shares', () => {
  it('need few reads of the store, however many jobs wait', async () => {
    const readsOf = async (count: number): Promise<number> => {
      const { clock, counts, spawn } = createQueueProcesses()
      const { queue } = spawn()
      await pushMany(queue, 'a', count)
      await pushMany(queue, 'b', count)
      const stop = new AbortController()
      let runs = 0
      const before = counts.reads
      await clock.runUntil(
        queue.consume(
          async () => {
            if (++runs === 50) stop.abort()
            return 'done'
          },
          { concurrency: { short: 1, remote: 1, long: 4 }, signal: stop.signal },
        ),
      )
      return (counts.reads - before) / runs
    }
    const few = await readsOf(60)
    const many = await readsOf(600)
    expect(many).toBeLessThan(few * 1.2)
    expect(many).toBeLessThan(20)
  })
})

describe('places', () => {
  it('go to the share with the fewest places, in turns', () => {
    const waiting = ['a', 'a', 'a', 'b', 'c'].map((share) => ({ share }))
    expect(dealPlaces(waiting, new Map([['a', 1]]), 'b', 4).map(({ share }) => share)).toEqual([
      'c',
      'b',
      'a',
      'a',
    ])
    expect(dealPlaces(waiting, new Map(), null, 9)).toHaveLength(5)
  })

  it('go back after a turn if a share has one too many, and at once if it has two too many', () => {
    const placed = (share: string, since: number) => ({
      share,
      since,
      yields: true,
      isIdle: false,
      asked: false,
    })
    const one = [placed('a', 0)]
    expect(findOverdue(one, [{ share: 'b' }], null, TURN_MS - 1)).toEqual({ over: [], again: 1 })
    expect(findOverdue(one, [{ share: 'b' }], null, TURN_MS).over).toEqual(one)
    const two = [placed('a', 5), placed('a', 3)]
    expect(findOverdue(two, [{ share: 'b' }], null, 6).over).toEqual([two[1]])
    // The places are shared equally already.
    expect(
      findOverdue([placed('a', 0), placed('b', 0)], [{ share: 'a' }, { share: 'b' }], null, 1e9)
        .over,
    ).toEqual([])
    // A job that only waits leaves its place to any job that wants it.
    const idle = { ...placed('b', 0), isIdle: true }
    expect(findOverdue([placed('a', 0), idle], [{ share: 'a' }], null, 1).over).toEqual([idle])
    expect(findOverdue([idle], [{ share: 'b' }], null, 1e9).over).toEqual([])
    // One place was asked back already.
    expect(
      findOverdue([{ ...placed('a', 0), asked: true }, placed('a', 1)], [{ share: 'b' }], null, 1e9)
        .over,
    ).toEqual([])
  })
})

describe('places that are lent', () => {
  it('let a share without a place begin while the job that was asked to stop ends its page', async () => {
    const { clock, spawn } = createQueueProcesses()
    const { queue } = spawn()
    await pushMany(queue, 'a', 8)
    const start = clock.now()
    const begun: number[] = []
    const stop = new AbortController()
    const work = async (id: string, turn: JobTurn): Promise<'done' | { again: number }> => {
      if (id === 'b-0') begun.push(clock.now() - start)
      if (id === 'b-0') return 'done'
      await clock.sleep(10_000_000, AbortSignal.any([turn.over, stop.signal])).catch(() => {})
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
    await pushMany(queue, 'b', 1)
    await clock.advance(1_000)
    stop.abort()
    await clock.runUntil(consumed)
    expect(begun).toEqual([5_000])
  })

  const placed = (share: string, isAsked: boolean) => ({
    share,
    since: 0,
    yields: true,
    isIdle: false,
    asked: isAsked,
  })
  const waiting = ['b', 'b', 'c', 'd'].map((share) => ({ share }))
  const shares = (jobs: readonly { readonly share: string }[]) => jobs.map(({ share }) => share)

  it('are the places that were asked back, one time each, for shares without a place', () => {
    expect(shares(lendPlaces([placed('a', false), placed('a', false)], waiting, null, 2))).toEqual(
      [],
    )
    expect(shares(lendPlaces([placed('a', true), placed('a', false)], waiting, null, 2))).toEqual([
      'b',
    ])
    expect(shares(lendPlaces([placed('a', true), placed('a', true)], waiting, null, 2))).toEqual([
      'b',
      'c',
    ])
    expect(
      shares(
        lendPlaces([placed('a', true), placed('a', true), placed('b', false)], waiting, null, 2),
      ),
    ).toEqual(['c'])
    expect(
      shares(
        lendPlaces(
          [placed('a', true), placed('a', true), placed('b', false), placed('c', false)],
          waiting,
          null,
          2,
        ),
      ),
    ).toEqual([])
    expect(shares(lendPlaces([placed('a', true)], [{ share: 'a' }], null, 1))).toEqual([])
  })

  it('are not promised twice: for a further share a further place is asked back', () => {
    const lent = [placed('a', true), placed('a', false), placed('a', false), placed('b', false)]
    expect(findOverdue(lent, [{ share: 'c' }], null, 1, 3).over).toEqual([lent[1]])
  })
})
