import { expect, it } from 'vitest'
import { addMedia } from '../../support/fakes/add-media.ts'
import { createServiceHost } from '../../support/worlds/service-host.ts'

it('media are listed with links that work, in pages', async () => {
  const host = await createServiceHost()
  const ids: string[] = []
  for (const text of ['a', 'b', 'c'])
    ids.push(
      await addMedia(host, 'acme', {
        bytes: new TextEncoder().encode(text),
        sourceUrl: `https://shop.example.com/${text}.txt`,
      }),
    )
  const first = (await host.call('GET', '/api/v1/media?limit=2')).body.data
  const rest = (
    await host.call('GET', `/api/v1/media?cursor=${encodeURIComponent(first.nextCursor)}`)
  ).body.data
  const items: { id: string; url: string }[] = [...first.items, ...rest.items]
  expect(items.map(({ id }) => id)).toEqual(ids.toSorted())
  for (const { url } of items) {
    const { pathname, search } = new URL(url)
    expect((await host.send('GET', pathname + search, { key: null })).status).toBe(200)
  }
})
