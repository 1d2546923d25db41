import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { FairQueue } from '../../../src/kernel/fair/fair-queue.ts'

const takeAll = (queue: FairQueue<string>, time: (item: string) => number): string[] => {
  const order: string[] = []
  for (let item = queue.take(); item !== undefined; item = queue.take()) {
    order.push(item)
    queue.charge(item.slice(0, 1), time(item))
  }
  return order
}

test('items of one account keep their order, and accounts share the time', () => {
  const queue = new FairQueue<string>()
  for (let index = 0; index < 9; index++) queue.push('a', `a${index}`)
  for (let index = 0; index < 3; index++) queue.push('b', `b${index}`)
  expect(queue.size).toBe(12)
  // Items of b take three times as long.
  const order = takeAll(queue, (item) => (item.startsWith('a') ? 1 : 3))
  expect(order.filter((item) => item.startsWith('a'))).toEqual(
    Array.from({ length: 9 }, (_, index) => `a${index}`),
  )
  expect(order.join(' ')).toBe('b0 a0 a1 a2 b1 a3 a4 a5 b2 a6 a7 a8')
})

test('an account that comes back gets no compensation for unused time', () => {
  const queue = new FairQueue<string>()
  for (let index = 0; index < 100; index++) queue.push('a', `a${index}`)
  for (let index = 0; index < 50; index++) {
    queue.take()
    queue.charge('a', 1)
  }
  for (let index = 0; index < 50; index++) queue.push('b', `b${index}`)
  const next = takeAll(queue, () => 1).slice(0, 20)
  const share = next.filter((item) => item.startsWith('b')).length
  expect([10, 11]).toContain(share)
})

test('an item that is put back counts as if it had not been taken', () => {
  const queue = new FairQueue<string>()
  for (let index = 0; index < 6; index++) queue.push('a', `a${index}`)
  const order = [queue.take(), queue.take(), queue.take()]
  queue.charge('a', 3)
  expect(order).toEqual(['a0', 'a1', 'a2'])
  queue.putBack('a', ['a1', 'a2'], 2)
  queue.push('b', 'b0')
  expect(queue.waiting('a')).toBe(5)
  expect(takeAll(queue, () => 1)).toEqual(['b0', 'a1', 'a2', 'a3', 'a4', 'a5'])
})

test('no account waits for more than one item of each other account, in any order of items', () => {
  const steps = fc.array(
    fc.oneof(
      fc.constantFrom('a', 'b', 'c', 'd').map((push) => ({ push })),
      fc.constant({ take: true }),
    ),
    { maxLength: 200 },
  )
  fc.assert(
    fc.property(steps, (all) => {
      const queue = new FairQueue<string>()
      const passed = new Map<string, string[]>()
      for (const step of all) {
        if ('push' in step) {
          if (queue.waiting(step.push) === 0) passed.set(step.push, [])
          queue.push(step.push, step.push)
          continue
        }
        const item = queue.take()
        if (item === undefined) continue
        queue.charge(item, 1)
        passed.set(item, [])
        for (const [account, others] of passed)
          if (account !== item && queue.waiting(account) > 0) others.push(item)
      }
      for (const others of passed.values())
        for (const other of others)
          expect(others.filter((one) => one === other).length).toBeLessThan(3)
    }),
  )
})
