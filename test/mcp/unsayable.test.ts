import { expect, test } from 'vitest'
import { responseOf } from '../../src/kernel/http/message.ts'
import { createEndpoint } from '../../src/mcp/endpoint.ts'
import type { ToolService } from '../../src/mcp/tool-service.ts'
import { CallStop, InFlight } from '../../src/mcp/in-flight.ts'
import { ToolCalls } from '../../src/mcp/tool-calls.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'
import { callOf, post } from './mcp-world.ts'

// A host's own service may return what no JSON can say. Whoever asked must not wait for it.

const count = { count: 1n }
/** `_meta` and schemas have any values. */
const service: ToolService = {
  list: async () => ({
    refusal: null,
    tools: [{ name: 'a', inputSchema: { type: 'object', properties: { a: count } }, _meta: count }],
  }),
  call: async () => ({ refusal: null, result: { content: [], structuredContent: count } }),
}

const MODERN = '2026-07-28'
const modern = (method: string, params: object) =>
  post(
    {
      jsonrpc: '2.0',
      id: 7,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': MODERN,
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    },
    {
      'x-api-key': 'key',
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...('name' in params && { 'mcp-name': String(params.name) }),
    },
  )
const older = (message: object, accept: string) => post(message, { 'x-api-key': 'key', accept })
const list = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/list', params: {} })

/** Services whose calls have no JSON elsewhere. */
const withError: ToolService = {
  ...service,
  call: async () => ({
    refusal: null,
    result: { content: [] },
    error: { code: 1, message: 'a', data: count },
  }),
}
const withNothing: ToolService = {
  ...service,
  call: async () => ({ refusal: null, result: { content: [], toJSON: () => undefined } }),
}

test.each<[string, () => Request, ToolService?]>([
  ['a list of 2026', () => modern('tools/list', {})],
  ['a call of 2026', () => modern('tools/call', { name: 'a', arguments: {} })],
  ['a list as JSON', () => older(list(7), 'application/json')],
  ['a list as a stream', () => older(list(7), 'text/event-stream')],
  ['a call as JSON', () => older(callOf('a', {}, 7), 'application/json')],
  ['a call as a stream', () => older(callOf('a', {}, 7), 'text/event-stream')],
  ['a batch', () => older([callOf('a', {}, 7), list(8)], 'application/json')],
  ['an error', () => older(callOf('a', {}, 7), 'application/json'), withError],
  ['an error of 2026', () => modern('tools/call', { name: 'a', arguments: {} }), withError],
  ['a result that gives nothing', () => older(callOf('a', {}, 7), 'application/json'), withNothing],
])(
  '%s without JSON is answered by an error that says nothing of it',
  async (_, ask, of = service) => {
    const errors: unknown[] = []
    const endpoint = createEndpoint({ onError: (error) => errors.push(error) })
    const clock = createFakeClock()
    const replying = endpoint.reply(
      ask(),
      () => of,
      () => '',
    )
    const text = await clock.runUntil(responseOf(await clock.runUntil(replying)).text())
    expect(text).toContain('"id":7,"error":{"code":-32603,"message":"Something went wrong')
    expect(text).not.toContain('BigInt')
    expect(errors.length).toBeGreaterThan(0)
    expect(errors.every((error) => error instanceof TypeError)).toBe(true)
  },
)

test('a notification without JSON is told of, and the call goes on', async () => {
  const errors: unknown[] = []
  const calls = new ToolCalls({
    service: {
      ...service,
      async call({ notify }) {
        notify({
          method: 'notifications/progress',
          params: { progressToken: 1, progress: 1, _meta: count },
        })
        return { refusal: null, result: { content: [] } }
      },
    },
    credential: {},
    post: new CallStop(),
    isBatch: false,
    stream: true,
    inFlight: new InFlight(),
    version: null,
    transport: { send: async (message) => void JSON.stringify(message), beat: () => {} },
    onError: (error) => errors.push(error),
  })
  expect(await calls.call(1, { name: 'a', args: {}, progressToken: 1 })).toEqual({ content: [] })
  expect(errors).toEqual([expect.any(TypeError)])
})
