import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStorage } from 'unstorage'
import fsLiteDriver from 'unstorage/drivers/fs-lite'
import { afterAll, expect, it } from 'vitest'
import { createUnstorageStore } from '../../../adapters/unstorage/index.ts'
import type { RawStorage } from '../../../adapters/unstorage/index.ts'
import type { Store } from '../../../src/ports/store.ts'
import { storeContract } from '../../contracts/store.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'

const folder = mkdtempSync(join(tmpdir(), 'seine-unstorage-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let folders = 0

const quiet = { warn() {} }
const openFiles = (base: string, clock = createFakeClock()): Store =>
  createUnstorageStore({
    storage: createStorage({ driver: fsLiteDriver({ base }) }),
    clock,
    logger: quiet,
  })

storeContract('createUnstorageStore on files', async () => {
  const clock = createFakeClock()
  const base = join(folder, String(folders++))
  return { store: openFiles(base, clock), clock, reopen: async () => openFiles(base, clock) }
})

storeContract('createUnstorageStore in memory', async () => {
  const clock = createFakeClock()
  return { store: createUnstorageStore({ storage: createStorage(), clock, logger: quiet }), clock }
})

/** Items in memory that outlive the store that opened them; `before` is called before each write. */
function createItems(
  before: (name: string) => 'whole' | 'half' | 'none' = () => 'whole',
): RawStorage & { readonly items: Map<string, Uint8Array> } {
  const items = new Map<string, Uint8Array>()
  return {
    items,
    getItemRaw: async (name) => items.get(name) ?? null,
    async setItemRaw(name, value) {
      const how = before(name)
      if (how !== 'none') items.set(name, how === 'half' ? value.slice(0, value.length / 2) : value)
      if (how !== 'whole') throw new Error('The storage is gone')
    },
    async removeItem(name) {
      if (before(name) !== 'whole') throw new Error('The storage is gone')
      items.delete(name)
    },
    getKeys: async () => [...items.keys()],
    async dispose() {},
  }
}

const COUNT = 2_150

/**
 * Counts in three keys with each commit, again and again, until the storage fails; gives the
 * number of commits that succeeded.
 */
async function count(storage: RawStorage): Promise<number> {
  const store = createUnstorageStore({ storage, logger: quiet })
  for (let n = 1; n <= COUNT; n++) {
    const commit = store.commit({
      set: [
        { key: ['a', 'n'], value: n },
        { key: ['a', 'item', n % 40], value: n },
      ],
      add: [{ key: ['a', 'sum'], amount: 1 }],
      ...(n % 7 === 0 && { delete: [['a', 'item', (n + 20) % 40]] }),
    })
    if (!(await commit.catch(() => false))) return n - 1
  }
  return COUNT
}

it('the store is whole after a crash at any write, also while everything is written anew', async () => {
  const whole = createItems()
  await count(whole)
  // The writes around the interesting places: the begin, both times that everything is written
  // anew, and the end.
  const names: string[] = []
  await count(createItems((name) => (names.push(name), 'whole')))
  const anew = names.flatMap((name, index) =>
    /^(entries|head)/.test(name) ? [index - 1, index, index + 1, index + 2, index + 500] : [],
  )
  const crashes = [...new Set([0, 1, 2, 3, ...anew, names.length - 1])].filter(
    (index) => index < names.length,
  )
  expect(crashes.length).toBeGreaterThan(15)
  for (const crash of crashes) {
    for (const how of ['none', 'half'] as const) {
      let position = 0
      const storage = createItems(() =>
        position < crash ? (position++, 'whole') : position++ === crash ? how : 'none',
      )
      const commits = await count(storage)
      const again = createUnstorageStore({
        storage: {
          ...storage,
          setItemRaw: async (name, value) => void storage.items.set(name, value),
          removeItem: async (name) => void storage.items.delete(name),
        },
        logger: quiet,
      })
      const [n, sum] = await again.get([
        ['a', 'n'],
        ['a', 'sum'],
      ])
      expect(Number(n?.value ?? 0)).toBe(commits)
      expect(Number(sum?.value ?? 0)).toBe(commits)
      expect(
        await again.commit({
          check: [{ key: ['a', 'n'], version: n?.version ?? null }],
          set: [{ key: ['a', 'n'], value: 'more' }],
        }),
      ).toBe(true)
      expect((await again.get([['a', 'n']]))[0]?.version).not.toBe(n?.version)
    }
  }
})

it('commits are removed once everything is written anew', async () => {
  const storage = createItems()
  await count(storage)
  expect(storage.items.size).toBeLessThan(200)
  const store = createUnstorageStore({ storage, logger: quiet })
  expect((await store.get([['a', 'sum']]))[0]?.value).toBe(COUNT)
})

it('commits of the former owner of the storage are refused', async () => {
  const base = join(folder, String(folders++))
  const one = openFiles(base)
  expect(await one.get([['a']])).toEqual([null])
  const two = openFiles(base)
  await two.commit({ set: [{ key: ['a'], value: 2 }] })
  await expect(one.commit({ set: [{ key: ['a'], value: 1 }] })).rejects.toThrow('Another process')
  expect((await two.get([['a']]))[0]?.value).toBe(2)
  await Promise.all([one.close(), two.close()])
  expect(readdirSync(base).toSorted()).toEqual(['commits', 'layout', 'session'])
})

it('a warning says what the store is for', async () => {
  const messages: string[] = []
  await createUnstorageStore({
    storage: createStorage(),
    logger: { warn: (message) => messages.push(message) },
  }).close()
  expect(messages).toEqual([
    'Records are in an unstorage store, which is for development and one process only',
  ])
})
