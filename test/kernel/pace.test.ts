import { expect, onTestFinished, test, vi } from 'vitest'
import { Pace, SliceScheduler, nextTurn, ownTurn } from '../../src/kernel/pace.ts'

const countingPace = (msAStep: number) => {
  const state = { now: 0, pauses: 0 }
  const pace = new Pace({
    now: () => (state.now += msAStep),
    scheduler: new SliceScheduler(async () => void state.pauses++),
  })
  return { state, pace }
}

test('other work has a turn after 2 ms of work, or 256 steps', async () => {
  for (const [ms, pauses] of [
    [1, 30],
    [0, 0.4],
  ] as const) {
    const { state, pace } = countingPace(ms)
    for (let index = 0; index < 100; index++) await pace.step()
    expect(state.pauses).toBeGreaterThan(pauses - 1)
    expect(state.pauses).toBeLessThanOrEqual(50)
  }
  const { state, pace } = countingPace(0)
  for (let index = 0; index < 1_024; index++) await pace.step()
  expect(state.pauses).toBe(4)
})

test('a step creates no promise if no turn is due', () => {
  expect(countingPace(0).pace.step()).toBeNull()
})

test('a turn is a turn of the event loop', async () => {
  const order: string[] = []
  setImmediate(() => order.push('immediate'))
  await nextTurn()
  await nextTurn()
  order.push('turns')
  expect(order).toEqual(['immediate', 'turns'])
})

test('a turn is one of a timer on workerd, where a channel delivers within the same turn', async () => {
  onTestFinished(() => void vi.unstubAllGlobals())
  vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' })
  class ChannelWithinTurn {
    readonly port1 = new EventTarget()
    readonly port2 = {
      postMessage: (): void => queueMicrotask(() => this.port1.dispatchEvent(new Event('message'))),
    }
    constructor() {
      Object.assign(this.port1, { start: () => undefined, close: () => undefined })
    }
  }
  vi.stubGlobal('MessageChannel', ChannelWithinTurn)
  let isTimerDue = false
  setTimeout(() => (isTimerDue = true), 0)
  await nextTurn()
  expect(isTimerDue).toBe(true)
})

test('work that asks for a turn of its own shares it with no other work', async () => {
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

test('accounts take turns of their own by the size of their work', async () => {
  const order: string[] = []
  const work = async (account: string, size: number): Promise<void> => {
    await ownTurn({ account, size })
    order.push(`${account}${size}`)
  }
  await Promise.all([
    ...[3, 3, 3, 3].map((size) => work('large', size)),
    ...[1, 1, 1, 1].map((size) => work('small', size)),
  ])
  expect(order.join(' ')).toBe('small1 large3 small1 small1 small1 large3 large3 large3')
})

test('one of several works at the same time has a slice in each turn, in their order', async () => {
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
      now += 1
      const rest = pace.step()
      if (rest) await rest
    }
  }
  await Promise.all(['a', 'b', 'c'].map(work))
  // In the first turn each work that has not begun does one step.
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

test('short work comes before long work, which has every fourth slice', async () => {
  let now = 0
  const scheduler = new SliceScheduler(nextTurn)
  const slices: string[] = []
  const work = async (name: string, steps: number) => {
    const pace = new Pace({ scheduler, now: () => now })
    for (let step = 0; step < steps; step++) {
      now += 4
      await pace.step()
      slices.push(name)
    }
  }
  const long = [work('L', 12), work('M', 12)]
  while (slices.length < 8) await nextTurn()
  slices.length = 0
  const short = ['a', 'b', 'c', 'd'].map((name) => work(name, 2))
  await Promise.all([...short, ...long])
  const order = slices.join('')
  expect(order.slice(0, order.lastIndexOf('d') + 1).replace(/[LM]/g, '')).toBe('abcdabcd')
  // Long work may have been resumed before the short work came.
  expect(order.slice(0, order.lastIndexOf('d') + 1).replace(/[a-d]/g, '').length).toBeLessThan(5)
  expect(order.slice(0, order.lastIndexOf('d') + 1)).toMatch(/[LM]/)
})

test('half a millisecond of work needs no slice, however busy the turn is', () => {
  let now = 0
  const scheduler = new SliceScheduler(nextTurn)
  scheduler.hasRoomAfter(100)
  const pace = new Pace({ scheduler, now: () => now })
  now += 0.2
  expect(pace.step()).toBeNull()
  now += 0.4
  expect(pace.step()).not.toBeNull()
})
