import { describe, expect, test } from 'vitest'
import type { Outgoing } from '../../src/kernel/http/message.ts'
import { CallResult } from '../../src/mcp/call-result.ts'
import { createEndpoint } from '../../src/mcp/endpoint.ts'
import { failed } from '../../src/mcp/tool-error.ts'
import type { ToolService } from '../../src/mcp/tool-service.ts'
import { KNOWS_TASKS, post } from './mcp-world.ts'

const VERSION = '2026-07-28'
const PREFIX = 'io.modelcontextprotocol/'

const envelopeOf = (client: string, capabilities: object = {}) => ({
  [`${PREFIX}protocolVersion`]: VERSION,
  [`${PREFIX}clientInfo`]: { name: client, version: '1' },
  [`${PREFIX}clientCapabilities`]: capabilities,
})
const ENVELOPE = envelopeOf('test')

interface Sent {
  readonly id?: unknown
  readonly params: { readonly [name: string]: unknown }
  readonly headers?: Record<string, string>
  readonly more?: object
  readonly signal?: AbortSignal
}

const DATA = { text: 'ink — 墨 \u2028 "', list: [{ b: 1, a: null }], 7: true }
const LINKED = { runId: 'run_1', done: true, rows: [{ a: 1 }], rowsFound: 1 }
const refusalOf = (status: number) => ({
  status,
  challenge: 'Bearer',
  retryAfter: null,
  message: 'No',
})

/** A service that counts its calls, and an endpoint that no client has called. */
function createService() {
  const called: string[] = []
  const left = new AbortController()
  const service: ToolService = {
    list: async () => ({ refusal: null, tools: [] }),
    async call({ credential }, tool, args) {
      called.push(tool)
      if (credential['authorization'] !== 'Bearer key')
        return { refusal: refusalOf(401), result: failed('') }
      if (tool === 'broken') return { refusal: null, result: failed('It is broken') }
      if (tool === 'absent')
        return { refusal: null, result: failed(''), error: { code: -32_602, message: 'Unknown' } }
      if (tool === 'linked') return { refusal: null, result: new CallResult(LINKED) }
      if (tool === 'thrown') throw new Error('Out of order')
      if (tool === 'abandoned') {
        left.abort()
        return new Promise(() => {})
      }
      return {
        refusal: tool === 'refused' ? refusalOf(403) : null,
        result: new CallResult(
          { ...DATA, args },
          undefined,
          tool === 'worded' ? 'In *words*\u{1F58B}' : null,
        ),
        rates: { 'X-RateLimit-Remaining': '3' },
      }
    },
    ask: async () => ({ status: 404, headers: {}, body: '{}' }),
  }
  const endpoint = createEndpoint({ confirmAbove: 0 })
  const send = ({ id = 1, params, headers = {}, more = {}, signal }: Sent): Promise<Outgoing> => {
    const request = post(
      { jsonrpc: '2.0', id, method: 'tools/call', params, ...more },
      {
        authorization: 'Bearer key',
        'mcp-protocol-version': VERSION,
        'mcp-method': 'tools/call',
        'mcp-name': String(params['name']),
        ...headers,
      },
    )
    return endpoint.reply(
      signal ? new Request(request, { signal }) : request,
      () => service,
      () => '',
    )
  }
  return { send, called, left: left.signal }
}

/** An endpoint that has accepted an envelope. */
async function createKnown(envelope: object = ENVELOPE) {
  const service = createService()
  await service.send({ params: { name: 'search', _meta: envelope } })
  service.called.length = 0
  return service
}

/** Whether the endpoint answers without the SDK, whose answers are of this class. */
const isPlain = async (answer: Promise<Outgoing>) => !((await answer) instanceof Response)
const searchOf = (client: string) => ({ params: { name: 'search', _meta: envelopeOf(client) } })
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
    ['search', JSON.parse('{ "a": { "__proto__": 1 }, "constructor": 2 }'), 1],
    ['refused', {}, 0],
  ])('has the bytes of the SDK without it: %s', async (name, args, id) => {
    const call = { id, params: { name, ...(args && { arguments: args }), _meta: ENVELOPE } }
    const first = await createService().send(call)
    const second = await (await createKnown()).send(call)
    expect([first instanceof Response, second instanceof Response]).toEqual([true, false])
    expect(await contentOf(second)).toEqual(await contentOf(first))
  })

  test.each(['broken', 'absent', 'linked'])(
    'is made once where the SDK writes the answer: %s',
    async (name) => {
      const call = { params: { name, _meta: ENVELOPE } }
      const [bySdk, plainly] = [createService(), await createKnown()]
      const [first, second] = [await bySdk.send(call), await plainly.send(call)]
      expect([first instanceof Response, second instanceof Response]).toEqual([true, true])
      expect(await contentOf(second)).toEqual(await contentOf(first))
      expect([bySdk.called, plainly.called]).toEqual([[name], [name]])
    },
  )

  const params = { name: 'search', arguments: {}, _meta: ENVELOPE }
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
    [
      'an argument that the SDK drops',
      { params: { ...params, arguments: JSON.parse('{ "__proto__": 1, "query": "ink" }') } },
    ],
    ['a token for progress', { params: { ...params, _meta: { ...ENVELOPE, progressToken: 1 } } }],
    [
      'another version',
      { params: { ...params, _meta: { ...ENVELOPE, [`${PREFIX}protocolVersion`]: '2027-01-01' } } },
    ],
    ['an unknown client', { params: { ...params, _meta: envelopeOf('unknown') } }],
    ['an envelope that is no object', { params: { ...params, _meta: [] } }],
    ['JSON alone accepted', { params, headers: { accept: 'application/json' } }],
    ['a run', { params: { ...params, name: 'crawl' } }],
  ])('is left to the SDK with %s', async (_what, sent) => {
    const { send } = await createKnown()
    expect(await isPlain(send({ params }))).toBe(true)
    expect(await isPlain(send(sent))).toBe(false)
  })

  test('asks the user first where it may cost more', async () => {
    const envelope = envelopeOf('asks', { ...KNOWS_TASKS, elicitation: { form: {} } })
    const { send, called } = await createKnown(envelope)
    const call = { params: { name: 'fetch', arguments: {}, _meta: envelope } }
    const { body } = await contentOf(await send(call))
    expect(JSON.parse(body ?? '')).toMatchObject({ result: { resultType: 'input_required' } })
    expect(called).toEqual([])
  })
})

describe('an endpoint remembers the envelope of a call', () => {
  test('for itself alone', async () => {
    await createKnown(envelopeOf('client'))
    expect(await isPlain(createService().send(searchOf('client')))).toBe(false)
  })

  test('only if its service answered it', async () => {
    const { send, called, left } = createService()
    await send({ params: { name: 'thrown', _meta: envelopeOf('thrown') } })
    await send({ params: { name: 'abandoned', _meta: envelopeOf('abandoned') }, signal: left })
    await send({ ...searchOf('stranger'), headers: { authorization: 'Bearer wrong' } })
    await send({ params: { name: 'refused', _meta: envelopeOf('refused') } })
    expect(called).toEqual(['thrown', 'abandoned', 'search', 'refused'])
    for (const client of ['thrown', 'abandoned', 'stranger', 'refused'])
      expect(await isPlain(send(searchOf(client))), client).toBe(false)
  })

  test('until a hundred newer ones are there', async () => {
    const { send } = createService()
    const clients = Array.from({ length: 100 }, (_, index) => `client ${index}`)
    for (const client of clients) await send(searchOf(client))
    // The SDK answers this too, so its envelope is accepted once more.
    await send({ params: { name: 'linked', _meta: envelopeOf('client 50') } })
    for (const client of clients) expect(await isPlain(send(searchOf(client))), client).toBe(true)
    await send(searchOf('newest'))
    for (const client of ['newest', ...clients.slice(1)])
      expect(await isPlain(send(searchOf(client))), client).toBe(true)
    expect(await isPlain(send(searchOf('client 0')))).toBe(false)
  })

  test('unless it is long', async () => {
    const { send } = createService()
    await send(searchOf('a'.repeat(2_000)))
    expect(await isPlain(send(searchOf('a'.repeat(2_000))))).toBe(false)
  })
})
