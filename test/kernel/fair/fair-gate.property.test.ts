import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { FairGate } from '../../../src/kernel/fair/fair-gate.ts'

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

it('a gate never exceeds its places or those of an account, and lets no call wait beside a free place', async () => {
  const step = fc.oneof(
    fc.record({ come: fc.constantFrom('a', 'b', 'c') }),
    fc.record({ leave: fc.nat(9) }),
    fc.record({ abort: fc.nat(9) }),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 3 }),
      fc.array(step, { maxLength: 60 }),
      async (places, each, steps) => {
        const gate = new FairGate({ name: 'looks', places, each, waiting: 1_000 })
        const inside: { account: string; leave: () => void }[] = []
        const waiting = new Map<AbortController, string>()
        for (const one of steps) {
          if ('come' in one) {
            const hangUp = new AbortController()
            waiting.set(hangUp, one.come)
            gate.enter(one.come, { signal: hangUp.signal }).then(
              (leave) => {
                waiting.delete(hangUp)
                inside.push({ account: one.come, leave })
              },
              () => waiting.delete(hangUp),
            )
          } else if ('leave' in one) inside.splice(one.leave, 1)[0]?.leave()
          else [...waiting.keys()][one.abort]?.abort()
          await settle()
          const held = (account: string) =>
            inside.filter((guest) => guest.account === account).length
          expect(gate.held).toBe(inside.length)
          expect(inside.length).toBeLessThanOrEqual(places)
          for (const account of 'abc') expect(held(account)).toBeLessThanOrEqual(each)
          if (inside.length < places)
            for (const account of waiting.values()) expect(held(account)).toBe(each)
        }
      },
    ),
    { numRuns: 100 },
  )
})
