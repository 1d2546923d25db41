import { describe, expect, it } from 'vitest'
import type { Store } from '../../src/ports/store.ts'
import { balancesAfter, fillBank } from '../support/fakes/bank.ts'
import type { CrowdOrder } from './store-crowd-work.ts'

/** A store that is written to by processes which may end at any moment. */
export interface KilledStore {
  /** Opens the store of a place in this process. */
  open(place: string): Store
  /** Starts a process that does the work of an order, and reports each commit. */
  start(): {
    run(order: CrowdOrder, onCommit: (n: number) => void): Promise<unknown>
    kill(): Promise<void>
  }
  /** Waits until all that a dead process had sent is done. */
  settled?(place: string): Promise<void>
  /** Further checks of a place at the end. */
  intact?(place: string): Promise<void>
}

const ROUNDS = 4

/** The tests of every Store that several processes share, when one of them is killed. */
export function storeKills(name: string, { open, start, settled, intact }: KilledStore): void {
  describe(`${name} keeps the Store contract › with several writers`, () => {
    it('has every reported commit, whole, after a kill -9 of a writer at any moment', async () => {
      const place = 'killed'
      const bank = open(place)
      await fillBank(bank)
      await bank.close()
      const counts: number[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const { run, kill } = start()
        let last = 0
        let killed: Promise<void> | undefined
        const broken = run(
          { place, kind: 'transfer', writer: round, writers: ROUNDS, count: null },
          (n) => {
            last = n
            if (n === 20 + round * 17) killed = kill()
          },
        )
        await expect(broken).rejects.toThrow('ended')
        await killed
        await settled?.(place)
        const store = open(place)
        const [moved, done] = await store.get([['moved'], ['done', round]])
        expect(last).toBeGreaterThanOrEqual(20 + round * 17)
        expect(Number(done?.value)).toBeGreaterThanOrEqual(last)
        counts.push(Number(done?.value))
        expect(moved?.value).toBe(counts.reduce((sum, count) => sum + count, 0))
        expect(await store.list({ prefix: ['log', round], limit: 10_000 })).toHaveLength(
          Number(done?.value),
        )
        expect(
          (await store.list({ prefix: ['bank'], limit: 100 })).map(({ value }) => value),
        ).toEqual(balancesAfter(counts))
        await store.close()
      }
      await intact?.(place)
    })
  })
}
