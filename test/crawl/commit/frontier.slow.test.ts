import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { Change } from '../../../src/records/change.ts'
import { createRecords } from '../../../src/features/records.ts'
import type { FrontierRecord } from '../../../src/features/executions/records.ts'
import { Frontier, seenIdentities } from '../../../src/crawl/commit/frontier.ts'
import { normalUrl } from '../../support/normal-url.ts'

const identities = seenIdentities()

const entryOf = (seq: number): FrontierRecord => ({
  execution: 'exec',
  seq,
  url: normalUrl(`https://shop.example.com/${seq}`),
  label: 'start',
  depth: 0,
  hop: 1,
})

async function filled(
  count: number,
): Promise<{ frontier: Frontier; records: ReturnType<typeof createRecords> }> {
  const records = createRecords(createMemoryStore())
  const change = new Change()
  for (let seq = 0; seq < count; seq++) {
    records.frontier.put(change, 'acme', entryOf(seq))
    records.seenUrls.put(change, 'acme', {
      execution: 'exec',
      identity: identities.ofLink(entryOf(seq).url),
    })
  }
  await records.commit(change)
  return { records, frontier: new Frontier(records, 'acme', 'exec') }
}

async function drain(frontier: Frontier): Promise<number[]> {
  const seqs: number[] = []
  while (!frontier.exhausted) {
    await frontier.refill()
    for (let entry = frontier.next(); entry; entry = frontier.next()) seqs.push(entry.seq)
  }
  return seqs
}

describe('the frontier', () => {
  it.each([0, 1, 999, 1_000, 1_001, 5_500])(
    'gives each of %d waiting URLs once, in order, and reads them page by page',
    async (count) => {
      const { frontier } = await filled(count)
      expect(await drain(frontier)).toEqual(Array.from({ length: count }, (_, seq) => seq))
    },
  )

  it('gives URLs that are added while it is read, whether they fit into memory or wait in the store', async () => {
    const { frontier, records } = await filled(3_000)
    await frontier.refill()
    const more = Array.from({ length: 6_000 }, (_, i) => entryOf(3_000 + i))
    for (let i = 0; i < more.length; i += 1_500) {
      const batch = more.slice(i, i + 1_500)
      const change = new Change()
      for (const entry of batch) records.frontier.put(change, 'acme', entry)
      await records.commit(change)
      frontier.added(batch)
    }
    expect(await drain(frontier)).toEqual(Array.from({ length: 9_000 }, (_, seq) => seq))
  })

  it('knows the URLs of an earlier run, from memory or from the store', async () => {
    const { records } = await filled(2_500)
    const remembering = new Frontier(records, 'acme', 'exec')
    await remembering.remember(false)
    const asking = new Frontier(records, 'acme', 'exec')
    const urls = [
      entryOf(0).url,
      entryOf(2_499).url,
      normalUrl('https://shop.example.com/new'),
    ].map(identities.ofLink)
    for (const frontier of [remembering, asking])
      expect([...(await frontier.unseen(urls))]).toEqual(['https://shop.example.com/new'])
  })

  it('drops identities above its bound from memory, and still recognises them', async () => {
    const { records } = await filled(10)
    const frontier = new Frontier(records, 'acme', 'exec')
    await frontier.remember(true)
    frontier.met(Array.from({ length: 200_001 }, (_, i) => `x${i}`))
    expect([...(await frontier.unseen([identities.ofLink(entryOf(3).url), 'y']))]).toEqual(['y'])
  })

  it('has short and different identities for long URLs', () => {
    const long = `https://shop.example.com/?q=${'a'.repeat(1_500)}`
    const [one, other] = [normalUrl(`${long}1`), normalUrl(`${long}2`)]
    expect(identities.ofLink(one)).not.toBe(identities.ofLink(other))
    expect(identities.ofLink(one).length).toBeLessThan(1_000)
    // A redirect to this URL leads to the same page, however the server has written the URL.
    expect(seenIdentities().ofLanding(`${one}#part`)).toBe(identities.ofLink(one))
  })
})
