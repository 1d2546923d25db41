import { expect, it } from 'vitest'
import { createPlatform } from '../../src/index.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'
import { createFakeWeb } from '../support/fakes/fake-web.ts'
import { OWNER } from '../support/worlds/world.ts'

const HOME = 'https://shop.example.com/'

function open() {
  const clock = createFakeClock()
  const warnings: string[] = []
  const platform = createPlatform({
    clock,
    fetcher: createFakeWeb({ [HOME]: '<h1>Pens</h1>' }),
    logger: {
      debug() {},
      info() {},
      error() {},
      warn: (message) => void warnings.push(message),
    },
  })
  const start = async () => {
    const { id } = await platform.api.executions.run(OWNER, {
      recipe: { start: { urls: [HOME] }, extract: { fields: { title: 'h1' } } },
    })
    return id
  }
  const waiting = () => warnings.filter((message) => message.includes('no worker has run'))
  return { clock, platform, start, waiting }
}

it('a process without a worker warns once of executions that wait', async () => {
  const { clock, platform, start, waiting } = open()
  const ids = [await start(), await start()]
  const look = () => Promise.all(ids.map((id) => platform.api.executions.get(OWNER, id)))
  await look()
  expect(waiting()).toEqual([])
  await clock.advance(11_000)
  await look()
  await look()
  expect(waiting()).toHaveLength(1)
})

it('a process with a worker does not: its executions wait for a place', async () => {
  const { clock, platform, start, waiting } = open()
  await clock.runUntil(platform.worker.tick({ budgetMs: 1_000 }))
  const id = await start()
  await clock.advance(11_000)
  expect(await platform.api.executions.get(OWNER, id)).toMatchObject({ status: 'queued' })
  expect(waiting()).toEqual([])
})
