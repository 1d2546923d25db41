import { expect, test } from 'vitest'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

const page = (price: string) => `<div class="item"><h2>Pen</h2>${price}</div>`.repeat(20)
const recipe = {
  start: { urls: ['https://shop.example.com/'] },
  extract: { items: '.item', fields: { name: 'h2', price: '.price' } },
}

/** Runs a task three times; the page is changed before the last. */
async function drifted(last: string) {
  let body = page('<b class="price">5</b>')
  const world = createWorld({ 'https://shop.example.com/': () => body })
  const task = await world.platform.api.tasks.create(OWNER, { name: 'pens', recipe })
  const ids: string[] = []
  for (const next of [body, body, last]) {
    body = next
    ids.push((await world.platform.api.executions.start(OWNER, task.id)).id)
    await world.work()
  }
  return { world, task, executions: await Promise.all(ids.map(world.read)) }
}

test('an execution that fills less than usual is marked and names the fields', async () => {
  const { executions } = await drifted(page('<b class="cost">5</b>'))
  expect(executions.map(({ status, drift }) => [status, drift])).toEqual([
    ['succeeded', []],
    ['succeeded', []],
    ['succeeded', [{ field: 'price', usual: 1, now: 0 }]],
  ])
})

test('an execution that extracts nothing any more is marked and names the fields', async () => {
  const { executions } = await drifted('<p>We have moved</p>')
  expect(executions[2]).toMatchObject({
    status: 'failed',
    drift: [
      { field: 'name', usual: 1, now: 0 },
      { field: 'price', usual: 1, now: 0 },
    ],
  })
})

test('two executions of a task that end together both end', async () => {
  const world = createWorld({ 'https://shop.example.com/': page('<b class="price">5</b>') })
  const task = await world.platform.api.tasks.create(OWNER, { name: 'pens', recipe })
  const started = await Promise.all(
    Array.from({ length: 4 }, () => world.platform.api.executions.start(OWNER, task.id)),
  )
  await world.clock.runUntil(
    Promise.all([world.platform, world.join(), world.join()].map(({ worker }) => worker.tick())),
  )
  expect(
    (await Promise.all(started.map(({ id }) => world.read(id)))).map(({ status }) => status),
  ).toEqual(Array(4).fill('succeeded'))
})
