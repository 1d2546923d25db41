import { expect, it } from 'vitest'
import { MOST_FAILED, startsAmong } from '../../src/console/app/run/failed-pages.ts'

// Proves that only start pages are started again: a page behind a link would lead further than its run.

const SITE = 'https://shop.example'

interface Found {
  readonly url: string
  readonly depth: number
  readonly listedBy: 'sitemap' | null
}

const foundAt = (path: string, depth = 0, listedBy: Found['listedBy'] = null): Found => ({
  url: SITE + path,
  depth,
  listedBy,
})

async function* listed(...pages: readonly Found[]): AsyncGenerator<Found> {
  yield* pages
}

it('start pages are started again, and none where one was found by a link', async () => {
  const recipe = { start: { urls: [SITE] } }
  const start = foundAt('/')
  expect(await startsAmong(listed(start, foundAt('/pens')), recipe)).toEqual([
    `${SITE}/`,
    `${SITE}/pens`,
  ])
  // It may have the label of a start page, too.
  expect(await startsAmong(listed(start, foundAt('/pens', 3)), recipe)).toBeNull()
})

it('a next page, which has the depth of its start page, is not started again', async () => {
  const recipe = { start: { urls: [SITE] }, follow: [{ next: 'a.next' }] }
  const second = listed(foundAt('/'), foundAt('/?page=2'))
  expect(await startsAmong(second, recipe)).toBeNull()
  const named = listed(foundAt('/'), foundAt('/listed', 0, 'sitemap'))
  expect(await startsAmong(named, recipe)).toEqual([`${SITE}/`, `${SITE}/listed`])
})

it('no more receipts are read than are started', async () => {
  let read = 0
  async function* endless(): AsyncGenerator<Found> {
    for (;;) yield foundAt(`/${(read += 1)}`)
  }
  expect(await startsAmong(endless(), { start: {} })).toHaveLength(MOST_FAILED)
  expect(read).toBe(MOST_FAILED)
})
