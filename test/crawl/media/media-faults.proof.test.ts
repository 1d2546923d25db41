import { describe, expect, it } from 'vitest'
import type { Row } from '../../../src/kernel/json.ts'
import type { Blobs } from '../../../src/ports/blobs.ts'
import type { Store } from '../../../src/ports/store.ts'
import { SYSTEM } from '../../../src/records/collection.ts'
import { mediaBlob } from '../../../src/features/media/records.ts'
import { createRecords } from '../../../src/features/records.ts'
import { FAULTS, through } from '../../support/stores/fault-store.ts'
import type { Fault } from '../../support/stores/fault-store.ts'
import { pngOf } from '../../support/fakes/image-bytes.ts'
import { playFaults } from '../../support/stores/play-fault.ts'
import type { OpenRuns } from '../../support/stores/play-fault.ts'
import { createWatchedWorld } from '../../support/worlds/watched-world.ts'
import { OWNER } from '../../support/worlds/world.ts'

const SITE = 'https://shop.example.com'
const PAGES = 6
// Neighbouring pages share an image; the bytes of one image are at two addresses.
const images = [0, 1, 2, 1]
const WEB = Object.fromEntries([
  ...Array.from({ length: PAGES }, (_, n): [string, string] => [
    `${SITE}/p/${n}`,
    `<h1>${n}</h1><img src="/i/${n % 4}.png"><img src="/i/${(n + 1) % 4}` +
      '.png"><img src="/gone.png">' +
      `${n + 1 < PAGES ? `<a class=next href="/p/${n + 1}">n</a>` : ''}`,
  ]),
  ...images.map((seed, n): [string, { headers: Record<string, string>; body: Uint8Array }] => [
    `${SITE}/i/${n}.png`,
    { headers: { 'content-type': 'image/png' }, body: pngOf(1, 1, seed) },
  ]),
])
const RECIPE = {
  start: { urls: [`${SITE}/p/0`] },
  follow: [{ next: 'a.next' }],
  extract: { fields: { title: 'h1', images: { css: 'img', many: true, as: 'media' } } },
}

/** The contradictions among rows, records and blobs. */
async function contradictions(
  store: Store,
  blobs: Blobs,
  rows: () => Promise<readonly Row[]>,
): Promise<string[]> {
  const records = createRecords(store)
  const items = (await records.media.list(OWNER.account, { limit: 100 })).map(({ value }) => value)
  const owners = (await records.mediaOwners.list(SYSTEM, { limit: 100 })).map(({ value }) => value)
  const broken: string[] = []
  for (const item of items) {
    if ((await blobs.get(mediaBlob(item)))?.length !== item.bytes)
      broken.push('a record has no blob')
    if (!owners.some(({ owner, account }) => owner === item.owner && account === OWNER.account))
      broken.push('a record has no owner')
  }
  for (const id of JSON.stringify(await rows()).match(/med_\w+/g) ?? [])
    if (!items.some((item) => item.id === id)) broken.push('a row names no record')
  return broken
}

function enumerate(fault: Fault, spoil?: (store: Store) => Store) {
  let rows = async (): Promise<readonly Row[]> => []
  const open = () => {
    rows = async () => []
    return createWatchedWorld(WEB, { more: (base, blobs) => contradictions(base, blobs, rows) })
  }
  const run = async ({ world, broken, work }: OpenRuns): Promise<void> => {
    const id = await world.start(RECIPE)
    rows = () => world.rows(id)
    await work(id)
    const last = await rows()
    const errors = JSON.stringify(last).match(/http_404/g)?.length ?? 0
    const named = new Set(JSON.stringify(last).match(/med_\w+/g))
    if (
      (await world.read(id)).status !== 'succeeded' ||
      last.length !== PAGES ||
      errors !== PAGES ||
      named.size !== 3
    )
      broken.add('the rows are not exact')
    if ((await world.blobs.list('media/')).length !== 3)
      broken.add('bytes are stored twice, or not')
  }
  return playFaults(fault, { open, run, spoil })
}

describe('rows, records and bytes of media agree after every commit, however a commit fails', () => {
  it.each(FAULTS)('%s', async (fault) => {
    const { scenarios, broken } = await enumerate(fault)
    expect(broken).toEqual([])
    expect(scenarios).toBeGreaterThan(PAGES)
  })

  it('planted: the checks notice records in a commit after that of the rows', async () => {
    const spoil = (store: Store): Store =>
      through(store, async (change) => {
        const media = (change.set ?? []).filter(({ key }) => key[1] === 'media')
        const isWritten = await store.commit({
          ...change,
          set: (change.set ?? []).filter((one) => !media.includes(one)),
        })
        if (isWritten && media.length > 0) await store.commit({ set: media })
        return isWritten
      })
    expect((await enumerate('crash-after', spoil)).broken).not.toEqual([])
  })
})
