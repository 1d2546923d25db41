import { expect, it } from 'vitest'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { pngOf } from '../../support/fakes/image-bytes.ts'
import { through } from '../../support/stores/fault-store.ts'
import { createWorld } from '../../support/worlds/world.ts'

const SITE = 'https://a.example.com'

it.for([
  ['whole', 1],
  ['torn', 2],
] as const)(
  'bytes that are stored are put again only if they are damaged: %s',
  async ([state, most]) => {
    const clock = createFakeClock()
    const base = createMemoryStore({ clock })
    const inner = createMemoryBlobs()
    let puts = 0
    const blobs: typeof inner = {
      ...inner,
      async put(name, bytes) {
        const isTorn = name.startsWith('media/') && ++puts === 1 && state === 'torn'
        await inner.put(name, isTorn ? bytes.subarray(0, 10) : bytes)
      },
    }
    // The commit of the item fails until the execution's job is tried again.
    let failures = 0
    const store = through(base, (change) => {
      if (change.set?.some(({ key }) => key[1] === 'media') && failures++ < 3)
        return Promise.reject(new Error('The store is away'))
      return base.commit(change)
    })
    const png = pngOf(1, 1, 1)
    const world = createWorld(
      {
        [`${SITE}/`]: '<h1>One</h1><img src="/a.png">',
        [`${SITE}/a.png`]: { headers: { 'content-type': 'image/png' }, body: png },
      },
      { clock, store, blobs },
    )
    const id = await world.start({
      start: { urls: [`${SITE}/`] },
      extract: { fields: { picture: { css: 'img', attr: 'src', as: 'media' } } },
    })
    for (let i = 0; i < 5; i++) {
      await world.work()
      await clock.advance(60_000)
    }
    expect(await world.read(id)).toMatchObject({ status: 'succeeded' })
    expect(puts).toBe(most)
    const [name = ''] = await inner.list('media/')
    expect(await inner.get(name)).toEqual(png)
  },
)
