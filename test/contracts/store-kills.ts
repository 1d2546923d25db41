import { describe, expect, it } from 'vitest'
import type { Store } from '../../src/ports/store.ts'
import { fillBank, SUM, sumOfBank } from '../support/bank.ts'
import type { CrowdOrder } from './store-crowd-work.ts'

/** A store that is written by processes which may end at any moment. */
export interface KilledStore {
  /** Opens the store of a place here. */
  open(place: string): Store
  /** Starts a process that does what it is told and tells of each commit. */
  start(): { run(order: CrowdOrder, told: (n: number) => void): Promise<unknown>; kill(): Promise<void> }
  /** Waits for what a dead process had sent. */
  settled?(place: string): Promise<void>
  /** What else has to hold of a place in the end. */
  intact?(place: string): Promise<void>
}

const ROUNDS = 4

/** What every Store does that several processes share when one of them is killed. */
export function storeKills(name: string, { open, start, settled, intact }: KilledStore): void {
  describe(`${name} keeps the Store contract › with several writers`, () => {
    it('has every commit that was told, whole, after a kill -9 of a writer at any moment', async () => {
      const place = 'killed'
      const bank = open(place)
      await fillBank(bank)
      await bank.close()
      let before = 0
      for (let round = 0; round < ROUNDS; round++) {
        const { run, kill } = start()
        let last = 0
        let killed: Promise<void> | undefined
        const broken = run({ place, kind: 'transfer', writer: round, writers: ROUNDS, count: null }, (n) => {
          last = n
          if (n === 20 + round * 17) killed = kill()
        })
        await expect(broken).rejects.toThrow('ended')
        await killed
        await settled?.(place)
        const store = open(place)
        const [moved, done] = await store.get([['moved'], ['done', String(round)]])
        expect(last).toBeGreaterThanOrEqual(20 + round * 17)
        expect(Number(done?.value)).toBeGreaterThanOrEqual(last)
        expect(Number(moved?.value)).toBe(before + Number(done?.value))
        before = Number(moved?.value)
        expect(await store.list({ prefix: ['log', String(round)], limit: 10_000 })).toHaveLength(Number(done?.value))
        expect(await sumOfBank(store)).toBe(SUM)
        await store.close()
      }
      await intact?.(place)
    })
  })
}
