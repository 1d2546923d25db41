import { describe, expect, test } from 'vitest'
import { LaneLoop } from '../../src/kernel/queue-lanes.ts'
import type { LaneLoopOptions } from '../../src/kernel/queue-lanes.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'

const POLL_MS = 100

/**
 * A loop over one lane whose polls return `answers` one after the other, and then nothing. Also
 * gives the times of its polls.
 */
function loopOver(
  answers: readonly (number | 'none' | Error)[],
  options: Partial<LaneLoopOptions> = {},
) {
  const clock = createFakeClock(0)
  const stop = new AbortController()
  const looks: number[] = []
  const errors: unknown[] = []
  const look = async (): Promise<number | 'none'> => {
    const answer = answers[looks.length] ?? Infinity
    looks.push(clock.now())
    if (answer instanceof Error) throw answer
    return answer
  }
  const loop = new LaneLoop({
    lanes: [look],
    sleep: (ms, signal) => clock.sleep(ms, signal),
    pollMs: POLL_MS,
    onError: (error) => errors.push(error),
    untilIdle: false,
    signal: stop.signal,
    ...options,
  })
  return { clock, stop, looks, errors, loop }
}

describe('the loop polls again', () => {
  test('when the next job is due, and always after the longest wait', async () => {
    const { clock, stop, looks, loop } = loopOver([30, 0, 1_000])
    const ended = loop.run()
    await clock.advance(250)
    stop.abort()
    await ended
    expect(looks).toEqual([0, 30, 30, 130, 230])
  })

  test('less often while nothing happens, within the option', async () => {
    const { clock, stop, looks, loop } = loopOver([], { longestQuiet: 5 })
    const ended = loop.run()
    await clock.advance(1_300)
    loop.wake()
    await clock.advance(100)
    stop.abort()
    await ended
    expect(looks).toEqual([0, 100, 300, 700, 1_200, 1_300, 1_400])
  })

  test('at once when it is woken, also during a poll, but not before it has a free place', async () => {
    const { clock, stop, looks, loop } = loopOver(['none', 'none', 'none'])
    const ended = loop.run()
    loop.wake()
    await clock.advance(5_000)
    expect(looks).toEqual([0, 0])
    loop.wake()
    await clock.advance(1)
    expect(looks).toEqual([0, 0, 5_000])
    stop.abort()
    await ended
  })

  test('after a failed poll, which it reports', async () => {
    const error = new Error('gone')
    const { clock, stop, looks, errors, loop } = loopOver([error])
    const ended = loop.run()
    await clock.advance(POLL_MS)
    stop.abort()
    await ended
    expect([looks, errors]).toEqual([[0, POLL_MS], [error]])
  })
})

describe('the loop ends', () => {
  test('when nothing is due and nothing runs, if that option is set', async () => {
    const { looks, loop } = loopOver([0, 30], { untilIdle: true })
    await loop.run()
    expect(looks).toHaveLength(2)
  })

  test('with the last job, not with the signal', async () => {
    const { clock, stop, loop } = loopOver([])
    const job = Promise.withResolvers<void>()
    let hasEnded = false
    loop.start(job.promise)
    const ended = loop.run().then(() => (hasEnded = true))
    stop.abort()
    await clock.advance(1_000)
    expect(hasEnded).toBe(false)
    job.resolve()
    await ended
  })

  test('after a failed poll, if it ends when idle, as due jobs are not known', async () => {
    const { loop } = loopOver([new Error('gone')], { untilIdle: true })
    await expect(loop.run()).rejects.toThrow('gone')
  })
})
