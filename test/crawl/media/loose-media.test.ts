import { expect, test } from 'vitest'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { DAY_MS } from '../../../src/kernel/time.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { pngOf } from '../../support/fakes/image-bytes.ts'
import { through } from '../../support/stores/fault-store.ts'
import { createWorld, OWNER } from '../../support/worlds/world.ts'

const SITE = 'https://a.example.com'
const RECIPE = {
  start: { urls: [`${SITE}/`] },
  extract: { fields: { picture: { css: 'img', attr: 'src', as: 'media' } } },
}
const MINUTE_MS = 60_000

/** A run whose page was never committed, although its picture is stored; it was cancelled then. */
async function cancelledRun() {
  const clock = createFakeClock()
  const base = createMemoryStore({ clock })
  const blobs = createMemoryBlobs()
  const broken = { items: true }
  const store = through(base, (change) =>
    broken.items && change.set?.some(({ key }) => key[1] === 'media')
      ? Promise.reject(new Error('The store is away'))
      : base.commit(change),
  )
  const world = createWorld(
    {
      [`${SITE}/`]: '<h1>One</h1><img src="/a.png">',
      [`${SITE}/a.png`]: { headers: { 'content-type': 'image/png' }, body: pngOf(1, 1, 1) },
    },
    { clock, store, blobs },
  )
  const work = async (ms: number): Promise<void> => {
    for (const end = clock.now() + ms; clock.now() < end; await clock.advance(ms / 4))
      await world.work()
    await world.work()
  }
  const id = await world.start(RECIPE)
  await world.work()
  await world.platform.api.executions.cancel(OWNER, id)
  broken.items = false
  const files = () => blobs.list('media/')
  expect(await files()).toHaveLength(1)
  await work(MINUTE_MS)
  expect(await world.read(id)).toMatchObject({ status: 'cancelled' })
  return { world, work, files }
}

test('bytes of media whose page was never committed are erased after the end', async () => {
  const { work, files } = await cancelledRun()
  // Another run may be about to commit them.
  expect(await files()).toHaveLength(1)
  await work(DAY_MS)
  expect(await files()).toEqual([])
})

test('the same content of a later run has bytes of its own, which stay', async () => {
  const { world, work, files } = await cancelledRun()
  const id = await world.start(RECIPE)
  await work(MINUTE_MS)
  expect(await world.read(id)).toMatchObject({ status: 'succeeded' })
  expect(await files()).toHaveLength(2)
  await work(DAY_MS)
  const [name = ''] = await files()
  expect(name).toMatch(/\.1$/)
  expect(await files()).toHaveLength(1)
  expect(await world.platform.verify()).toMatchObject({ ok: true })
})
