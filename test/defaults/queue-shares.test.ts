import { describe, expect, it } from 'vitest'
import { dealPlaces, findOverdue, TURN_MS } from '../../src/kernel/fair-places.ts'
import { pushMany } from '../contracts/queue-shares.ts'
import { createQueueProcesses } from '../support/queue-processes.ts'

describe('shares', () => {
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
