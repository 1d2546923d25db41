import { expect, it } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { StoreFailure } from '../../../src/kernel/failures.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { through } from '../../support/stores/fault-store.ts'
import { createWorld } from '../../support/worlds/world.ts'

const SITE = 'https://a.example.com'

it('no page is lost because the store was away while it was visited', async () => {
  const clock = createFakeClock()
  const base = createMemoryStore({ clock })
  let failures = 0
  const store = {
    ...through(base, (change) => base.commit(change)),
    get: async (keys: Parameters<typeof base.get>[0]) => {
      // The only read of a visit: whether the bytes are stored already.
      if (keys.some((key) => key[1] === 'media') && failures++ < 3)
        throw new StoreFailure('unreachable')
      return base.get(keys)
    },
  }
  const world = createWorld(
    {
      [`${SITE}/1`]: '<h1>One</h1><img src="/a.png">',
      [`${SITE}/2`]: '<h1>Two</h1>',
      [`${SITE}/a.png`]: { headers: { 'content-type': 'image/png' }, body: 'png' },
    },
    { clock, store },
  )
  const id = await world.start({
    start: { urls: [`${SITE}/1`, `${SITE}/2`] },
    extract: { fields: { title: 'h1', picture: { css: 'img', attr: 'src', as: 'media' } } },
  })
  for (let i = 0; i < 5; i++) {
    await world.work()
    await clock.advance(60_000)
  }
  expect(failures).toBeGreaterThan(3)
  expect(await world.read(id)).toMatchObject({ status: 'succeeded' })
  expect((await world.receipt(id)).map(({ outcome }) => outcome)).toEqual(['fetched', 'fetched'])
})
