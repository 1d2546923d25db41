import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createAsk, readEvents } from '../../../support/event-stream.ts'
import type { ReadEvent } from '../../../support/event-stream.ts'
import { createWorld, OWNER } from '../../../support/worlds/world.ts'
import type { World } from '../../../support/worlds/world.ts'

const PAGES = 60
const SITE = {
  'https://shop.example.com/': {
    body: Array.from({ length: PAGES }, (_, i) => `<a class="t" href="/${i}">x</a>`).join(''),
  },
  ...Object.fromEntries(
    Array.from({ length: PAGES }, (_, i) => [
      `https://shop.example.com/${i}`,
      { body: `<h1>${i}</h1>${i % 7 === 0 ? `<a class="t" href="/m${i}">x</a>` : ''}` },
    ]),
  ),
}
const RECIPE = {
  start: { urls: ['https://shop.example.com/'] },
  follow: [{ links: 'a.t', as: 'thing' }],
  crawl: { maxPages: 50 },
  extract: { on: 'thing', fields: { name: 'h1' } },
}

/** All events but counters, which are snapshots, belong to one history. */
const history = (events: readonly ReadEvent[]) => events.filter(({ event }) => event !== 'progress')

/**
 * Reads a stream up to some number of bytes, like a connection that breaks there; only whole events
 * count.
 */
async function readUntilCut(
  { clock }: World,
  response: Response,
  bytes: number,
): Promise<{ events: ReadEvent[]; ended: boolean }> {
  const reader = response.body?.getReader()
  if (!reader) throw new Error('no body')
  const chunks: Uint8Array[] = []
  let length = 0
  let ended = false
  while (length < bytes) {
    const { done, value } = await clock.runUntil(reader.read())
    if (done) {
      ended = true
      break
    }
    chunks.push(value)
    length += value.length
  }
  await reader.cancel()
  const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, bytes))
  // An event after the last empty line is not dispatched (HTML Standard, section 9.2.6).
  const whole = text.slice(0, text.lastIndexOf('\n\n') + 2)
  return { events: readEvents(whole), ended }
}

async function wholeOf(world: World, id: string): Promise<ReadEvent[]> {
  const ask = await createAsk(world)
  return history(readEvents(await (await ask(id, '0')).text()))
}

const cuts = fc.array(fc.integer({ min: 1, max: 9_000 }), { minLength: 1, maxLength: 12 })

test('a stream that is cut anywhere and resumed in this, another or a later process has all events', async () => {
  await fc.assert(
    fc.asyncProperty(cuts, fc.integer({ min: 0, max: 5 }), async (sizes, pauses) => {
      const world = createWorld(SITE)
      const id = await world.start(RECIPE)
      const ask = await createAsk(world)
      const platforms = [world.platform, world.join()]
      // The work goes on while the client connects and leaves, and is paused from time to time.
      let stop = new AbortController()
      const working = (async () => {
        for (let i = 0; i <= pauses; i++) {
          stop = new AbortController()
          if (i < pauses)
            world.clock.sleep(40 * (i + 1)).then(
              () => stop.abort(),
              () => {},
            )
          await (i % 2 ? world.join() : world.platform).worker.tick({ signal: stop.signal })
        }
      })()
      const seen: ReadEvent[] = []
      let last = '0'
      for (let turn = 0; seen.at(-1)?.event !== 'end'; turn++) {
        const platform = turn % 3 === 2 ? world.join() : platforms[turn % 3]
        const size = sizes[turn % sizes.length] ?? 1
        // A cut within the first event would go on for ever.
        const { events } = await readUntilCut(
          world,
          await ask(id, last, '', {}, platform),
          1_500 + size,
        )
        seen.push(...events)
        last = seen.at(-1)?.id ?? last
      }
      await world.clock.runUntil(working)
      expect(history(seen)).toEqual(await wholeOf(world, id))
      const pages = history(seen)
        .filter(({ event }) => event === 'page')
        .map(({ data }) => data)
      expect(pages.map(({ url }) => url).toSorted()).toEqual(
        (await world.receipt(id)).map(({ url }) => url).toSorted(),
      )
    }),
    { numRuns: 12 },
  )
})

test('a stream from the id of any event has exactly the events after it', async () => {
  const world = createWorld(SITE)
  const id = await world.start(RECIPE)
  await world.work()
  const ask = await createAsk(world)
  const whole = await wholeOf(world, id)
  expect(whole.length).toBeGreaterThan(60)
  for (const [i, event] of whole.slice(0, -1).entries()) {
    expect(history(readEvents(await (await ask(id, event.id)).text()))).toEqual(whole.slice(i + 1))
  }
})

test('states and outcomes keep their order over pauses', async () => {
  const world = createWorld(SITE)
  const id = await world.start({ ...RECIPE, crawl: { delayMs: 100, concurrency: 1 } })
  for (let i = 0; i < 3; i++) {
    const working = world.platform.worker.tick()
    await world.clock.advance(1_500)
    await world.platform.api.executions.pause(OWNER, id)
    await world.clock.runUntil(working)
    await world.platform.api.executions.resume(OWNER, id)
  }
  await world.work()
  const events = await wholeOf(world, id)
  expect(events.filter(({ event }) => event === 'state').map(({ data }) => data.status)).toEqual([
    'queued',
    ...[1, 2, 3].flatMap(() => ['running', 'paused', 'queued']),
    'running',
    'succeeded',
  ])
  let status = ''
  for (const { event, data } of events) {
    if (event === 'state') status = data.status
    if (event === 'page') expect(status).toBe('running')
  }
})
