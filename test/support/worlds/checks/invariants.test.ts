import { expect, test } from 'vitest'
import { createRecords } from '../../../../src/features/records.ts'
import { createWatchedWorld } from '../watched-world.ts'
import { OWNER } from '../world.ts'

// Proves that the checks of a watched world read rows again that are other ones than before, though
// they pass over rows that are still the same.

const SITE = 'https://shop.example.com'

async function afterRun() {
  const { world, base, broken, check } = createWatchedWorld({
    [`${SITE}/1`]: '<h1>One</h1>',
    [`${SITE}/2`]: '<h1>Two</h1>',
  })
  const id = await world.start({
    start: { urls: [`${SITE}/1`, `${SITE}/2`] },
    extract: { fields: { name: 'h1' } },
  })
  await world.work()
  await check()
  await check()
  expect([...broken]).toEqual([])
  const [segment] = await createRecords(base).segments.list(OWNER.account, {
    within: [id],
    limit: 1,
  })
  const name = segment?.value.blob ?? ''
  const bytes = (await world.blobs.get(name)) ?? new Uint8Array()
  return { blobs: world.blobs, broken, check, name, bytes }
}

test('a row that is damaged after a check is noticed by the next one', async () => {
  const { blobs, broken, check, name, bytes } = await afterRun()
  await blobs.put(
    name,
    Uint8Array.from(bytes, (byte, index) => (index === 0 ? 0 : byte)),
  )
  await check()
  expect([...broken]).toEqual([
    expect.stringMatching(/^provenance: blob .* is damaged: \d of its \d rows can be read$/),
  ])
})

test('rows that are removed after a check are noticed by the next one', async () => {
  const { blobs, broken, check, name } = await afterRun()
  await blobs.remove(name)
  await check()
  expect([...broken]).toEqual(['a segment has no blob'])
})
