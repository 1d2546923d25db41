import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../../src/defaults/memory-store.ts'
import { createFakeClock } from '../../../support/fakes/fake-clock.ts'
import { createAsk, follow, readEvents } from '../../../support/event-stream.ts'
import { recordCalls } from '../../../support/stores/recorded-store.ts'
import { createWorld, OWNER } from '../../../support/worlds/world.ts'

const LINKS = 400
const SITE = {
  'https://shop.example.com/': {
    body: Array.from({ length: LINKS }, (_, i) => `<a class="t" href="/${i}">x</a>`).join(''),
  },
  ...Object.fromEntries(
    Array.from({ length: LINKS }, (_, i) => [
      `https://shop.example.com/${i}`,
      { body: `<h1>${i}</h1>` },
    ]),
  ),
}
const RECIPE = {
  start: { urls: ['https://shop.example.com/'] },
  follow: [{ links: 'a.t', as: 'thing' }],
  extract: { on: 'thing', fields: { name: 'h1' } },
}

async function open() {
  const clock = createFakeClock()
  const recorded = recordCalls(createMemoryStore({ clock }))
  const world = createWorld(SITE, { clock, store: recorded.store })
  const ask = await createAsk(world)
  return { ...world, recorded, ask, id: await world.start(RECIPE) }
}

/** The number of reads of the store in a minute without events. */
async function readsAMinute(streams: number): Promise<number> {
  const { clock, recorded, ask, id } = await open()
  const all = []
  for (let i = 0; i < streams; i++) all.push(follow(await ask(id)))
  await clock.advance(1_000)
  recorded.calls.length = 0
  await clock.advance(60_000)
  const reads = recorded.calls.length
  for (const stream of all) await stream.close()
  await clock.advance(0)
  expect(clock.sleeping).toBe(0)
  recorded.calls.length = 0
  await clock.advance(60_000)
  expect(recorded.calls).toEqual([])
  return reads
}

test('a thousand streams of an execution read the store as often as one, and never after they are closed', async () => {
  const one = await readsAMinute(1)
  expect(one).toBeGreaterThan(100)
  expect(one).toBeLessThanOrEqual(3 * 121)
  expect(await readsAMinute(1_000)).toBe(one)
})

test('each of many streams gets all events', async () => {
  const { clock, ask, id, work } = await open()
  const all = []
  for (let i = 0; i < 50; i++) all.push(follow(await ask(id)))
  await clock.advance(500)
  await work()
  await clock.runUntil(Promise.all(all.map(({ ended }) => ended)))
  const [first] = all
  const without = (text: string | undefined) =>
    readEvents(text ?? '').filter(({ event }) => event !== 'progress')
  expect(without(first?.text()).filter(({ event }) => event === 'page')).toHaveLength(LINKS + 1)
  for (const { text } of all) expect(without(text())).toEqual(without(first?.text()))
})

test('a slow reader gets all events as well: those that it has not taken are read again', async () => {
  // Far more events come meanwhile than are kept for readers in memory.
  const links = 1_500
  const world = createWorld({
    'https://shop.example.com/': {
      body: Array.from({ length: links }, (_, i) => `<a class="t" href="/${i}">x</a>`).join(''),
    },
  })
  const { clock, work } = world
  const ask = await createAsk(world)
  const id = await world.start({ ...RECIPE, crawl: { maxPages: 5 } })
  const response = await ask(id)
  const reader = response.body?.getReader()
  let text = new TextDecoder().decode((await reader?.read())?.value)
  await clock.advance(500)
  await work()
  await clock.advance(30_000)
  // Only the timer that checks whether the stream is read.
  expect(clock.sleeping).toBe(1)
  const rest = (async () => {
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
      text += new TextDecoder().decode(part.value)
  })()
  await clock.runUntil(rest)
  const events = readEvents(text)
  const pages = events.filter(({ event }) => event === 'page')
  expect(pages).toHaveLength(links + 1)
  expect(new Set(pages.map(({ data }) => data.url)).size).toBe(links + 1)
  expect(events.at(-1)?.event).toBe('end')
})

test('a stream that is closed, aborted or never read leaves no timers and watchers behind', async () => {
  const { clock, recorded, ask, id, platform } = await open()
  const idle = async () => {
    await clock.advance(0)
    expect(clock.sleeping).toBe(0)
    recorded.calls.length = 0
    await clock.advance(5_000)
    expect(recorded.calls).toEqual([])
  }
  const controller = new AbortController()
  const aborted = follow(await ask(id, undefined, '', { signal: controller.signal }))
  await clock.advance(1_000)
  controller.abort()
  await aborted.ended
  await idle()

  await (await ask(id)).body?.cancel()
  const early = new AbortController()
  const unread = await ask(id, undefined, '', { signal: early.signal })
  early.abort()
  expect(await unread.text()).toBe('')
  await ask(id, undefined, '', { method: 'HEAD' })
  await idle()

  const waiting = follow(await ask(id))
  const [lasting, closed] = [follow(await ask(id)), follow(await ask(id))]
  await clock.advance(700)
  await closed.close()
  await clock.advance(700)
  // One timer watches the execution, and one each of the two readers.
  expect(clock.sleeping).toBe(3)
  await platform.close()
  await Promise.all([waiting.ended, lasting.ended])
  await idle()
})

test('a store that fails for a while delays the events and loses none', async () => {
  const clock = createFakeClock()
  const base = createMemoryStore({ clock })
  let fails = false
  const list: typeof base.list = async (range) => {
    if (fails) throw new Error('away')
    return base.list(range)
  }
  const world = createWorld(SITE, {
    clock,
    store: {
      get: (keys) => base.get(keys),
      commit: (change) => base.commit(change),
      close: () => base.close(),
      list,
    },
  })
  const ask = await createAsk(world)
  const id = await world.start(RECIPE)
  const stream = follow(await ask(id, '0'))
  await clock.advance(1_000)
  fails = true
  await clock.advance(3_000)
  fails = false
  await world.platform.api.executions.cancel(OWNER, id)
  await clock.runUntil(stream.ended)
  expect(stream.events.map(({ event, data }) => data.status ?? event)).toEqual([
    'progress',
    'queued',
    'cancelled',
    'cancelled',
  ])
})
