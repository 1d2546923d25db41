import { expect, it } from 'vitest'
import { createPrometheus } from '../../adapters/prometheus/index.ts'
import { countCalls } from '../../src/http/counted-limiter.ts'

it('a limiter that is away counts as failed, and a wrong rate does not', async () => {
  const metrics = createPrometheus({ readProcess: () => null })
  let error = new Error('away')
  const limiter = countCalls({ take: () => Promise.reject(error), close: async () => {} }, metrics)
  const rate = { limit: 1, periodMs: 1_000, burst: 0 }
  await expect(limiter.take('tasks:user:a', rate)).rejects.toBe(error)
  const calls = async () => (await metrics.text()).match(/^seine_limiter_calls_total.*$/gm)
  const once = await calls()
  expect(once).toEqual([expect.stringMatching(/bucket="tasks",.*outcome="failed"\} 1$/)])
  error = new RangeError('limit must be at least 1')
  await expect(limiter.take('tasks:user:a', rate)).rejects.toBe(error)
  expect(await calls()).toEqual(once)
})
