import type { ClientOptions } from 'seine/client'
import { expect, test } from 'vitest'
import { createScripted, failed, type Turn } from './scripted.ts'

const COUNTED = { filled: {}, errors: {}, cost: { credits: 0 } }
const END = '2026-01-01T00:00:00.000Z'
const state = (seq: number, status: string, finishedAt: string | null = null) =>
  `event: state\nid: 0.0.${seq}\ndata: ${JSON.stringify({ id: 'exec_1', status, finishedAt })}\n\n`
const progress = (seq: number, visited: number) =>
  `event: progress\nid: ${seq}.0.1\ndata: ${JSON.stringify({ counters: { visited }, ...COUNTED })}\n\n`
const page = (seq: number, url: string) =>
  `event: page\nid: ${seq}.0.1\ndata: ${JSON.stringify({ url })}\n\n`
const end = (status: string, visited: number) =>
  'event: end\nid: 9.0.9.end\ndata: ' +
  JSON.stringify({ id: 'exec_1', status, finishedAt: END, counters: { visited }, ...COUNTED }) +
  '\n\n'

/** A stream that sends these chunks and then ends, breaks or stays open. */
function stream(
  chunks: readonly (string | Uint8Array)[],
  then: 'ends' | 'breaks' | 'stays' = 'ends',
): () => Response {
  const encoder = new TextEncoder()
  return () => {
    const rest = chunks.map((chunk) => (typeof chunk === 'string' ? encoder.encode(chunk) : chunk))
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const chunk = rest.shift()
          if (chunk) return controller.enqueue(chunk)
          if (then === 'ends') controller.close()
          if (then === 'breaks') controller.error(new TypeError('terminated'))
          if (then === 'stays') await new Promise(() => undefined)
        },
      },
      { highWaterMark: 0 },
    )
    return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } })
  }
}

/** Follows an execution whose connections behave like these. */
async function follow(turns: readonly Turn[], options: Partial<ClientOptions> = {}) {
  const { client, clock, tries } = createScripted(turns, options)
  const seen: string[] = []
  const outcome = await clock
    .runUntil(
      (async () => {
        for await (const { status, counters } of client.executions.follow('exec_1'))
          seen.push(`${status} ${counters.visited}`)
      })(),
    )
    .catch((error: unknown) => error)
  return {
    seen,
    outcome,
    asked: tries.map(({ request }) => new URL(request.url).search),
    at: tries.map((one) => one.at),
  }
}

test('each state is given once, until the last', async () => {
  const whole = [
    'retry: 1000\n\n',
    state(1, 'queued'),
    progress(0, 0),
    progress(0, 0),
    ':\n\n',
    state(2, 'running'),
    progress(1, 3),
    state(3, 'succeeded', END),
    progress(4, 4),
    end('succeeded', 4),
  ]
  const { seen, asked } = await follow([stream(whole)])
  expect(seen).toEqual(['queued 0', 'running 0', 'running 3', 'succeeded 4'])
  expect(asked).toEqual(['?pages=false'])
})

test('the events of a stream do not depend on where its bytes are cut', async () => {
  const bytes = new TextEncoder().encode(
    `retry: 1000\n\n${state(1, 'läuft ✓')}${progress(0, 0)}:\n\n${end('beendet ✓', 2)}`,
  )
  for (let size = 1; size < 20; size++) {
    const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
      bytes.subarray(i * size, (i + 1) * size),
    )
    expect((await follow([stream(parts)])).seen).toEqual(['läuft ✓ 0', 'beendet ✓ 2'])
  }
})

test('fields may stand in any order, after comments, with any line end', async () => {
  const whole = [state(1, 'running'), progress(2, 3), end('succeeded', 3)].map((event) => {
    const [name = '', id = '', data = ''] = event.split('\n')
    return [': kept alive', data, 'unknown: x', id, 'id: with\0', name, '', ''].join('\r\n')
  })
  expect((await follow([stream([...whole.join('')])])).seen).toEqual(['running 3', 'succeeded 3'])
})

test('an event without an end breaks the connection before it fills the memory', async () => {
  let sent = 0
  const bytes = new TextEncoder().encode(`data: ${'x'.repeat(65_530)}`)
  const endless = () =>
    new Response(
      new ReadableStream<Uint8Array>({
        pull: (controller) => (sent++ < 200 ? controller.enqueue(bytes) : controller.close()),
      }),
    )
  const { outcome } = await follow([endless])
  expect(outcome).toMatchObject({ code: 'UNEXPECTED_RESPONSE' })
  expect(sent).toBeLessThan(100)
})

test('a connection that ends or breaks is made again, from the last event', async () => {
  const { client, clock, tries } = createScripted([
    stream(
      ['retry: 1000\n\n', state(1, 'running'), page(1, '/a'), page(2, '/b').slice(0, -2)],
      'breaks',
    ),
    stream([page(2, '/b')]),
    stream([]),
    'broken',
    failed(503, 'SERVICE_UNAVAILABLE'),
    stream([page(3, '/c'), end('succeeded', 3)]),
  ])
  const seen: string[] = []
  await clock.runUntil(
    (async () => {
      for await (const { event, data } of client.executions.events('exec_1', { lastEventId: '0' }))
        seen.push(event === 'page' ? data.url : event)
    })(),
  )
  expect(seen).toEqual(['state', '/a', '/b', '/c', 'end'])
  expect(tries.map(({ request }) => new URL(request.url).searchParams.get('lastEventId'))).toEqual([
    '0',
    '1.0.1',
    '2.0.1',
    '2.0.1',
    '2.0.1',
    '2.0.1',
  ])
})

test('waits between connections grow while nothing comes, and the client gives up at last', async () => {
  const result = await follow([stream([state(1, 'running'), progress(0, 0)]), 'broken'], {
    retries: 0,
  })
  expect(result.seen).toEqual(['running 0'])
  expect(result.outcome).toMatchObject({ code: 'NETWORK_ERROR' })
  const gaps = result.at.slice(1).map((time, i) => time - (result.at[i] ?? 0))
  expect(gaps).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
  const broken = await follow([stream([state(1, 'running'), progress(0, 0)]), stream([], 'breaks')])
  expect(broken.outcome).toMatchObject({ name: 'SeineError', code: 'NETWORK_ERROR' })
})

test('any error of the first connection is thrown at once; later only permanent errors are', async () => {
  expect(await follow([failed(404, 'NOT_FOUND')])).toMatchObject({
    seen: [],
    outcome: { code: 'NOT_FOUND' },
  })
  expect(await follow(['broken'], { retries: 0 })).toMatchObject({
    seen: [],
    outcome: { code: 'NETWORK_ERROR' },
    at: [0],
  })
  expect(
    await follow([stream([state(1, 'running'), progress(0, 0)]), failed(401, 'UNAUTHORIZED')]),
  ).toMatchObject({ seen: ['running 0'], outcome: { code: 'UNAUTHORIZED' } })
})

test('after the last state no connection is made again', async () => {
  const { client, clock, tries } = createScripted([() => new Response(null, { status: 204 })])
  const first = await clock.runUntil(
    client.executions.events('exec_1', { lastEventId: '9.0.9.end' }).next(),
  )
  expect([first, tries.length]).toEqual([{ done: true, value: undefined }, 1])
})

test('an abort ends following and waiting, within a silent stream and between two streams', async () => {
  for (const turn of [
    stream([state(1, 'running'), progress(0, 0)], 'stays'),
    stream([state(1, 'running'), progress(0, 0)]),
    'silent' as const,
  ]) {
    const { client, clock } = createScripted([turn])
    const controller = new AbortController()
    const outcome = client.executions
      .wait('exec_1', { signal: controller.signal })
      .catch((error: unknown) => error)
    await clock.advance(600)
    const reason = new Error('enough')
    controller.abort(reason)
    expect(await outcome).toBe(reason)
    await clock.advance(10_000)
    expect(clock.sleeping).toBe(0)
  }
})

test('leaving the loop of events closes the stream', async () => {
  let cancelled = 0
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) =>
      controller.enqueue(new TextEncoder().encode(state(1, 'running') + progress(0, 0))),
    cancel: () => void cancelled++,
  })
  const { client } = createScripted([() => new Response(body)])
  for await (const { event } of client.executions.events('exec_1')) if (event === 'progress') break
  expect(cancelled).toBe(1)
})

test('waiting returns the last state, whatever it is', async () => {
  const { client, clock } = createScripted([
    stream([state(1, 'queued'), progress(0, 0), state(2, 'cancelled', END), end('cancelled', 0)]),
  ])
  expect((await clock.runUntil(client.executions.wait('exec_1'))).status).toBe('cancelled')
})

test('an event that is too long ends following, after the events before it', async () => {
  for (const rest of ['', '\n\n']) {
    const long = `event: page\nid: 3.0.1\ndata: "${'x'.repeat(5_000_000)}"${rest}`
    const { seen, outcome, asked } = await follow([
      stream([state(1, 'running') + progress(2, 1) + long]),
    ])
    expect(outcome).toMatchObject({ code: 'UNEXPECTED_RESPONSE' })
    expect(seen).toEqual(['running 1'])
    expect(asked).toHaveLength(1)
  }
})
