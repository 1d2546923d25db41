import { expect, test } from 'vitest'
import { responseOf } from '../../src/kernel/http/message.ts'
import { createEndpoint } from '../../src/mcp/endpoint.ts'
import { CallStop, InFlight } from '../../src/mcp/in-flight.ts'
import { ToolCalls } from '../../src/mcp/tool-calls.ts'
import type { ToolService } from '../../src/mcp/tool-service.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'
import { callOf, post } from './mcp-world.ts'

/** A service of a host that throws before it returns a promise. */
const service: ToolService = {
  list() {
    throw new Error('secret-7731: the list')
  },
  call() {
    throw new Error('secret-7731: the call')
  },
}

test('a service that throws at once is told of, and leaves nobody who waits', async () => {
  const errors: unknown[] = []
  const stop = new CallStop()
  const calls = new ToolCalls({
    service,
    credential: {},
    post: stop,
    isBatch: false,
    stream: false,
    inFlight: new InFlight(),
    version: null,
    transport: { send: async () => {}, beat: () => {} },
    onError: (error) => errors.push(error),
  })
  expect(await calls.list()).toMatchObject({ code: -32_603 })
  expect(await calls.call(1, { name: 'a', args: {}, progressToken: null })).toMatchObject({
    isError: true,
  })
  expect(errors).toEqual([new Error('secret-7731: the list'), new Error('secret-7731: the call')])
  expect(stop.waiting.size).toBe(0)
})

test.each([
  ['a call', callOf('a', {})],
  ['a list', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }],
  ['a batch', [callOf('a', {}, 1), callOf('b', {}, 2)]],
])('%s of a service that throws at once is answered without its words', async (_, message) => {
  const errors: unknown[] = []
  const endpoint = createEndpoint({ onError: (error) => errors.push(error) })
  const replying = endpoint.reply(
    post(message, { 'x-api-key': 'key', accept: 'application/json' }),
    () => service,
    () => '',
  )
  const answer = await createFakeClock().runUntil(replying)
  const text = await responseOf(answer).text()
  expect(text).toContain('The service could not be reached. Try again later.')
  expect(text).not.toContain('secret-7731')
  expect(errors.length).toBeGreaterThan(0)
})

test.each(['application/json', 'text/event-stream'])(
  'an answer that cannot be read ends the answer as %s, and is told of',
  async (accept) => {
    const errors: unknown[] = []
    const endpoint = createEndpoint({ onError: (error) => errors.push(error) })
    const replying = endpoint.reply(
      post(callOf('a', {}), { 'x-api-key': 'key', accept }),
      () => ({
        ...service,
        call: async () => ({
          get refusal(): null {
            throw new TypeError('secret-7731: the refusal')
          },
          result: { content: [] },
        }),
      }),
      () => '',
    )
    const response = responseOf(await createFakeClock().runUntil(replying))
    expect([response.status, await response.text()]).toEqual([
      500,
      expect.stringContaining('Something went wrong on our side'),
    ])
    expect(errors).toEqual([expect.any(TypeError)])
  },
)
