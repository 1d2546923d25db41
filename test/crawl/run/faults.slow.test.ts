import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import type { Commit, Store } from '../../../src/ports/store.ts'
import { FAULTS, through } from '../../support/stores/fault-store.ts'
import type { Fault } from '../../support/stores/fault-store.ts'
import { LISTS, playShop } from '../../support/stores/play-fault.ts'

const enumerate = (fault: Fault, spoil?: (store: Store) => Store) =>
  playShop(fault, { store: (clock) => createMemoryStore({ clock }), closely: true, spoil })

const collection = (key: readonly (string | number)[]): unknown => key[1]

describe('each commit of a run fails in each possible way', () => {
  it.each(FAULTS)('%s: nothing is lost, doubled or changed afterwards', async (fault) => {
    const { scenarios, broken } = await enumerate(fault)
    expect(broken).toEqual([])
    // Commits for: job taken, fence, seeds, at least one for each listing page, end, job settled.
    expect(scenarios).toBeGreaterThan(LISTS + 5)
  })
})

describe('planted: the checks notice', () => {
  it('a worker without a fence', async () => {
    const spoil = (store: Store): Store =>
      through(store, (change: Commit) =>
        store.commit({
          ...change,
          check: (change.check ?? []).filter(
            ({ key }) => collection(key) !== 'fences' && collection(key) !== 'progress',
          ),
        }),
      )
    const broken = [
      ...(await enumerate('stall-before', spoil)).broken,
      ...(await enumerate('stall-after', spoil)).broken,
    ]
    expect(broken).not.toEqual([])
  })

  it('a receipt that is written in a commit of its own', async () => {
    const spoil = (store: Store): Store =>
      through(store, async (change: Commit) => {
        const visits = (change.set ?? []).filter(({ key }) => collection(key) === 'visits')
        if (visits.length > 0) await store.commit({ set: visits })
        return store.commit({
          ...change,
          set: (change.set ?? []).filter(({ key }) => collection(key) !== 'visits'),
        })
      })
    expect((await enumerate('crash-before', spoil)).broken).not.toEqual([])
  })

  it('a job that is forgotten when it is taken', async () => {
    const spoil = (store: Store): Store =>
      through(store, (change: Commit) => {
        const keys = (change.set ?? [])
          .filter(({ key }) => collection(key) === 'jobs')
          .map(({ key }) => key)
        return store.commit({
          ...change,
          set: (change.set ?? []).filter(({ key }) => !keys.includes(key)),
          delete: [...(change.delete ?? []), ...keys],
        })
      })
    expect((await enumerate('crash-after', spoil)).broken).not.toEqual([])
  })
})
