import { expect, it } from 'vitest'
import { createQueueProcesses } from '../support/stores/queue-processes.ts'

it('a consumer waits between its tries to take a job while the disk is full', async () => {
  const { clock, disk, spawn } = createQueueProcesses()
  const { queue } = spawn()
  await queue.push({ id: 'a', kind: 'x', data: null })
  const stop = new AbortController()
  const came: string[] = []
  // There is an end to it, so that a consumer that never waits fails this test and does not hang it.
  disk.refuses = 1_000
  const consumed = queue.consume(async ({ id }) => (came.push(id), 'done'), {
    concurrency: 4,
    signal: stop.signal,
  })
  await clock.advance(60_000)
  const tries = 1_000 - disk.refuses
  expect(tries).toBeGreaterThan(1)
  expect(tries).toBeLessThan(200)
  expect(came).toEqual([])
  disk.refuses = 0
  await clock.advance(60_000)
  expect(came).toEqual(['a'])
  stop.abort()
  await clock.runUntil(consumed)
})
