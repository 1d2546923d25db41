import { once } from 'node:events'
import { get } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { afterEach, expect, test, vi } from 'vitest'
import { serve } from '../../../adapters/node/serve.ts'
import { createWorld, OWNER } from '../../support/worlds/world.ts'
import { readEvents } from '../../support/event-stream.ts'

const SITE = Object.fromEntries(
  Array.from({ length: 12 }, (_, i) => [
    `https://shop.example.com/${i}`,
    { body: `<h1>${i}</h1><a class="next" href="/${i + 1}">next</a>` },
  ]),
)
const RECIPE = {
  start: { urls: ['https://shop.example.com/0'] },
  follow: [{ next: 'a.next' }],
  extract: { fields: { name: 'h1' } },
}

/** A platform on a clock of the test, behind a server of node:http. */
async function open() {
  const world = createWorld(SITE)
  const server = await serve({ platform: world.platform, worker: false, port: 0 })
  const { secret } = await world.platform.api.keys.create(OWNER, {
    name: 'events',
    scopes: ['executions:read'],
  })
  const id = await world.start(RECIPE)
  const ask = async (headers: Record<string, string> = {}) => {
    const request = get(`${server.url}/api/v1/executions/${id}/events`, {
      headers: { 'X-API-Key': secret, ...headers },
      agent: false,
    })
    const [response]: IncomingMessage[] = await once(request, 'response')
    if (!response) throw new Error('no response')
    let text = ''
    response.on('data', (chunk: Buffer) => (text += chunk.toString()))
    const ended = once(response, 'end')
    // A test that breaks the connection itself must not wait for its end.
    ended.catch(() => undefined)
    return { request, response, text: () => text, ended }
  }
  return { ...world, server, id, ask }
}

afterEach(() => vi.restoreAllMocks())

test('events reach the client while the execution goes on, and the connection ends with it', async () => {
  const { ask, server, clock, work, id, read } = await open()
  const { response, text, ended } = await ask({ Accept: 'text/event-stream' })
  expect([
    response.statusCode,
    response.headers['content-type'],
    response.headers['content-length'],
  ]).toEqual([200, 'text/event-stream', undefined])
  await expect.poll(text).toContain('event: progress')
  const resumed = await ask({ 'Last-Event-ID': readEvents(text())[0]?.id ?? '' })
  await work()
  await clock.runUntil(Promise.all([ended, resumed.ended]))
  const [events, others] = [readEvents(text()), readEvents(resumed.text())]
  expect(events.filter(({ event }) => event === 'page')).toHaveLength(13)
  expect(events.at(-1)).toMatchObject({ event: 'end', data: await read(id) })
  expect(others.filter(({ event }) => event === 'page')).toEqual(
    events.filter(({ event }) => event === 'page'),
  )
  await server.close()
})

test('once a client has gone, its execution is no longer watched', async () => {
  const { ask, server, clock } = await open()
  const { request, text } = await ask()
  await expect.poll(text).toContain('event: state')
  // One timer watches the execution, the other whether the client reads the stream.
  expect(clock.sleeping).toBe(2)
  request.destroy()
  await expect.poll(() => clock.sleeping).toBe(0)
  await server.close()
})

test('a server that closes ends the streams at once, and none within an event', async () => {
  const warned = vi.spyOn(process, 'emitWarning')
  const { ask, server, clock } = await open()
  const streams = await Promise.all(Array.from({ length: 30 }, () => ask()))
  for (const { text } of streams) await expect.poll(text).toContain('event: progress')
  // Only the streams could delay it, as the clock of the platform stands still.
  await Promise.all([server.close(), ...streams.map(({ ended }) => ended)])
  for (const { response, text } of streams)
    expect([response.complete, text().endsWith('\n\n')]).toEqual([true, true])
  expect(clock.sleeping).toBe(0)
  expect(warned).not.toHaveBeenCalled()
})

test('a platform that closes ends the streams', async () => {
  const { ask, server, platform } = await open()
  const { response, text, ended } = await ask()
  await expect.poll(text).toContain('event: state')
  await Promise.all([platform.close(), ended])
  expect(response.complete).toBe(true)
  await server.close()
})
