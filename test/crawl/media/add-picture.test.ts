import { expect, it } from 'vitest'
import { MediaTaker } from '../../../src/crawl/media/media-taker.ts'
import { Pace, SliceScheduler } from '../../../src/kernel/pace.ts'

it('the event loop has turns while a picture is put into very many rows', async () => {
  const taker = new MediaTaker({
    fetch: () => Promise.reject(new Error('A picture is stored already')),
    atOnce: 1,
    limits: {
      maxBytes: 1,
      maxItemsPerPage: 1,
      maxItemsPerExecution: 1,
      maxBytesPerExecution: 1,
    },
    before: { items: 0, bytes: 0 },
  })
  let [now, pauses] = [0, 0]
  const scheduler = new SliceScheduler(async () => void pauses++)
  const pace = new Pace({ now: () => (now += 5), scheduler })
  const sourceUrl = 'https://shop.example.com/'
  const error = { code: 'media_limit', message: 'enough' }
  const { rows } = await taker.addPicture(
    Array.from({ length: 1_000 }, (_, index) => ({ index, screenshot: { sourceUrl } })),
    { sourceUrl, item: null, error },
    pace,
  )
  expect(rows).toHaveLength(1_000)
  expect(rows[999]).toEqual({ index: 999, screenshot: { sourceUrl, error } })
  expect(pauses).toBe(1_000)
})
