import { expect, it } from 'vitest'
import { createWorld, OWNER } from '../../support/worlds/world.ts'

it('a document that cannot be read is refused with the reason', async () => {
  const url = 'https://shop.example.com/broken'
  const world = createWorld({
    [url]: { headers: { 'content-type': 'application/pdf' }, body: '%PDF-1.7 cut' },
  })
  // Its reader is in a thread of its own.
  await expect(world.platform.api.previews.detect(OWNER, url)).rejects.toMatchObject({
    code: 'UNPROCESSABLE_CONTENT',
    message: expect.stringContaining('The page could not be read: '),
  })
  expect(world.web.requests.get(url)).toBe(1)
})
