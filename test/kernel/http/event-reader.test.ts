import { expect, test } from 'vitest'
import { readEvents } from '../../../src/kernel/http/event-reader.ts'

/** Chunks of an event without an end: more than any reader may read. */
const MOST = 1_000

/** A stream of these chunks, and whether its reader has cancelled it. */
function stream(chunks: Iterable<string>): {
  readonly body: ReadableStream<Uint8Array>
  readonly isLeft: () => boolean
} {
  const encoder = new TextEncoder()
  const rest = chunks[Symbol.iterator]()
  let isLeft = false
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const { done, value } = rest.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(value))
      },
      cancel() {
        isLeft = true
      },
    },
    { highWaterMark: 0 },
  )
  return { body, isLeft: () => isLeft }
}

test.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
])('lines may end with %s, and fields may have any order', async (_, end) => {
  const text = [
    '\uFEFF: a comment',
    'retry: 1000',
    '',
    'data: {"a":',
    'data: 1}',
    'unknown: x',
    'id: 7',
    'event: progress',
    '',
    'event: without data',
    '',
    'data: no JSON',
    '',
    'data: null',
    '',
    '',
  ].join(end)
  const whole: unknown[] = []
  for await (const event of readEvents(stream([text, end]).body)) whole.push(event)
  expect(whole).toEqual([
    { event: null, id: '', data: '' },
    { event: 'progress', id: '7', data: '{"a":\n1}' },
    { event: 'message', id: '7', data: 'no JSON' },
    { event: 'message', id: '7', data: 'null' },
  ])
  const cut: unknown[] = []
  for await (const event of readEvents(stream([...text, end]).body)) cut.push(event)
  expect(cut).toEqual(whole)
})

test.each([
  ['one line', 'x'.repeat(65_536)],
  ['many lines', `data: ${'x'.repeat(57)}\n`.repeat(1_024)],
])('an event of %s without an end is refused, and its stream is cancelled', async (_, chunk) => {
  let sent = 0
  function* endless(): Generator<string> {
    yield 'data: '
    for (; sent < MOST; sent++) yield chunk
  }
  const { body, isLeft } = stream(endless())
  await expect(readEvents(body).next()).rejects.toThrow('An event of the service is too long')
  expect(isLeft()).toBe(true)
  expect(sent).toBeLessThan(MOST)
})

test('an aborted signal ends a read that waits, and cancels the stream', async () => {
  let isLeft = false
  const body = new ReadableStream<Uint8Array>({
    cancel() {
      isLeft = true
    },
  })
  const stop = new AbortController()
  const event = readEvents(body, stop.signal).next()
  stop.abort(new Error('enough'))
  await expect(event).rejects.toThrow('enough')
  expect(isLeft).toBe(true)
})
