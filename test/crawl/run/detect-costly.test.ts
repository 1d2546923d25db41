import { expect, test } from 'vitest'
import { createWorld } from '../../support/worlds/world.ts'

const SITE = 'https://shop.example.com'
const ITEMS = Array.from(
  { length: 12 },
  (_, index) =>
    `<li class="item"><a href="/p/${index}">The item number ${index}</a> <b>${index}.50 EUR</b></li>`,
).join('')
const LIST = `<title>List</title><ul>${ITEMS}</ul>`

test('a first page that is too costly to examine decides no columns for the others', async () => {
  const long = `<title>Long</title><ul>${ITEMS}</ul>${'<div><p>Some words of a sentence.</p></div>'.repeat(2_000)}`
  const world = createWorld(
    { [`${SITE}/a`]: long, [`${SITE}/b`]: LIST, [`${SITE}/c`]: LIST },
    {
      billing: {
        plans: [{ id: 'little', name: 'Little', creditsPerMonth: 1_000, page: { steps: 60_000 } }],
      },
    },
  )
  const id = await world.start({
    start: { urls: ['a', 'b', 'c'].map((path) => `${SITE}/${path}`) },
    extract: 'auto',
  })
  await world.work()
  expect(await world.receipt(id)).toEqual([
    { url: `${SITE}/a`, outcome: 'fetched', code: 'page_too_costly' },
    { url: `${SITE}/b`, outcome: 'fetched', code: null },
    { url: `${SITE}/c`, outcome: 'fetched', code: null },
  ])
  expect(await world.rows(id)).toHaveLength(24)
})
