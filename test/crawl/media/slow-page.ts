import { expect } from 'vitest'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { sha256Hex } from '../../../src/kernel/crypto.ts'
import { MINUTE_MS } from '../../../src/kernel/time.ts'
import type { Commit } from '../../../src/ports/store.ts'
import type { Answer } from '../../support/fakes/fake-web.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { pngOf } from '../../support/fakes/image-bytes.ts'
import { through } from '../../support/stores/fault-store.ts'
import { createWorld, OWNER } from '../../support/worlds/world.ts'

const SLOW = 'https://slow.example.com'
const QUICK = 'https://quick.example.com'
/** With half a minute between two of them, the page takes longer than bytes wait to be erased. */
export const PICTURES = 34
const extract = {
  items: 'img',
  fields: { picture: { css: ':scope', attr: 'src', as: 'media' } },
}

/** Work on a slow page of many pictures, whose first picture a quick page has too. */
export function slowPage() {
  const clock = createFakeClock()
  const base = createMemoryStore({ clock })
  const blobs = createMemoryBlobs()
  const refused = new Set<string>()
  const commits: Commit[] = []
  const store = through(base, (change) => {
    if (namesOf(change).some((name) => refused.has(name)))
      return Promise.reject(new Error('The store is away'))
    commits.push(change)
    return base.commit(change)
  })
  const pages: Record<string, Answer> = {
    [`${QUICK}/`]: `<h1>Quick</h1><img src="/0.png">`,
    [`${SLOW}/`]: `<h1>Slow</h1>${Array.from(
      { length: PICTURES },
      (_, index) => `<img src="/${index}.png">`,
    ).join('')}`,
  }
  for (let index = 0; index < PICTURES; index++)
    for (const site of [QUICK, SLOW])
      pages[`${site}/${index}.png`] = {
        headers: { 'content-type': 'image/png' },
        body: pngOf(index + 1, 1, 1),
      }
  const world = createWorld(pages, { clock, store, blobs })
  const other = world.join()
  return {
    world,
    refused,
    /** The number of notes that the commit of the slow page deletes. */
    dropped() {
      const page = commits.findLast((change) => namesOf(change).includes('media'))
      return page?.delete?.filter(({ 1: name }) => name === 'media-puts').length
    },
    /** Works on the quick page in another process. */
    async quick() {
      const id = await world.start({ start: { urls: [`${QUICK}/`] }, extract })
      const work = other.worker.tick()
      await clock.advance(10_000)
      await work
      return id
    },
    /** Begins the work on the slow page, which goes on as the clock does. */
    async begin() {
      const id = await world.start({
        start: { urls: [`${SLOW}/`] },
        extract,
        crawl: { delayMs: 30_000 },
      })
      const work = world.platform.worker.tick()
      await clock.advance(MINUTE_MS)
      return { id, work }
    },
    /** Lets time pass, and does in another process what else is due. */
    async goOn(ms: number) {
      const work: Promise<unknown>[] = []
      for (let left = ms; left > 0; left -= MINUTE_MS) {
        work.push(other.worker.tick())
        await clock.advance(MINUTE_MS)
      }
      await Promise.all(work)
    },
    /** Deletes the item that both pages have. */
    async deleteFirst() {
      const { items } = await world.platform.api.media.list(OWNER, { limit: 2 })
      expect(items).toHaveLength(1)
      await world.platform.api.media.delete(OWNER, items[0]?.id ?? '')
    },
    /** `reads`: how often the slow page is read. `blob`: the generation of the first picture's blob. */
    async expectWhole(
      id: string,
      { reads, blob }: { readonly reads: number; readonly blob?: string },
    ) {
      expect(world.web.requests.get(`${SLOW}/`)).toBe(reads)
      expect(await world.read(id)).toMatchObject({ status: 'succeeded' })
      expect(await world.rows(id)).toHaveLength(PICTURES)
      const names = await blobs.list('media/')
      expect(names).toHaveLength(PICTURES)
      const sha256 = await sha256Hex(pngOf(1, 1, 1))
      expect(
        names.filter((name) => name.includes(sha256)).map((name) => name.split('.')[1]),
      ).toEqual([blob])
      expect(await world.platform.verify()).toMatchObject({ ok: true })
    },
  }
}

function namesOf({ set = [] }: Commit): string[] {
  return set.map(({ key }) => String(key[1]))
}
