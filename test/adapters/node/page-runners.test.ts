import { describe, expect, it } from 'vitest'
import { PageRunners } from '../../../adapters/node/page-runners.ts'
import type { PageRunner } from '../../../adapters/node/page-runners.ts'

// Proves that the worker for quick pages never waits for a slow page while a spare worker is ready.

/** A runner whose state a test sets. */
function runner(
  state: { load?: number; isSlow?: boolean; isLong?: boolean; isReady?: boolean } = {},
) {
  const { load = 0, isSlow = false, isLong = isSlow, isReady = true } = state
  const fake = {
    load,
    isSlow,
    isLong,
    isReady,
    hasRoom: true,
    give() {},
    isAnswering: false,
    late: () => null,
    standBack() {},
    serves: () => false,
    takeBack: () => [],
    abandon: () => [],
    forget() {},
    end: async () => {},
  } satisfies PageRunner
  return fake
}

function pool() {
  const runners = new PageRunners()
  const [first, express, spare] = [
    runner({ load: 1, isSlow: true }),
    runner({ load: 1, isSlow: true }),
    runner(),
  ]
  for (const one of [first, express, spare]) runners.add(one)
  runners.express = express
  runners.spare = spare
  return { runners, first, express, spare }
}

describe('the worker for quick pages', () => {
  it('is replaced by the spare worker when it has a slow page', () => {
    const { runners, spare } = pool()
    expect(runners.isAllSlow).toBe(true)
    runners.rotate(1)
    expect(runners.express).toBe(spare)
    expect(runners.spare).toBeNull()
    expect([runners.size, runners.isAllSlow]).toEqual([2, false])
  })

  it('is not replaced while the spare worker has not started', () => {
    const { runners, express, spare } = pool()
    spare.isReady = false
    runners.rotate(1)
    expect(runners.express).toBe(express)
  })

  it('gets a new spare worker when an additional worker has no more pages', () => {
    const { runners, first, express } = pool()
    runners.rotate(1)
    runners.rotate(1)
    expect(runners.spare).toBeNull()
    Object.assign(express, { load: 0, isSlow: false })
    runners.rotate(1)
    expect(runners.spare).toBe(express)
    expect(runners.size).toBe(1)
    expect(runners.leastLoaded((one) => one !== runners.express)).toBe(first)
  })

  it('does not come from the workers of the wanted number', () => {
    const { runners, spare } = pool()
    runners.rotate(2)
    runners.rotate(2)
    expect(runners.spare).toBeNull()
    expect(runners.remove(spare)).toBe('express')
    expect(runners.express).toBeNull()
  })

  it('is replaced by the spare worker when it ends', () => {
    const { runners, express, spare } = pool()
    expect(runners.remove(express)).toBe('express')
    expect(runners.express).toBe(spare)
    expect(runners.spare).toBeNull()
  })
})
