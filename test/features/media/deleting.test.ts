import { expect, it } from 'vitest'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { defineRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import { visitBytes } from '../../../src/features/executions/page-visit.ts'
import { createRecords } from '../../../src/features/records.ts'
import type { Store } from '../../../src/ports/store.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createFakeWeb } from '../../support/fakes/fake-web.ts'
import { OWNER } from '../../support/worlds/world.ts'

const SITE = 'https://shop.example.com'
const page = (image: string) =>
  `<h1>Pen</h1><img class="own" src="/${image}.bin"><img class="logo" src="/logo.bin">`
const recipeFor = (name: string) =>
  defineRecipe({
    start: { urls: [`${SITE}/${name}`] },
    extract: {
      fields: {
        own: { css: 'img.own', attr: 'src', as: 'media' },
        logo: { css: 'img.logo', attr: 'src', as: 'media' },
      },
    },
  })
const file = (text: string) => ({ headers: { 'content-type': 'application/pdf' }, body: text })
const [OWN, LOGO] = ['bytes of one page', 'the logo of all']

/** A platform that has stored the media of a page. */
async function openShop(wrap: (store: Store) => Store = (store) => store) {
  const clock = createFakeClock()
  const blobs = createMemoryBlobs()
  const store = createMemoryStore({ clock })
  const records = createRecords(store)
  const platform = createPlatform({
    store: wrap(store),
    blobs,
    fetcher: createFakeWeb({
      [`${SITE}/a`]: page('a'),
      [`${SITE}/b`]: page('b'),
      [`${SITE}/a.bin`]: file(OWN),
      [`${SITE}/b.bin`]: file(OWN.toUpperCase()),
      [`${SITE}/logo.bin`]: file(LOGO),
    }),
    clock,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  })
  const work = () => clock.runUntil(platform.worker.tick())
  const run = async (name: string) => {
    const { id } = await platform.api.executions.run(OWNER, { recipe: recipeFor(name) })
    await work()
    return id
  }
  /** The real bytes of all blobs of a folder. */
  const stored = async (folder: string) => {
    let bytes = 0
    for (const name of await blobs.list(folder)) bytes += (await blobs.get(name))?.length ?? 0
    return bytes
  }
  return {
    clock,
    platform,
    work,
    run,
    stored,
    /** The real bytes of rows and visits, of one run or of all. */
    async ofRuns(...ids: string[]) {
      const visits = await records.visits.list(OWNER.account, { within: ids, limit: 100 })
      const blobBytes = await stored(['rows', ...ids, ''].join('/'))
      return visits.reduce((sum, { value }) => sum + visitBytes(value), blobBytes)
    },
    media: async () => (await platform.api.media.list(OWNER)).items,
    used: async () => (await platform.api.me.get(OWNER)).limits.bytes.used ?? 0,
    differences: async () => (await platform.verify()).differences,
  }
}

it('a file of many runs is counted once, as long as it is stored', async () => {
  const shop = await openShop()
  const [first] = [await shop.run('a'), await shop.run('a'), await shop.run('b')]
  const media = OWN.length * 2 + LOGO.length
  expect(await shop.stored('media/')).toBe(media)
  expect(await shop.used()).toBe((await shop.ofRuns()) + media)
  const before = await shop.used()
  const rows = await shop.ofRuns(first)
  await shop.platform.api.executions.delete(OWNER, first)
  expect(await shop.used()).toBe(before - rows)
  await shop.clock.advance(600_000)
  await shop.work()
  expect(await shop.used()).toBe((await shop.ofRuns()) + (await shop.stored('media/')))
  expect(await shop.differences()).toEqual([])
})

it('a deleted item and its links are 404, its bytes are erased later, and others stay', async () => {
  const shop = await openShop()
  const id = await shop.run('a')
  const before = await shop.used()
  const [own, logo] = ['own', 'logo'].map(async (name) => {
    const { items } = await shop.platform.api.results.list(OWNER, id)
    const value: unknown = items[0]?.[name]
    return Object(value) as { readonly id: string; readonly url: string }
  })
  const [deleted, stays] = [await own, await logo]
  if (!deleted || !stays) throw new Error('The row has no media')
  const open = (url: string, headers: Record<string, string> = {}) =>
    shop.platform.fetch(new Request(new URL(url, SITE), { headers }))
  const answer = await open(deleted.url)
  const etag = answer.headers.get('etag') ?? ''
  expect([answer.status, await answer.text()]).toEqual([200, OWN])
  // No shared cache may answer in place of the platform.
  expect(answer.headers.get('cache-control')).toMatch(/^private, /)
  const entries = (await shop.platform.api.billing.ledger(OWNER)).items

  expect(await shop.platform.api.media.delete(OWNER, deleted.id)).toEqual({
    id: deleted.id,
    deleted: true,
  })
  await expect(shop.platform.api.media.delete(OWNER, deleted.id)).rejects.toMatchObject({
    code: 'NOT_FOUND',
  })
  expect((await open(deleted.url)).status).toBe(404)
  expect((await open(deleted.url, { 'if-none-match': etag })).status).toBe(404)
  expect((await open(stays.url)).status).toBe(200)
  expect((await shop.media()).map((item) => item.id)).toEqual([stays.id])
  expect(await shop.used()).toBe(before - OWN.length)
  expect(await shop.differences()).toEqual([])
  expect((await shop.platform.api.billing.ledger(OWNER)).items).toEqual(entries)
  expect((await shop.platform.api.executions.pages(OWNER, id)).items).toHaveLength(1)
  expect(await shop.stored('media/')).toBe(OWN.length + LOGO.length)
  await shop.clock.advance(600_000)
  await shop.work()
  expect(await shop.stored('media/')).toBe(LOGO.length)
})

it('content that is stored again after its deletion is not erased with the deleted item', async () => {
  const shop = await openShop()
  await shop.run('a')
  const before = await shop.media()
  for (const { id } of before) await shop.platform.api.media.delete(OWNER, id)
  expect(await shop.media()).toEqual([])
  await shop.run('a')
  await shop.clock.advance(600_000)
  await shop.work()
  const items = await shop.media()
  expect(items.map(({ id }) => id)).toEqual(before.map(({ id }) => id))
  for (const { url } of items)
    expect((await shop.platform.fetch(new Request(new URL(url, SITE)))).status).toBe(200)
  expect(await shop.stored('media/')).toBe(OWN.length + LOGO.length)
  expect(await shop.used()).toBe((await shop.ofRuns()) + OWN.length + LOGO.length)
  expect(await shop.differences()).toEqual([])
})

it('an item that two runs add at once is counted once, and both end', async () => {
  let isFirst = true
  const shop = await openShop((store) => ({
    get: (keys) => store.get(keys),
    list: (range) => store.list(range),
    close: () => store.close(),
    async commit(change) {
      const items = (change.set ?? []).filter(({ key }) => key[1] === 'media')
      if (items.length > 0 && isFirst) {
        isFirst = false
        // The other run is a little earlier.
        const counters = (change.add ?? []).filter(({ key }) => key[1] === 'stored-bytes')
        const amount = OWN.length + LOGO.length
        await store.commit({ set: items, add: counters.map(({ key }) => ({ key, amount })) })
      }
      return store.commit(change)
    },
  }))
  const id = await shop.run('a')
  expect(isFirst).toBe(false)
  expect(await shop.platform.api.executions.get(OWNER, id)).toMatchObject({ status: 'succeeded' })
  expect(await shop.used()).toBe((await shop.ofRuns()) + (await shop.stored('media/')))
  expect(await shop.differences()).toEqual([])
})
