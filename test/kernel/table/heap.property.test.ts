import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Heap } from '../../../src/kernel/table/heap.ts'

it('a heap returns its items by their numbers, whatever was added in between', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.nat(20), fc.constant(null))), (steps) => {
      const heap = new Heap<string>()
      const model: number[] = []
      for (const step of steps) {
        if (step === null) {
          expect(heap.peek()).toBe(model[0] === undefined ? undefined : String(model[0]))
          const first = model.shift()
          expect(heap.pop()).toBe(first === undefined ? undefined : String(first))
        } else {
          heap.push(String(step), step)
          model.push(step)
          model.sort((a, b) => a - b)
        }
        expect([heap.size, heap.lowest]).toEqual([model.length, model[0] ?? Infinity])
      }
    }),
  )
})
