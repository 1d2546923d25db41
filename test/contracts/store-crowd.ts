import { describe, expect, it } from 'vitest'
import type { Store } from '../../src/ports/store.ts'
import { balancesAfter, fillBank, SUM, sumOfBank } from '../support/fakes/bank.ts'
import type { CrowdPlace } from './crowd-places.ts'
import { pushJobs } from './store-crowd-work.ts'
import type { CrowdKind, CrowdOrder, CrowdReport } from './store-crowd-work.ts'

/** A store that several processes, or isolates, write to at the same time. */
export interface Crowd {
  /**
   * Opens the store of a place in this process. Every test has a place of its own, which nobody has
   * opened before.
   */
  open(place: string): Store
  /** Each order is done in a process or isolate of its own, with `doCrowdWork`. */
  readonly writers: readonly ((order: CrowdOrder) => Promise<CrowdReport>)[]
  /** About how much work each writer does. */
  readonly rounds: number
}

/** The tests of every Store that several processes write to at the same time. */
export function storeCrowd(name: string, { open, writers, rounds }: Crowd): void {
  const all = async (place: CrowdPlace, kind: CrowdKind, count: number): Promise<CrowdReport[]> =>
    Promise.all(
      writers.map((run, writer) => run({ place, kind, writer, writers: writers.length, count })),
    )
  const total = writers.length * rounds
  const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i)
  const sorted = (numbers: readonly number[]): number[] => numbers.toSorted((a, b) => a - b)

  describe(`${name} keeps the Store contract › with several writers`, () => {
    it('can be made by several processes or isolates at the same time', async () => {
      const reports = [...(await all('made', 'add', 20)), ...(await all('made', 'add', 20))]
      const store = open('made')
      expect((await store.get([['sum']]))[0]?.value).toBe(40 * writers.length)
      expect(new Set(reports.map(({ who }) => who)).size).toBe(writers.length)
      await store.close()
    })

    it('loses and doubles no addition', async () => {
      await all('added', 'add', rounds)
      const store = open('added')
      expect(
        (await store.get([['sum'], ...writers.map((_, i) => ['own', i])])).map(
          (entry) => entry?.value,
        ),
      ).toEqual([total, ...writers.map(() => rounds)])
      await store.close()
    })

    it('lets one of the writers win who have read the same version', async () => {
      await all('incremented', 'increment', Math.ceil(rounds / 2))
      const store = open('incremented')
      expect((await store.get([['sum']]))[0]?.value).toBe(Math.ceil(rounds / 2) * writers.length)
      await store.close()
    })

    it('shows whole commits to every reader, and loses or doubles none', async () => {
      const store = open('bank')
      await fillBank(store)
      const over = new AbortController()
      const moved = all('bank', 'transfer', rounds).finally(() => over.abort())
      moved.catch(() => undefined)
      let mine = 0
      while (!over.signal.aborted) {
        await store.commit({ add: [{ key: ['moved'], amount: 1 }] })
        mine++
        expect(await sumOfBank(store)).toBe(SUM)
        // A store that answers at once leaves no turn for the answers of the writers.
        await new Promise((resolve) => setTimeout(resolve, 0))
      }
      await moved
      expect(
        (await store.get([['moved'], ...writers.map((_, i) => ['done', i])])).map(
          (entry) => entry?.value,
        ),
      ).toEqual([total + mine, ...writers.map(() => rounds)])
      expect(
        (await store.list({ prefix: ['bank'], limit: 100 })).map(({ value }) => value),
      ).toEqual(balancesAfter(writers.map(() => rounds)))
      expect(await store.list({ prefix: ['log'], limit: 2 * total })).toHaveLength(total)
      await store.close()
    })

    it('gives each claim to one writer', async () => {
      const reports = await all('claimed', 'claim', rounds)
      expect(sorted(reports.flatMap(({ did }) => did))).toEqual(upTo(rounds))
      const store = open('claimed')
      const owners = await store.list({ prefix: ['claim'], limit: rounds + 1 })
      expect(owners.map(({ value }) => value)).toEqual(
        upTo(rounds).map((n) => reports.findIndex(({ did }) => did.includes(n))),
      )
      await store.close()
    })

    it('lets one side win if each checks the key that the other writes, whether it is present or absent', async () => {
      const store = open('excluded')
      await store.commit({
        set: upTo(rounds)
          .filter((round) => round % 2)
          .flatMap((round) => [0, 1].map((side) => ({ key: ['side', round, side], value: 0 }))),
      })
      const reports = await all('excluded', 'exclude', rounds)
      const entries = await store.list({ prefix: ['side'], limit: 3 * rounds })
      const won = entries.filter(({ value }) => value !== 0)
      expect(won.map(({ key }) => key[1])).toEqual(upTo(rounds))
      for (const { key } of won)
        expect(
          reports.flatMap(({ did }, writer) => (did.includes(Number(key[1])) ? [writer % 2] : [])),
        ).toContain(key[2])
      await store.close()
    })

    it('soon shows each writer what another has written', async () => {
      const store = open('relayed')
      const turns = writers.length * 10
      await store.commit({ set: [{ key: ['token'], value: 0 }] })
      const reports = await all('relayed', 'relay', turns)
      expect(reports.map(({ did }) => did)).toEqual(
        writers.map((_, writer) => upTo(turns).filter((n) => n % writers.length === writer)),
      )
      await store.close()
    })

    it('gives each job of its queue to one writer', async () => {
      const store = open('taken')
      await pushJobs(store, rounds)
      const reports = await all('taken', 'take', rounds)
      expect(sorted(reports.flatMap(({ did }) => did))).toEqual(upTo(rounds))
      expect(
        (await store.list({ prefix: ['ran'], limit: 2 * rounds })).map(({ value }) => value),
      ).toEqual(upTo(rounds).map(() => 1))
      await store.close()
    })
  })
}
