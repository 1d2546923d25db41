import { expect, it, vi } from 'vitest'
import { Change } from '../../../src/records/change.ts'
import { addMedia } from '../../support/fakes/add-media.ts'
import { createServiceHost } from '../../support/worlds/service-host.ts'

/** A host with an item an hour, the first at midnight. */
async function open(texts: readonly string[]) {
  const host = await createServiceHost()
  const ids: string[] = []
  for (const text of texts) {
    const bytes = new TextEncoder().encode(text)
    ids.push(
      await addMedia(host, 'acme', { bytes, sourceUrl: `https://shop.example.com/${text}.txt` }),
    )
    await host.clock.advance(3_600_000)
  }
  const of = async (query: string): Promise<{ items: { id: string; url: string }[] }> =>
    (await host.call('GET', `/api/v1/media?${query}`)).body.data
  return { host, ids, idsOf: async (query: string) => (await of(query)).items.map(({ id }) => id) }
}

it('media are listed with links that work, newest first, in pages', async () => {
  const { host, ids } = await open(['a', 'b', 'c'])
  const first = (await host.call('GET', '/api/v1/media?limit=2')).body.data
  const rest = (
    await host.call('GET', `/api/v1/media?cursor=${encodeURIComponent(first.nextCursor)}`)
  ).body.data
  const items: { id: string; url: string }[] = [...first.items, ...rest.items]
  expect(items.map(({ id }) => id)).toEqual(ids.toReversed())
  for (const { url } of items) {
    const { pathname, search } = new URL(url)
    expect((await host.send('GET', pathname + search, { key: null })).status).toBe(200)
  }
})

it('media are limited to a time and sorted like all lists, whatever their digests', async () => {
  const { ids, idsOf } = await open(['a', 'b', 'c', 'd', 'e'])
  expect(ids).not.toEqual(ids.toSorted())
  expect(await idsOf('sort=createdAt')).toEqual(ids)
  expect(await idsOf('sort=-createdAt')).toEqual(ids.toReversed())
  expect(await idsOf('from=2026-01-01T01:00:00Z&to=2026-01-01T03:00:00Z')).toEqual([ids[2], ids[1]])
  expect(await idsOf('from=2026-01-01T03:00:00.001Z&sort=createdAt')).toEqual([ids[4]])
  expect(await idsOf('to=2026-01-01')).toEqual([])
})

it('items of earlier versions are listed by their times as well, and deleted ones are not listed', async () => {
  const { host, ids, idsOf } = await open(['a', 'b', 'c'])
  const { records } = host
  const earlier = new Change()
  for (const { value } of await records.mediaTimes.list('acme', { limit: 10 }))
    records.mediaTimes.drop(earlier, 'acme', value.firstSeenAt, value.id)
  await records.commit(earlier)
  await host.call('DELETE', `/api/v1/media/${ids[1]}`)
  expect(await idsOf('sort=createdAt')).toEqual([ids[0], ids[2]])
  await host.call('DELETE', `/api/v1/media/${ids[0]}`)
  const read = vi.spyOn(records.media, 'list')
  expect(await idsOf('')).toEqual([ids[2]])
  expect(read).not.toHaveBeenCalled()
  expect(await records.mediaTimes.list('acme', { limit: 10 })).toHaveLength(1)
})
