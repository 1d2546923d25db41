import { describe, expect, test } from 'vitest'
import type { Outgoing } from '../../src/kernel/http/message.ts'
import { CallResult } from '../../src/mcp/call-result.ts'
import { createEndpoint } from '../../src/mcp/endpoint.ts'
import { failed } from '../../src/mcp/tool-error.ts'
import type { ToolService } from '../../src/mcp/tool-service.ts'
import { KNOWS_TASKS, post } from './mcp-world.ts'

const VERSION = '2026-07-28'
const PREFIX = 'io.modelcontextprotocol/'

/** An envelope of each test alone, as the endpoint remembers them. */
const envelopeOf = (client: string, capabilities: object = {}) => ({
  [`${PREFIX}protocolVersion`]: VERSION,
  [`${PREFIX}clientInfo`]: { name: client, version: '1' },
  [`${PREFIX}clientCapabilities`]: capabilities,
})

interface Sent {
  readonly id?: unknown
  readonly params: { readonly [name: string]: unknown }
  readonly headers?: Record<string, string>
  readonly more?: object
}

const DATA = { text: 'ink — 墨 \u2028 "', list: [{ b: 1, a: null }], 7: true }
const service: ToolService = {
  list: async () => ({ refusal: null, tools: [] }),
  async call(_caller, tool) {
    if (tool === 'broken') return { refusal: null, result: failed('It is broken') }
    if (tool === 'absent')
      return { refusal: null, result: failed(''), error: { code: -32_602, message: 'Unknown' } }
    const refusal = { status: 403, challenge: 'Bearer', retryAfter: null, message: 'No' }
    return {
      refusal: tool === 'refused' ? refusal : null,
      result: new CallResult(DATA, undefined, tool === 'worded' ? 'In *words*\u{1F58B}' : null),
      rates: { 'X-RateLimit-Remaining': '3' },
    }
  },
  ask: async () => ({ status: 404, headers: {}, body: '{}' }),
}
const endpoint = createEndpoint({ confirmAbove: 0 })
const send = ({ id = 1, params, headers = {}, more = {} }: Sent): Promise<Outgoing> =>
  endpoint.reply(
    post(
      { jsonrpc: '2.0', id, method: 'tools/call', params, ...more },
      {
        authorization: 'Bearer key',
        'mcp-protocol-version': VERSION,
        'mcp-method': 'tools/call',
        'mcp-name': String(params['name']),
        ...headers,
      },
    ),
    () => service,
    () => '',
  )
const contentOf = async (answer: Outgoing) => ({
  status: answer.status,
  type:
    answer instanceof Response
      ? answer.headers.get('content-type')
      : answer.headers['Content-Type'],
  rate:
    answer instanceof Response
      ? answer.headers.get('x-ratelimit-remaining')
      : answer.headers['X-RateLimit-Remaining'],
  body: answer instanceof Response ? await answer.text() : answer.body,
})

describe('a plain call of protocol 2026-07-28', () => {
  test.each([
    ['search', { query: 'ink' }, 1],
    ['worded', undefined, 'an "id"'],
    ['search', {}, Number.MAX_SAFE_INTEGER],
    ['refused', {}, 0],
  ])('has the bytes of the SDK without it: %s', async (name, args, id) => {
    const envelope = envelopeOf(`bytes of ${name} ${id}`)
    const call = { id, params: { name, ...(args && { arguments: args }), _meta: envelope } }
    const first = await send(call)
    const second = await send(call)
    expect([first instanceof Response, second instanceof Response]).toEqual([true, false])
    expect(await contentOf(second)).toEqual(await contentOf(first))
  })

  test.each(['broken', 'absent'])('without data is answered by the SDK: %s', async (name) => {
    const call = { params: { name, _meta: envelopeOf(name) } }
    const [first, second] = [await send(call), await send(call)]
    expect([first, second].every((answer) => answer instanceof Response)).toBe(true)
    expect(await contentOf(second)).toEqual(await contentOf(first))
  })

  const envelope = envelopeOf('deviant')
  const params = { name: 'search', arguments: {}, _meta: envelope }
  test.each<[string, Sent]>([
    ['another header of the method', { params, headers: { 'mcp-method': 'tools/list' } }],
    ['another header of the name', { params, headers: { 'mcp-name': 'fetch' } }],
    [
      'another header of the version',
      { params, headers: { 'mcp-protocol-version': '2025-11-25' } },
    ],
    ['no id', { params, more: { id: undefined } }],
    ['an id that is no whole number', { params, id: 1.5 }],
    ['another member', { params, more: { extra: 1 } }],
    ['another parameter', { params: { ...params, inputResponses: {} } }],
    ['arguments that are no object', { params: { ...params, arguments: [] } }],
    ['a token for progress', { params: { ...params, _meta: { ...envelope, progressToken: 1 } } }],
    [
      'another version',
      { params: { ...params, _meta: { ...envelope, [`${PREFIX}protocolVersion`]: '2027-01-01' } } },
    ],
    ['an unknown client', { params: { ...params, _meta: envelopeOf('unknown') } }],
    ['an envelope that is no object', { params: { ...params, _meta: [] } }],
    ['JSON alone accepted', { params, headers: { accept: 'application/json' } }],
    ['a run', { params: { ...params, name: 'crawl' } }],
  ])('is left to the SDK with %s', async (_what, sent) => {
    const plain = await send({ params })
    expect((await send({ params })) instanceof Response).toBe(false)
    expect(plain.status).toBe(200)
    expect((await send(sent)) instanceof Response).toBe(true)
  })

  test('asks the user first where it may cost more', async () => {
    const capabilities = { ...KNOWS_TASKS, elicitation: { form: {} } }
    const call = {
      params: { name: 'fetch', arguments: {}, _meta: envelopeOf('asks', capabilities) },
    }
    await send(call)
    const { body } = await contentOf(await send(call))
    expect(JSON.parse(body ?? '')).toMatchObject({ result: { resultType: 'input_required' } })
  })
})
