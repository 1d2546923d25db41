import { expect, it } from 'vitest'
import type { Principal } from '../../../src/kernel/http/route.ts'
import type { Commit, Entry, Range, Store } from '../../../src/ports/store.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

// Proves races between two processes; calls of one process come one after the other by a lock.

/** Callbacks around the calls of one process. */
interface Between {
  afterList?: (range: Range) => Promise<void>
  beforeCommit?: (change: Commit) => Promise<void>
}

/** Two processes on one store; the callbacks of `between` run around the calls of the first. */
function createProcesses() {
  const world = createWorld({})
  const between: Between = {}
  const store: Store = {
    get: (keys) => world.store.get(keys),
    async list(range): Promise<Entry[]> {
      const entries = await world.store.list(range)
      await between.afterList?.(range)
      return entries
    },
    async commit(change) {
      await between.beforeCommit?.(change)
      return world.store.commit(change)
    },
    close: () => world.store.close(),
  }
  const [one, other] = [world.join(store).api.keys, world.join().api.keys]
  /** A key that another key or a session made. */
  const make = (maker?: string, keys = other) => {
    const principal: Principal = {
      ...OWNER,
      ...(maker !== undefined && { key: maker, scopes: ['keys:write'] }),
    }
    return keys.create(principal, { name: 'k', scopes: ['keys:write'] })
  }
  const revokedOf = async (id: string): Promise<boolean> => {
    for (let cursor: string | undefined; ;) {
      const page = await other.list(OWNER, { limit: 100, ...(cursor !== undefined && { cursor }) })
      const listed = page.items.find((key) => key.id === id)
      if (listed) return listed.revokedAt !== null
      if (page.nextCursor === null) throw new Error('There is no such key')
      cursor = page.nextCursor
    }
  }
  return { between, one, other, make, revokedOf }
}

it('a key that another process makes after the tree was read ends with the tree', async () => {
  const { between, one, make, revokedOf } = createProcesses()
  const root = await make()
  await make(root.id)
  let late: string | null = null
  between.afterList = async ({ prefix }) => {
    if (late !== null || !prefix.includes('api-keys')) return
    late = ''
    late = (await make(root.id)).id
  }
  expect((await one.revoke(OWNER, root.id, { descendants: true })).descendantsRevoked).toBe(2)
  expect(late).not.toBeNull()
  expect(await revokedOf(late ?? '')).toBe(true)
})

it('a key that another process revokes at the same moment can make no key', async () => {
  const { between, one, other, make } = createProcesses()
  const root = await make()
  between.beforeCommit = async () => {
    delete between.beforeCommit
    await other.revoke(OWNER, root.id)
  }
  await expect(make(root.id, one)).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
})

it('a large tree that cannot be ended in one commit keeps its root until its last key ends', async () => {
  const { between, one, make, revokedOf } = createProcesses()
  const root = await make()
  for (let i = 0; i < 300; i++) await make(root.id)
  let commits = 0
  between.beforeCommit = async () => {
    if (++commits > 1) throw new Error('The store is away')
  }
  await expect(one.revoke(OWNER, root.id, { descendants: true })).rejects.toThrow(
    'The store is away',
  )
  expect(await revokedOf(root.id)).toBe(false)
  delete between.beforeCommit
  expect((await one.revoke(OWNER, root.id, { descendants: true })).descendantsRevoked).toBe(50)
  expect(await revokedOf(root.id)).toBe(true)
})
