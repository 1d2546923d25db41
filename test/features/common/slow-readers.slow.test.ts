import { expect, it } from 'vitest'
import { addMedia } from '../../support/fakes/add-media.ts'
import { noisySegments } from '../../support/fakes/noisy-rows.ts'
import { createServiceHost } from '../../support/worlds/service-host.ts'

const shares = {
  downloads: { places: 4, each: 2 },
  media: { places: 4, each: 2, waiting: 0 },
  streams: { places: 2 },
}

/** A host, and the path of each kind of stream that uses a place. */
async function streams() {
  const host = await createServiceHost({ shares })
  const { id } = await host.executionWith(noisySegments(20, 300))
  const { id: running } = await host.executionWith([])
  const item = await addMedia(host, 'acme', {
    bytes: new Uint8Array(2_000_000).fill(7),
    declared: 'application/octet-stream',
    sourceUrl: 'https://shop.example.com/a.bin',
  })
  const media = new URL((await host.call('GET', `/api/v1/media/${item}`)).body.data.url)
  return {
    host,
    paths: {
      export: `/api/v1/executions/${id}/results/export`,
      media: media.pathname + media.search,
      events: `/api/v1/executions/${running}/events`,
    },
  }
}

it.each(['export', 'media', 'events'] as const)(
  '%s: a reader that stops reading loses its place, and one that reads on keeps it',
  async (kind) => {
    const { host, paths } = await streams()
    const open = async () => {
      const response = await host.send('GET', paths[kind])
      const reader = response.body?.getReader()
      const first = response.status === 200 ? await reader?.read() : undefined
      return { status: response.status, reader, first }
    }
    const [stalled, honest] = [await open(), await open()]
    expect([stalled.status, honest.status, (await open()).status]).toEqual([200, 200, 429])
    expect(stalled.first?.value?.length).toBeGreaterThan(0)
    // The rest of the body is read by nobody.
    for (let second = 0; second < 90; second += 5) {
      const reading = honest.reader?.read()
      await host.clock.advance(5_000)
      // An execution that waits sends only a heartbeat from time to time.
      if (kind !== 'events') await reading
    }
    await expect(stalled.reader?.read()).rejects.toThrow('The response ended early')
    expect(host.logged.filter(({ level }) => level === 'error')).toEqual([])
    expect(host.logged).toContainEqual(
      expect.objectContaining({ level: 'info', message: expect.stringContaining('too slow') }),
    )
    expect((await open()).status).toBe(200)
  },
)

it.each(['export', 'events'] as const)(
  '%s: an answer without a body uses no place',
  async (kind) => {
    const { host, paths } = await streams()
    for (let time = 0; time < 5; time++)
      expect(
        (await host.send('GET', paths[kind], { headers: { Accept: 'image/png' } })).status,
      ).toBe(406)
    expect((await host.send('GET', paths[kind])).status).toBe(200)
  },
)
