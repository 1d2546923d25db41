import { expect, test } from 'vitest'
import { createAsk, follow, readEvents } from '../../../support/event-stream.ts'
import type { ReadEvent } from '../../../support/event-stream.ts'
import { createWorld, OWNER } from '../../../support/worlds/world.ts'

const SITE = Object.fromEntries(
  Array.from({ length: 40 }, (_, i) => [
    `https://shop.example.com/${i}`,
    { body: `<h1>Page ${i}</h1>${i < 39 ? `<a class="next" href="/${i + 1}">next</a>` : ''}` },
  ]),
)
const RECIPE = {
  start: { urls: ['https://shop.example.com/0'] },
  follow: [{ next: 'a.next' }],
  extract: { fields: { name: 'h1' } },
}

const names = (events: readonly ReadEvent[]) => events.map(({ event }) => event)
const of = (events: readonly ReadEvent[], name: string) =>
  events.filter(({ event }) => event === name)

test('a stream has the events of an execution from its start to its end', async () => {
  const world = createWorld(SITE)
  const ask = await createAsk(world)
  const id = await world.start(RECIPE)
  const response = await ask(id)
  expect([
    response.status,
    response.headers.get('content-type'),
    response.headers.get('cache-control'),
    response.headers.get('x-accel-buffering'),
  ]).toEqual([200, 'text/event-stream', 'no-store', 'no'])
  const stream = follow(response)
  await world.clock.advance(1_000)
  expect(names(stream.events)).toEqual(['state', 'progress'])
  await world.work()
  await world.clock.runUntil(stream.ended)
  expect(stream.text()).toMatch(/^retry: 1000\n\n/)
  expect(of(stream.events, 'state').map(({ data }) => data.status)).toEqual([
    'queued',
    'running',
    'succeeded',
  ])
  const { items } = await world.platform.api.executions.pages(OWNER, id, { limit: 100 })
  expect(of(stream.events, 'page').map(({ data }) => data)).toEqual(items)
  const end = stream.events.at(-1)
  expect([end?.event, end?.data]).toEqual(['end', await world.read(id)])
  const last = of(stream.events, 'progress').at(-1)
  expect(last?.data.counters).toEqual(end?.data.counters)
  expect(
    Object.keys({ ...of(stream.events, 'state').at(-1)?.data, ...last?.data }).toSorted(),
  ).toEqual(Object.keys(end?.data).toSorted())
  expect(new Set(of(stream.events, 'page').map((one) => one.id)).size).toBe(40)
})

test('the stream of a finished execution has its state, its counters and its end, and nothing more', async () => {
  const world = createWorld(SITE)
  const ask = await createAsk(world)
  const id = await world.start(RECIPE)
  await world.work()
  const events = readEvents(await (await ask(id)).text())
  expect(names(events)).toEqual(['state', 'progress', 'end'])
  const again = await ask(id, events.at(-1)?.id)
  expect([again.status, again.body]).toEqual([204, null])
  const whole = readEvents(await (await ask(id, '0')).text())
  expect(of(whole, 'state').map(({ data }) => data.status)).toEqual([
    'queued',
    'running',
    'succeeded',
  ])
  expect(of(whole, 'page')).toHaveLength(40)
  expect(await (await ask(id, undefined, '?lastEventId=0')).text()).toBe(
    await (await ask(id, '0')).text(),
  )
  expect(names(readEvents(await (await ask(id, '0', '?pages=false')).text()))).toEqual([
    'progress',
    'state',
    'state',
    'state',
    'end',
  ])
})

test('a stream of another process sees pause and resume', async () => {
  const world = createWorld(SITE)
  const ask = await createAsk(world)
  const id = await world.start(RECIPE)
  const other = world.join()
  const stream = follow(await ask(id, undefined, '', {}, other))
  await world.clock.advance(600)
  await world.platform.api.executions.pause(OWNER, id)
  await world.platform.api.executions.resume(OWNER, id)
  await world.platform.api.executions.cancel(OWNER, id)
  await world.clock.advance(499)
  await world.clock.runUntil(stream.ended)
  expect(of(stream.events, 'state').map(({ data }) => data.status)).toEqual([
    'queued',
    'paused',
    'queued',
    'cancelled',
  ])
  expect(stream.events.at(-1)).toMatchObject({
    event: 'end',
    data: { status: 'cancelled', reason: null },
  })
})

test('events of a worker in the same process come at once, and counters at most twice a second', async () => {
  const world = createWorld(SITE)
  const ask = await createAsk(world)
  const id = await world.start(RECIPE)
  const stream = follow(await ask(id))
  await world.clock.advance(110)
  const counted: number[] = []
  const began = world.clock.now()
  let seen = 0
  const working = world.platform.worker.tick()
  await world.clock.advance(100)
  expect(names(stream.events)).toContain('page')
  while (stream.events.at(-1)?.event !== 'end') {
    await world.clock.advance(20)
    for (const { event } of stream.events.slice(seen))
      if (event === 'progress') counted.push(world.clock.now() - began)
    seen = stream.events.length
  }
  await working
  // The last counters come with the end, whenever that is.
  const gaps = counted.slice(1, -1).map((time, i) => time - (counted[i] ?? 0))
  expect(gaps.filter((gap) => gap < 480)).toEqual([])
})

test.for([
  ['application/json', 406],
  ['text/html, application/*', 406],
  ['text/event-stream;q=0', 406],
  ['text/event-stream', 200],
  ['text/*', 200],
  ['*/*', 200],
] as const)('Accept: %s is %i', async ([accept, status]) => {
  const world = createWorld(SITE)
  const id = await world.start(RECIPE)
  const { secret } = await world.platform.api.keys.create(OWNER, {
    name: 'a',
    scopes: ['executions:read'],
  })
  const response = await world.platform.fetch(
    new Request(`http://host.test/api/v1/executions/${id}/events`, {
      headers: { 'X-API-Key': secret, Accept: accept },
    }),
  )
  expect(response.status).toBe(status)
  if (status === 406)
    expect(await response.json()).toMatchObject({
      success: false,
      error: { code: 'NOT_ACCEPTABLE' },
    })
  else await response.body?.cancel()
  // The stream begins only when it is read.
  expect(world.clock.sleeping).toBe(0)
})

test('a wrong event id is 400 with its name, and an unknown execution is 404, whatever the event id', async () => {
  const world = createWorld(SITE)
  const ask = await createAsk(world)
  const id = await world.start(RECIPE)
  for (const wrong of [
    'x',
    '-1',
    '1.2',
    '1.2.3.4',
    '1.2.3.END',
    '1e3.0.0',
    '9'.repeat(16),
    ' ',
    '1.2.3, 4.5.6',
    '٣.0.0',
  ]) {
    const response = await ask(id, undefined, `?lastEventId=${encodeURIComponent(wrong)}`)
    expect([wrong, response.status, (await response.json()).error.issues[0].path]).toEqual([
      wrong,
      400,
      'lastEventId',
    ])
  }
  const response = await ask(id, '1.2')
  expect([response.status, (await response.json()).error.issues[0].path]).toEqual([
    400,
    'Last-Event-ID',
  ])
  for (const last of [undefined, '0', '1.0.5', '1.0.5.end'])
    expect((await ask('exec_none', last)).status).toBe(404)
})

test('a stream from an id after all events begins with the present state, and reports missing events', async () => {
  const world = createWorld(SITE)
  const ask = await createAsk(world)
  const id = await world.start(RECIPE)
  await world.work()
  expect(names(readEvents(await (await ask(id, '999.0.5')).text()))).toEqual([
    'progress',
    'gap',
    'end',
  ])
})

test('after a day the order of events is forgotten, and a stream that needs it says so', async () => {
  const world = createWorld(SITE)
  const ask = await createAsk(world)
  const id = await world.start(RECIPE)
  await world.work()
  await world.clock.advance(86_400_001)
  const events = readEvents(await (await ask(id, '0')).text())
  expect(names(events)).toEqual(['progress', 'gap', 'state', 'state', 'end'])
  expect(of(events, 'state').map(({ data }) => data.status)).toEqual(['queued', 'succeeded'])
})

test('comments keep a silent stream alive; after a quarter of an hour it ends, and can be opened again', async () => {
  const world = createWorld(SITE)
  const ask = await createAsk(world)
  const id = await world.start(RECIPE)
  const stream = follow(await ask(id))
  await world.clock.advance(14_000)
  expect(stream.text()).not.toContain(':\n\n')
  await world.clock.advance(47_000)
  expect(stream.text().match(/^:\n\n/gm)).toHaveLength(4)
  await world.clock.advance(900_000)
  await stream.ended
  expect(names(stream.events)).toEqual(['state', 'progress'])
  expect(world.clock.sleeping).toBe(0)
  const again = follow(await ask(id, stream.events.at(-1)?.id))
  await world.platform.api.executions.cancel(OWNER, id)
  await world.clock.runUntil(again.ended)
  expect(names(again.events)).toEqual(['progress', 'state', 'end'])
})
