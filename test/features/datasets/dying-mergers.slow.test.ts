import { expect, it } from 'vitest'
import type { Commit, Store } from '../../../src/ports/store.ts'
import { Crash } from '../../support/stores/fault-store.ts'
import { LEASE_MS, OWNER, createWorld } from '../../support/worlds/world.ts'

const SITE = 'https://shop.example.com/'
const ROWS = 900
/** More deaths than those after which a job without progress is given up. */
const DEATHS = 5

/** The store of a process that dies after its second commit of items. */
function dyingStore(base: Store) {
  const death = new AbortController()
  let commits = 0
  const alive = async <T>(call: () => Promise<T>): Promise<T> => {
    if (death.signal.aborted) throw new Crash()
    return call()
  }
  const store: Store = {
    get: (keys) => alive(() => base.get(keys)),
    list: (range) => alive(() => base.list(range)),
    close: async () => {},
    commit: (change: Commit) =>
      alive(async () => {
        const isWritten = await base.commit(change)
        if (!change.set?.some(({ key }) => key[1] === 'items') || ++commits < 2) return isWritten
        death.abort()
        throw new Crash()
      }),
  }
  return { store, death: death.signal }
}

it('all rows reach their dataset although one process after another dies during the merge', async () => {
  const world = createWorld({
    [SITE]: Array.from({ length: ROWS }, (_, sku) => `<p>${sku}</p>`).join(''),
  })
  const { api, worker } = world.platform
  const dataset = await api.datasets.create(OWNER, { name: 'pens', keyFields: ['sku'] })
  const task = await api.tasks.create(OWNER, {
    name: 'pens',
    recipe: { start: { urls: [SITE] }, extract: { items: 'p', fields: { sku: ':scope' } } },
    datasetId: dataset.id,
  })
  const execution = await api.executions.start(OWNER, task.id)
  for (let died = 0; died < DEATHS; died++) {
    const { store, death } = dyingStore(world.store)
    const dying = world.join(store)
    await world.clock.runUntil(dying.worker.tick({ signal: death })).catch(() => {})
    expect([died, death.aborted]).toEqual([died, true])
    await world.clock.advance(2 * LEASE_MS)
  }
  await world.clock.runUntil(worker.tick())
  expect((await world.read(execution.id)).status).toBe('succeeded')
  expect((await api.datasets.get(OWNER, dataset.id)).counters).toMatchObject({ items: ROWS })
  expect((await world.platform.verify()).differences).toEqual([])
})
