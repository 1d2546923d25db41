import { expect, it } from 'vitest'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { createRecords } from '../../../src/features/records.ts'
import { mediaBlob } from '../../../src/features/media/records.ts'
import type { MediaRecord } from '../../../src/features/media/records.ts'
import { sha256Hex } from '../../../src/kernel/crypto.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import { Change } from '../../../src/records/change.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createFakeWeb } from '../../support/fakes/fake-web.ts'
import { OWNER } from '../../support/worlds/world.ts'

const site = 'https://shop.example.com/'

/** A platform with an execution that has rows, and with a media item. */
async function openWorld() {
  const clock = createFakeClock()
  const store = createMemoryStore({ clock })
  const blobs = createMemoryBlobs()
  const rows = Array.from({ length: 20 }, (_, i) => `<li><b>Item ${i}</b></li>`).join('')
  const fetcher = createFakeWeb({
    [site]: { headers: { 'content-type': 'text/html' }, body: `<ul>${rows}</ul>` },
  })
  const platform = createPlatform({ store, blobs, clock, fetcher })
  const task = await platform.api.tasks.create(OWNER, {
    name: 'rows',
    recipe: {
      start: { urls: [site] },
      crawl: { robots: false },
      extract: { items: 'li', fields: { title: 'b' } },
    },
  })
  await platform.api.executions.start(OWNER, task.id)
  await clock.runUntil(platform.worker.tick())
  const bytes = new TextEncoder().encode('an image')
  const sha256 = await sha256Hex(bytes)
  const item: MediaRecord = {
    id: `med_${sha256}`,
    kind: 'image',
    sha256,
    owner: 'o',
    contentType: 'image/png',
    bytes: bytes.length,
    width: null,
    height: null,
    sourceUrl: site,
    firstSeenAt: 0,
  }
  const records = createRecords(store)
  const change = new Change()
  records.media.insert(change, OWNER.account, item)
  await records.commit(change)
  await blobs.put(mediaBlob(item), bytes)
  const [rowBlob = ''] = await blobs.list('rows/')
  return {
    blobs,
    rowBlob,
    mediaName: mediaBlob(item),
    damage: async () =>
      (await platform.verify()).differences.flatMap(({ message }) =>
        message.startsWith('blob') ? [message] : [],
      ),
  }
}

it('names blobs of rows and media that are gone, torn, or have other bytes', async () => {
  const { blobs, rowBlob, mediaName, damage } = await openWorld()
  expect(await damage()).toEqual([])
  const rows = (await blobs.get(rowBlob)) ?? expect.fail('there are no rows')
  const media = (await blobs.get(mediaName)) ?? expect.fail('there is no media item')
  // Its size is right, and a sector of it was never written.
  await blobs.put(rowBlob, rows.slice().fill(0, 40, 60))
  await blobs.put(mediaName, media.slice().fill(0, 2, 4))
  expect(await damage()).toEqual([
    expect.stringMatching(/^blob rows\/\S+ is damaged: 1\d of its 20 rows can be read$/),
    `blob ${mediaName} is damaged: its bytes are not those of its digest`,
  ])
  await blobs.put(rowBlob, new Uint8Array())
  await blobs.put(mediaName, media.slice(0, 3))
  expect(await damage()).toEqual([
    expect.stringMatching(/ is damaged: 0 of its 20 rows can be read$/),
    `blob ${mediaName} is damaged: it has 3 of 8 bytes`,
  ])
  await blobs.remove(rowBlob)
  await blobs.remove(mediaName)
  expect(await damage()).toEqual([
    `blob ${rowBlob} is gone, with its rows`,
    `blob ${mediaName} is gone, with its bytes`,
  ])
})
