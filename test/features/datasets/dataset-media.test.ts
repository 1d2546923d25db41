import type { RecipeInput } from 'seine'
import { expect, test } from 'vitest'
import { pngOf } from '../../support/fakes/image-bytes.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

const SITE = 'https://shop.example.com'
const picture = pngOf(20, 10)
const recipe: RecipeInput = {
  start: { urls: [`${SITE}/`] },
  extract: { items: '.card', fields: { sku: 'b', image: { css: 'img', as: 'media' } } },
}

async function merged() {
  const world = createWorld({
    [`${SITE}/`]: '<div class=card><b>1</b><img src=/1.png></div>',
    [`${SITE}/1.png`]: { headers: { 'content-type': 'image/png' }, body: picture },
  })
  const { api } = world.platform
  const dataset = await api.datasets.create(OWNER, { name: 'pens', keyFields: ['sku'] })
  const task = await api.tasks.create(OWNER, { name: 'pens', recipe, datasetId: dataset.id })
  const run = async () => {
    await api.executions.start(OWNER, task.id)
    await world.work()
  }
  await run()
  return { ...world, api, dataset: dataset.id, run }
}

test('media of items have links that lead to their bytes', async () => {
  const { api, dataset, platform } = await merged()
  const [item] = (await api.datasets.items(OWNER, dataset, {}, () => 'http://data.test')).items
  const image = item?.values['image']
  expect(image).toMatchObject({
    contentType: 'image/png',
    bytes: picture.length,
    sourceUrl: `${SITE}/1.png`,
    url: expect.stringMatching(/^http:\/\/data\.test\/media\//),
  })
  const url =
    typeof image === 'object' &&
    image !== null &&
    'url' in image &&
    typeof image['url'] === 'string'
      ? image['url']
      : expect.fail('no link')
  const response = await platform.fetch(new Request(url))
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(picture)
})

test('media in exports have such links, and nothing else is in the cell', async () => {
  const { api, dataset } = await merged()
  const csv = await new Response(
    (await api.datasets.export(OWNER, dataset, {}, () => 'http://data.test')).body,
  ).text()
  expect(csv).toMatch(/^sku,image\r\n1,http:\/\/data\.test\/media\/\S+\r\n$/)
})

test('a new link does not count as a change of the item', async () => {
  const { api, dataset, run, clock } = await merged()
  await clock.advance(86_400_000)
  await run()
  expect((await api.datasets.changes(OWNER, dataset)).items.map(({ kind }) => kind)).toEqual([
    'added',
  ])
})
