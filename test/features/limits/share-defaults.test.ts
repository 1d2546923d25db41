import { describe, expect, it } from 'vitest'
import { createShares } from '../../../src/features/limits/shares.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'

describe('shares without options', () => {
  it.for([
    { name: 'inspections', places: 16, each: 8, waiting: 32 },
    { name: 'downloads', places: 256, each: 64, waiting: 0 },
    { name: 'pieces', places: 8, each: 4, waiting: Infinity },
    { name: 'media', places: 64, each: 32, waiting: 256 },
    { name: 'answers', places: 16, each: 4, waiting: 128 },
    { name: 'streams', places: 5_000, each: 5_000, waiting: 0 },
  ] as const)(
    '$name have $places places, $each for each account, and $waiting may wait',
    async ({ name, places, each, waiting }) => {
      const gate = createShares(createFakeClock())[name]
      const seen = { entered: 0, refused: 0 }
      const come = (account: string): void =>
        void gate.enter(account).then(
          () => seen.entered++,
          () => seen.refused++,
        )
      const most = each + Math.min(waiting, 1_000)
      for (let i = 0; i < most + 1; i++) come('one')
      await new Promise<void>((resolve) => setImmediate(resolve))
      expect(seen).toEqual({ entered: each, refused: waiting === Infinity ? 0 : 1 })
      for (let i = each; i < places + 3; i++) come(`account-${i}`)
      await new Promise<void>((resolve) => setImmediate(resolve))
      expect([seen.entered, gate.held]).toEqual([places, places])
    },
  )
})
