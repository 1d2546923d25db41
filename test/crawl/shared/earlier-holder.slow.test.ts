import { expect, it } from 'vitest'
import { isObject } from '../../../src/kernel/json.ts'
import type { Entry, Store } from '../../../src/ports/store.ts'
import { createSharedWorld } from '../../support/worlds/shared-world.ts'
import { sharedSite } from '../../support/worlds/shared-site.ts'

// Processes of two versions share a run. The earlier one knows no blobs of helpers: it marks no run
// as one whose holder reads them, and what a report has beside its id means nothing to it.

const site = sharedSite({ hosts: 6, pages: 6, titleLength: 120_000 })
const HOW = { latencyMs: 1_200, share: 4 }

/** The store as a process of the earlier version uses it; `dropped` gets the reports that it drops. */
function asEarlier(store: Store, dropped: string[]): Store {
  return {
    ...store,
    list: async (range) => (await store.list(range)).map(withoutBlob),
    commit: (change) => {
      for (const key of change.delete ?? [])
        if (key[1] === 'reports' && large.has(JSON.stringify(key)))
          dropped.push(JSON.stringify(key))
      const set = change.set?.map((entry) =>
        entry.key[1] === 'crews' && isObject(entry.value)
          ? { ...entry, value: { ...entry.value, readers: undefined } }
          : entry,
      )
      return store.commit({ ...change, ...(set && { set }) })
    },
  }
}

/** The keys of the reports that an earlier version has read, and whose page is in a blob. */
const large = new Set<string>()

function withoutBlob(entry: Entry): Entry {
  const { key, value, version } = entry
  if (key[1] !== 'reports' || !isObject(value) || !isObject(value['done'])) return entry
  if (!('blob' in value['done'])) return entry
  large.add(JSON.stringify(key))
  return { key, version, value: { ...value, done: { media: null } } }
}

/** The store of a process that takes no jobs, and so helps only. */
const asHelper = (store: Store): Store => ({
  ...store,
  list: async (range) => (range.prefix[1]?.toString().startsWith('jobs') ? [] : store.list(range)),
})

it('an earlier version that takes a run over visits the pages again that helpers have put into blobs', async () => {
  const dropped: string[] = []
  const shared = createSharedWorld(site.pages, HOW)
  const id = await shared.world.start(site.recipe)
  const holder = shared.spawn('a')
  shared.spawn('b', asHelper)
  shared.spawn('c', (store) => asHelper(asEarlier(store, dropped)))
  await shared.until(id, (ms) => {
    if (ms !== 3_000) return
    holder.kill()
    shared.spawn('d', (store) => asEarlier(store, dropped))
  })
  expect(await shared.faults(id, site.rows)).toEqual([])
  expect((await shared.world.read(id)).counters).toMatchObject({ fetched: site.urls, pending: 0 })
  expect(dropped.length).toBeGreaterThan(0)
})

it('a helper also leaves where the earlier version has gone before the helper looks', async () => {
  const dropped: string[] = []
  const shared = createSharedWorld(site.pages, HOW)
  const id = await shared.world.start(site.recipe)
  const holder = shared.spawn('a')
  // The helper reads nothing of the run while the earlier version holds it.
  const gate = { isClosed: false, waiting: Promise.withResolvers<undefined>() }
  shared.spawn('b', (store) => ({
    ...asHelper(store),
    get: async (keys) => {
      if (gate.isClosed) await gate.waiting.promise
      return store.get(keys)
    },
  }))
  const opened = (store: Store, isClosed: boolean): Store => ({
    ...store,
    async commit(change) {
      const isOpening = change.set?.some(({ key }) => key[1] === 'crews')
      if (isOpening && isClosed) gate.isClosed = true
      const isWritten = await store.commit(change)
      if (isOpening && !isClosed) gate.waiting.resolve(undefined)
      if (isOpening && !isClosed) gate.isClosed = false
      return isWritten
    },
  })
  const earlier: { process: ReturnType<typeof shared.spawn> | null } = { process: null }
  await shared.until(id, (ms) => {
    if (ms === 3_000) {
      holder.kill()
      earlier.process = shared.spawn('d', (store) => asEarlier(opened(store, true), dropped))
    }
    if (dropped.length === 0 || earlier.process === null) return
    void earlier.process.stop()
    earlier.process = null
    shared.spawn('e', (store) => opened(store, false))
  })
  expect(await shared.faults(id, site.rows)).toEqual([])
  expect(dropped.length).toBeGreaterThan(0)
})
