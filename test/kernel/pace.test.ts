import { expect, test } from 'vitest'
import { Pace, SliceScheduler, nextTurn, ownTurn } from '../../src/kernel/pace.ts'

const countingPace = (msAStep: number) => {
  const state = { now: 0, pauses: 0 }
  const pace = new Pace({
    now: () => (state.now += msAStep),
    scheduler: new SliceScheduler(async () => void state.pauses++),
  })
  return { state, pace }
}

test('everything else has a turn after 4 ms of work, or 256 steps', async () => {
  for (const [ms, pauses] of [
    [2, 30],
    [0, 0.4],
  ] as const) {
    const { state, pace } = countingPace(ms)
    for (let at = 0; at < 100; at++) await pace.step()
    expect(state.pauses).toBeGreaterThan(pauses - 1)
    expect(state.pauses).toBeLessThanOrEqual(50)
  }
  const { state, pace } = countingPace(0)
  for (let at = 0; at < 1_024; at++) await pace.step()
  expect(state.pauses).toBe(4)
})

test('a step costs no promise where nothing is due', () => {
  expect(countingPace(0).pace.step()).toBeNull()
})

test('a turn is one of the event loop', async () => {
  const order: string[] = []
  setImmediate(() => order.push('immediate'))
  await nextTurn()
  await nextTurn()
  order.push('turns')
  expect(order).toEqual(['immediate', 'turns'])
})

test('whoever asks for a turn of their own shares it with nobody', async () => {
  const order: string[] = []
  const work = async (name: string): Promise<void> => {
    await ownTurn()
    order.push(name)
    setImmediate(() => order.push(`after ${name}`))
  }
  await Promise.all(['a', 'b', 'c'].map(work))
  await nextTurn()
  await nextTurn()
  expect(order).toEqual(['a', 'after a', 'b', 'after b', 'c', 'after c'])
})

test('of several who work at once, one has a slice in each turn, in the order they came', async () => {
  let turn = 0
  let now = 0
  const scheduler = new SliceScheduler(async () => {
    await nextTurn()
    turn++
  })
  const slices: string[] = []
  const work = async (name: string) => {
    const pace = new Pace({ scheduler, now: () => now })
    for (let step = 0; step < 6; step++) {
      slices[turn] = (slices[turn] ?? '') + name
      now += 2
      const rest = pace.step()
      if (rest) await rest
    }
  }
  await Promise.all(['a', 'b', 'c'].map(work))
  // In the first turn those who have not worked yet do one step each.
  expect(slices.filter((slice) => slice !== undefined)).toEqual([
    'aabc',
    'aa',
    'bb',
    'cc',
    'aa',
    'bb',
    'cc',
    'b',
    'c',
  ])
})
