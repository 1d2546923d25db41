import { expect, it } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import type { Commit } from '../../../src/ports/store.ts'
import { createRecords } from '../../../src/features/records.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createFakeFetcher } from '../../support/fakes/fake-fetcher.ts'
import { LEASE_MS, OWNER, createWorld } from '../../support/worlds/world.ts'

const SITE = 'https://shop.example.com'

// It is cut off at the first call after that time, or at the first sign of life, when the lease of
// the job has just been renewed for longer.
it.each(
  [0.1, 0.3, 0.4, 0.6, 0.99, 1.3].flatMap((share) => [
    { share, at: 'any call' },
    { share, at: 'a sign of life' },
  ]),
)(
  'a worker that is cut off from its store ends its requests before another may request the ' +
    'same hosts: $share leases after it began, at $at',
  async ({ share, at }) => {
    const clock = createFakeClock()
    const store = createMemoryStore({ clock })
    const visits: { url: string; from: number; to: number }[] = []
    // The second page takes longer than any lease, unless its request is aborted.
    const fetcher = createFakeFetcher({
      async answer({ url, signal }) {
        const visit = { url: url.pathname, from: clock.now(), to: Infinity }
        visits.push(visit)
        if (url.pathname === '/long' && visits.filter((one) => one.url === '/long').length === 1)
          await clock.sleep(20 * LEASE_MS, signal).finally(() => (visit.to = clock.now()))
        visit.to = clock.now()
        return { headers: { 'content-type': 'text/html' }, body: '<h1>Here</h1>' }
      },
    })
    const world = createWorld({}, { clock, store, fetcher })
    const id = await world.start({
      start: { urls: [`${SITE}/short`, `${SITE}/long`] },
      crawl: { robots: false },
      page: { timeoutMs: 120_000 },
      extract: { fields: { title: 'h1' } },
    })

    const silentFrom = clock.now() + share * LEASE_MS
    const never = new Promise<never>(() => undefined)
    let silent = false
    const answer = <T>(call: () => Promise<T>, isSign = false): Promise<T> => {
      silent ||= clock.now() >= silentFrom && (isSign || at === 'any call')
      return silent ? never : call()
    }
    const isSign = (change: Commit): boolean =>
      change.set?.some(({ key }) => key[1] === 'heartbeats') === true
    const cutOff = world.join({
      get: (keys) => answer(() => store.get(keys)),
      list: (range) => answer(() => store.list(range)),
      commit: (change) => answer(() => store.commit(change), isSign(change)),
      close: async () => undefined,
    })
    void cutOff.worker.tick()
    await clock.advance(share * LEASE_MS)
    expect(visits.map(({ url, to }) => [url, to])).toEqual([
      ['/short', expect.any(Number)],
      ['/long', Infinity],
    ])
    await clock.advance(3 * LEASE_MS)
    expect(silent).toBe(true)
    const heartbeat = (await createRecords(store).heartbeats.get(OWNER.account, id))?.value
    expect(visits.find(({ url }) => url === '/long')?.to).toBeLessThanOrEqual(heartbeat?.until ?? 0)

    await world.work()
    expect(await world.read(id)).toMatchObject({
      status: 'succeeded',
      counters: { fetched: 2, rows: 2 },
      cost: { credits: 2 },
    })
    const [first, second, ...more] = visits.filter(({ url }) => url === '/long')
    expect(more).toEqual([])
    expect(second?.from).toBeGreaterThanOrEqual(first?.to ?? Infinity)
  },
)
