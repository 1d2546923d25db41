import { expect, it, vi } from 'vitest'
import { Change } from '../../../src/records/change.ts'
import { createServiceHost } from '../../support/worlds/service-host.ts'

it('top-ups are listed newest first, whatever their ids, in pages', async () => {
  const { call, clock } = await createServiceHost()
  const bought: string[] = []
  for (let i = 0; i < 5; i++) {
    const headers: Record<string, string> = i % 2 === 0 ? { 'idempotency-key': `key ${i}` } : {}
    const { body } = await call('POST', '/api/v1/billing/top-ups', {
      body: { credits: i + 1 },
      headers,
    })
    bought.unshift(body.data.id)
    // Two top-ups have the same time.
    if (i !== 2) await clock.advance(1_000)
  }
  const seen: string[] = []
  for (let cursor = ''; ;) {
    const { items, nextCursor } = (await call('GET', `/api/v1/billing/top-ups?limit=2${cursor}`))
      .body.data
    seen.push(...items.map(({ id }: { id: string }) => id))
    if (nextCursor === null) break
    cursor = `&cursor=${encodeURIComponent(nextCursor)}`
  }
  expect(seen.toSorted()).toEqual(bought.toSorted())
  expect([seen[0], seen[3], seen[4]]).toEqual([bought[0], bought[3], bought[4]])
})

it('a page reads no more records than it shows, and top-ups of earlier versions are in it', async () => {
  const { call, records, clock } = await createServiceHost()
  const earlier = new Change()
  for (let i = 0; i < 30; i++)
    records.topUps.insert(earlier, 'acme', {
      id: `top_${(i * 7) % 30}`,
      credits: i + 1,
      status: 'completed',
      placed: true,
      url: null,
      returnUrl: null,
      reason: null,
      createdAt: clock.now() - 1_000 * (i + 1),
      completedAt: null,
    })
  await records.commit(earlier)
  const of = async (query: string): Promise<number[]> =>
    (await call('GET', `/api/v1/billing/top-ups?${query}`)).body.data.items.map(
      ({ credits }: { credits: number }) => credits,
    )
  expect(await of('limit=3')).toEqual([1, 2, 3])
  expect(await of('limit=2&sort=createdAt')).toEqual([30, 29])
  const list = vi.spyOn(records.topUps, 'list')
  const getMany = vi.spyOn(records.topUps, 'getMany')
  expect(await of('limit=3')).toEqual([1, 2, 3])
  expect(list).not.toHaveBeenCalled()
  expect(getMany.mock.calls.map(([, ids]) => ids.length)).toEqual([3])
})
