import { expect, it, test } from 'vitest'
import { putMedia } from '../../../src/crawl/media/put-media.ts'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { mediaId } from '../../../src/engine/media/link-media.ts'
import { createRecords } from '../../../src/features/records.ts'
import { sha256Hex } from '../../../src/kernel/crypto.ts'
import { DAY_MS, HOUR_MS } from '../../../src/kernel/time.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createWorld, OWNER } from '../../support/worlds/world.ts'

const SITE = 'https://a.example.com'
const BYTES = new Uint8Array([1, 2, 3])

/** An execution that has ended and was swept. */
async function endedRun() {
  const world = createWorld({ [`${SITE}/`]: '<h1>One</h1>' })
  const execution = await world.start({
    start: { urls: [`${SITE}/`] },
    extract: { fields: { title: 'h1' } },
  })
  await world.work()
  return { world, execution }
}

async function putOf(execution: string) {
  const sha256 = await sha256Hex(BYTES)
  return { execution, id: mediaId(sha256), sha256, owner: 'own' }
}

it.for(['ended', 'deleted'])(
  'bytes that a late worker stores for an execution that is %s are erased',
  async (state) => {
    const { world, execution } = await endedRun()
    const { clock, store, blobs } = world
    const stores = { records: createRecords(store), blobs, clock, account: OWNER.account }
    const put = await putOf(state === 'ended' ? execution : 'exe_gone')
    await putMedia(stores, put, BYTES)
    expect(await blobs.list('media/')).toHaveLength(1)
    for (let hours = 0; hours * HOUR_MS < DAY_MS; hours++) {
      await world.work()
      await clock.advance(HOUR_MS)
    }
    expect(await blobs.list('media/')).toEqual([])
  },
)

test('bytes are stored although the store fails before and after them', async () => {
  const clock = createFakeClock()
  const blobs = createMemoryBlobs()
  const away = () => Promise.reject(new Error('The store is away'))
  const store = { ...createMemoryStore({ clock }), get: away, commit: away }
  const stores = { records: createRecords(store), blobs, clock, account: OWNER.account }
  await clock.runUntil(putMedia(stores, await putOf('exe_1'), BYTES))
  expect(await blobs.list('media/')).toHaveLength(1)
})
