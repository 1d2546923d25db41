import { expect, it } from 'vitest'
import { storableRest } from '../../../src/crawl/run/run-options.ts'

const hostsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    host: `h${index}`,
    // In no order, and each with another time.
    next: 10_000 + ((index * 7) % count),
    crawlDelayMs: 0,
    backoffMs: 0,
  }))

it('a run that is put down stores the times of its hosts, if they are not too many', () => {
  const rest = { resumeAt: 5, hosts: hostsOf(1_000) }
  expect(storableRest(rest)).toBe(rest)
})

it('a run of many hosts resumes when those without a stored time may be asked', () => {
  const hosts = hostsOf(3_001)
  const { resumeAt, hosts: stored } = storableRest({ resumeAt: 5, hosts })
  expect(stored).toHaveLength(1_000)
  const names = new Set(stored.map(({ host }) => host))
  const others = hosts.filter(({ host }) => !names.has(host))
  expect(resumeAt).toBe(Math.max(...others.map(({ next }) => next)))
  expect(Math.min(...stored.map(({ next }) => next))).toBeGreaterThan(resumeAt)
  expect(storableRest({ resumeAt: 20_000, hosts }).resumeAt).toBe(20_000)
})
