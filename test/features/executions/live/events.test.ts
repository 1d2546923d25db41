import { expect, test } from 'vitest'
import { createAsk, follow, readEvents } from '../../../support/event-stream.ts'
import type { ReadEvent } from '../../../support/event-stream.ts'
import { createWorld, OWNER } from '../../../support/world.ts'

const SITE = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`https://shop.example.com/${i}`, { body: `<h1>Page ${i}</h1>${i < 39 ? `<a class="next" href="/${i + 1}">next</a>` : ''}` }]))
const RECIPE = { start: { urls: ['https://shop.example.com/0'] }, follow: [{ next: 'a.next' }], extract: { fields: { name: 'h1' } } }

const names = (events: readonly ReadEvent[]) => events.map(({ event }) => event)
const of = (events: readonly ReadEvent[], name: string) => events.filter(({ event }) => event === name)

test('an execution from its start to its end', async () => {
  const world = createWorld(SITE)
  const ask = await createAsk(world)
  const id = await world.start(RECIPE)
  const response = await ask(id)
  expect([response.status, response.headers.get('content-type'), response.headers.get('cache-control'), response.headers.get('x-accel-buffering')]).toEqual([200, 'text/event-stream', 'no-store', 'no'])
  const stream = follow(response)
  await world.clock.advance(1_000)
  expect(names(stream.events)).toEqual(['state', 'progress'])
  await world.work()
  await world.clock.runUntil(stream.ended)
  expect(stream.text()).toMatch(/^retry: 1000\n\n/)
  expect(of(stream.events, 'state').map(({ data }) => data.status)).toEqual(['queued', 'running', 'succeeded'])
  const { items } = await world.platform.api.executions.pages(OWNER, id, { limit: 100 })
  expect(of(stream.events, 'page').map(({ data }) => data)).toEqual(items)
  const end = stream.events.at(-1)
  expect([end?.event, end?.data]).toEqual(['end', await world.read(id)])
  const last = of(stream.events, 'progress').at(-1)
  expect(last?.data.counters).toEqual(end?.data.counters)
  expect(Object.keys({ ...of(stream.events, 'state').at(-1)?.data, ...last?.data }).toSorted()).toEqual(Object.keys(end?.data).toSorted())
  expect(new Set(of(stream.events, 'page').map((one) => one.id)).size).toBe(40)
})

test('a finished execution: its state, its counters, its end; and no more after that', async () => {
  const world = createWorld(SITE)
  const ask = await createAsk(world)
  const id = await world.start(RECIPE)
  await world.work()
  const events = readEvents(await (await ask(id)).text())
  expect(names(events)).toEqual(['state', 'progress', 'end'])
  const again = await ask(id, events.at(-1)?.id)
  expect([again.status, again.body]).toEqual([204, null])
  const whole = readEvents(await (await ask(id, '0')).text())
  expect(of(whole, 'state').map(({ data }) => data.status)).toEqual(['queued', 'running', 'succeeded'])
  expect(of(whole, 'page')).toHaveLength(40)
  expect(await (await ask(id, undefined, '?lastEventId=0')).text()).toBe(await (await ask(id, '0')).text())
  expect(names(readEvents(await (await ask(id, '0', '?pages=false')).text()))).toEqual(['progress', 'state', 'state', 'state', 'end'])
})
