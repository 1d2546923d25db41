import { expect, it } from 'vitest'
import { createMemoryStore } from '../../src/defaults/memory-store.ts'
import { createPlatform } from '../../src/index.ts'
import type { PlatformOptions, Store } from '../../src/index.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'
import { createFakeWeb } from '../support/fakes/fake-web.ts'
import { OWNER } from '../support/worlds/world.ts'

// Loaded on demand: it is there at once when a test looks.
await import('../../src/platform/idle-queue.ts')

const HOME = 'https://shop.example.com/'

function open(options: PlatformOptions = {}, clock = createFakeClock()) {
  const warnings: string[] = []
  const platform = createPlatform({
    ...options,
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
  await clock.advance(0)
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

it('an execution that is resumed has waited since then', async () => {
  const { clock, platform, start, waiting } = open()
  const id = await start()
  await platform.api.executions.pause(OWNER, id)
  await clock.advance(3_600_000)
  await platform.api.executions.resume(OWNER, id)
  await platform.api.executions.get(OWNER, id)
  await clock.advance(9_000)
  await platform.api.executions.get(OWNER, id)
  expect(waiting()).toEqual([])
  await clock.advance(2_000)
  await platform.api.executions.get(OWNER, id)
  await clock.advance(0)
  expect(waiting()).toHaveLength(1)
})

it('a process does not warn while a worker of another one gives a sign of life', async () => {
  const clock = createFakeClock()
  const store = createMemoryStore({ clock })
  const other = open({ store, operator: true }, clock)
  await clock.runUntil(other.platform.worker.tick({ budgetMs: 1_000 }))
  const { platform, start, waiting } = open({ store, operator: true }, clock)
  const id = await start()
  const look = async (afterMs: number): Promise<void> => {
    await clock.advance(afterMs)
    await platform.api.executions.get(OWNER, id)
    await clock.advance(0)
  }
  await look(11_000)
  expect(waiting()).toEqual([])
  // Its last sign is five minutes old.
  await look(300_000)
  await look(1)
  expect(waiting()).toHaveLength(1)
})

it('a process whose workers run elsewhere does not warn', async () => {
  const { clock, platform, start, waiting } = open({ worker: { elsewhere: true } })
  const id = await start()
  await clock.advance(11_000)
  await platform.api.executions.get(OWNER, id)
  await clock.advance(0)
  expect(waiting()).toEqual([])
})

it('signs of life that cannot be read are looked for again', async () => {
  const clock = createFakeClock()
  const inner = createMemoryStore({ clock })
  let fails = false
  const store: Store = {
    ...inner,
    get: (keys) => inner.get(keys),
    commit: (change) => inner.commit(change),
    list: async (range) => {
      if (fails) throw new Error('The disk is full')
      return inner.list(range)
    },
    close: () => inner.close(),
  }
  const { platform, start, waiting } = open({ store, operator: true }, clock)
  const id = await start()
  const look = async (): Promise<void> => {
    await clock.advance(61_000)
    await platform.api.executions.get(OWNER, id).catch(() => null)
    await clock.advance(0)
  }
  fails = true
  await look()
  expect(waiting()).toEqual([])
  fails = false
  await look()
  expect(waiting()).toHaveLength(1)
})
