import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { createNodeFetcher } from '../../../adapters/node/fetcher.ts'
import { createOpenAiModel } from '../../../adapters/openai/index.ts'
import type { OpenAiModelOptions } from '../../../adapters/openai/index.ts'
import { createEgress } from '../../../src/engine/egress/egress.ts'
import { readCompletion } from '../../../adapters/openai/read-completion.ts'
import { createModelServices } from '../../../src/engine/egress/host-services.ts'
import type { Json } from '../../../src/kernel/json.ts'
import { ModelFailure } from '../../../src/kernel/failures.ts'
import type { ModelRequest } from '../../../src/ports/model.ts'
import { modelContract } from '../../contracts/model.ts'
import { createFakeClock, underWay } from '../../support/fakes/fake-clock.ts'
import { serveHttp } from '../../support/loopback.ts'

const KEY = 'sk-secret-4242'
const SCHEMA = {
  type: 'object',
  properties: { price: { type: ['number', 'null'], description: 'The price' } },
  required: ['price'],
  additionalProperties: false,
}

/** An answer like those of such endpoints: with much beside the message. */
const completion = (
  content: Json,
  more: { finish?: string; refusal?: string; usage?: Json } = {},
): string =>
  JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'small-1',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content, refusal: more.refusal ?? null },
        logprobs: null,
        finish_reason: more.finish ?? 'stop',
      },
    ],
    usage: more.usage ?? { prompt_tokens: 120, completion_tokens: 9, total_tokens: 129 },
  })

modelContract('OpenAI', async () => ({
  factory: createOpenAiModel({
    baseUrl: 'https://api.example.com/v1',
    apiKey: KEY,
    model: 'small-1',
    format: 'json_schema',
  }),
  bodyOf: (json, { input, output }) =>
    completion(JSON.stringify(json), {
      usage: { prompt_tokens: input, completion_tokens: output },
    }),
  secret: KEY,
}))

interface Sent {
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: { readonly [name: string]: Json }
}

type Act = (response: ServerResponse, nth: number, sent: Sent) => void

const answer =
  (status: number, body: string, headers: Record<string, string> = {}): Act =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)

/** Asks a model behind this server. Time passes only in the waits between retries. */
async function askWith(
  act: Act,
  options: Partial<OpenAiModelOptions> = {},
  {
    times = 1,
    signal = new AbortController().signal,
  }: { times?: number; signal?: AbortSignal } = {},
) {
  const sent: Sent[] = []
  await using server = await serveHttp(async (request, response) => {
    let text = ''
    for await (const part of request) text += String(part)
    const one: Sent = { url: request.url ?? '', headers: request.headers, body: JSON.parse(text) }
    sent.push(one)
    act(response, sent.length, one)
  })
  const clock = createFakeClock()
  const slept: number[] = []
  const noting = {
    now: clock.now,
    sleep: (ms: number, until?: AbortSignal) => (
      ms < 100_000 && slept.push(ms),
      clock.sleep(ms, until)
    ),
  }
  const fetcher = createNodeFetcher()
  const egress = createEgress({ fetcher, clock: noting })
  const patient: typeof egress = (request) => underWay(() => egress(request))
  const model = createOpenAiModel({
    baseUrl: `${server.origin}/v1`,
    privateHost: '127.0.0.1',
    apiKey: KEY,
    model: 'small-1',
    ...options,
  }).create(createModelServices({ egress: patient, allowPrivateNetwork: false, clock: noting }))
  const request: ModelRequest = {
    instructions: 'Find the price',
    schema: SCHEMA,
    text: 'It costs 12.50',
    signal,
  }
  const results: unknown[] = []
  try {
    for (let n = 0; n < times; n++)
      results.push(await clock.runUntil(model.ask(request).catch((error: unknown) => error)))
  } finally {
    await fetcher.close()
  }
  return { sent, slept, results, result: results.at(-1) }
}

const good = completion('{"price":12.5}')
const reply = { json: { price: 12.5 }, inputTokens: 120, outputTokens: 9 }
const formatOf = ({ body }: Sent): unknown => Object(body['response_format'])['type'] ?? null

test('the request asks for an answer by schema and no stream, with the key in its header alone', async () => {
  const { sent, result } = await askWith(answer(200, good), {
    parameters: { temperature: 0 },
    headers: { 'x-team': 'pens' },
  })
  expect(result).toEqual(reply)
  expect(sent).toHaveLength(1)
  expect(sent[0]?.url).toBe('/v1/chat/completions')
  expect(sent[0]?.headers).toMatchObject({
    authorization: `Bearer ${KEY}`,
    'content-type': 'application/json',
    accept: 'application/json',
    'x-team': 'pens',
  })
  expect(sent[0]?.body).toEqual({
    model: 'small-1',
    temperature: 0,
    messages: [
      { role: 'system', content: 'Find the price' },
      { role: 'user', content: 'It costs 12.50' },
    ],
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'answer', strict: true, schema: SCHEMA },
    },
  })
})

test.each(['/v1', '/v1/', '/v1/chat/completions', '/v1/chat/completions/'])(
  'the address of the API is made of %s',
  async (path) => {
    const { sent } = await askWith(
      (response, nth, one) =>
        answer(one.url === '/v1/chat/completions?v=2' ? 200 : 404, good)(response, nth, one),
      {},
    )
    expect(sent[0]?.url).toBe('/v1/chat/completions')
    const urls: string[] = []
    createOpenAiModel({ baseUrl: `https://api.example.com${path}?v=2`, model: 'm' }).create({
      endpoint: (url) => (urls.push(url.href), async () => ({ status: 200, text: good })),
    })
    expect(urls).toEqual(['https://api.example.com/v1/chat/completions?v=2'])
  },
)

test.each([
  [
    'json_object',
    (format: unknown) => format === 'json_schema',
    ['json_schema', 'json_object', 'json_object'],
  ],
  ['words alone', (format: unknown) => format !== null, ['json_schema', 'json_object', null, null]],
] as const)(
  'an endpoint that only accepts %s is asked that way, and from then on without other tries',
  async (_, refuses, formats) => {
    const { sent, results } = await askWith(
      (response, nth, one) =>
        (refuses(formatOf(one))
          ? answer(400, '{"error":{"message":"response_format is not supported"}}')
          : answer(200, good))(response, nth, one),
      {},
      { times: 2 },
    )
    expect(results).toEqual([reply, reply])
    expect(sent.map(formatOf)).toEqual(formats)
    expect(JSON.stringify(sent.at(-1)?.body)).toContain('additionalProperties')
  },
)

test('a request that an endpoint accepts in no form is a failure, and the next one tries all forms again', async () => {
  const { sent, result } = await askWith(answer(422, `{"error":"${KEY}"}`), {}, { times: 2 })
  expect(result).toBeInstanceOf(ModelFailure)
  expect(String(result)).toBe('ModelFailure: The model answered with status 422')
  expect(sent.map(formatOf)).toEqual([
    'json_schema',
    'json_object',
    null,
    'json_schema',
    'json_object',
    null,
  ])
  expect((await askWith(answer(422, '{}'), { format: 'json_object' })).sent.map(formatOf)).toEqual([
    'json_object',
  ])
})

test.each([
  ['in a fence', 'Here it is:\n```json\n{"price":12.5}\n```\nGood luck!'],
  ['after thoughts', '<think>{"price": 1}? No.</think>\n{"price":12.5}'],
  ['among words', 'The answer is {"price":12.5}.'],
  [
    'in parts',
    [
      { type: 'text', text: '{"price":' },
      { type: 'text', text: '12.5}' },
    ],
  ],
])('the answer is read %s', async (_, content) => {
  expect((await askWith(answer(200, completion(content)))).result).toEqual(reply)
})

test('an answer that comes as a stream without request is put together', async () => {
  const chunks = [
    { delta: { role: 'assistant', content: '' } },
    { delta: { content: '{"pri' } },
    { delta: { content: 'ce":12.5}' } },
    { delta: {}, finish_reason: 'stop' },
  ].map((choice) => JSON.stringify({ choices: [choice] }))
  const stream = [
    ': hello',
    ...chunks,
    JSON.stringify({ choices: [], usage: { prompt_tokens: 120, completion_tokens: 9 } }),
    '[DONE]',
  ]
    .map((one) => (one.startsWith(':') ? one : `data: ${one}`))
    .join('\r\n\r\n')
  expect(
    (await askWith(answer(200, stream, { 'content-type': 'text/event-stream' }))).result,
  ).toEqual(reply)
})

test('an event of such a stream that is too long makes the answer unusable', () => {
  expect(() => readCompletion(`data: ${'x'.repeat(4_500_000)}`)).toThrow(
    expect.objectContaining({ name: 'ModelFailure', reason: 'unusable' }),
  )
})

test.each([
  ['a refusal', completion(null, { refusal: `I will not, ${KEY}` }), 'declined'],
  ['a filter', completion('', { finish: 'content_filter' }), 'declined'],
  ['an answer that was cut short', completion('{"price":1', { finish: 'length' }), 'cut'],
  ['truncated JSON', completion('{"price":1'), 'unusable'],
  ['no JSON', completion(`I cannot say ${KEY}`), 'unusable'],
  ['no content', completion(''), 'unusable'],
  ['no choices', '{"choices":[]}', 'unusable'],
  ['no completion', '"hello"', 'unusable'],
  ['an error page', '<html>Bad gateway</html>', 'unusable'],
  ['nothing', '', 'unusable'],
  [
    'JSON too deep for any stack',
    completion(`${'['.repeat(200_000)}${']'.repeat(200_000)}`),
    'unusable',
  ],
  ['a huge body', completion('x'.repeat(2 * 1024 * 1024)), 'unusable'],
])('%s is a failure', async (_, body, reason) => {
  const { result, sent } = await askWith(answer(200, body))
  expect(result).toBeInstanceOf(ModelFailure)
  expect(result).toMatchObject({ reason })
  expect(String(result)).not.toContain('4242')
  expect(sent).toHaveLength(1)
})

test('an answer of another shape is returned unchecked to the caller', async () => {
  expect(
    (await askWith(answer(200, completion('{"cost":[1]}', { usage: 'unknown' })))).result,
  ).toEqual({ json: { cost: [1] }, inputTokens: null, outputTokens: null })
})

test.each([
  [401, 'refused'],
  [402, 'refused'],
  [403, 'refused'],
  [404, 'unusable'],
  [413, 'unusable'],
  [307, 'unusable'],
] as const)('status %i is not tried again', async (status, reason) => {
  const { result, sent, slept } = await askWith(
    answer(status, `{"error":{"message":"Incorrect API key: ${KEY}"}}`, {
      location: 'http://127.0.0.1:1/',
    }),
  )
  expect(result).toMatchObject({ name: 'ModelFailure', reason })
  expect(String(result)).not.toContain('4242')
  expect([sent.length, slept]).toEqual([1, []])
})

test('a busy endpoint is asked again at the time that it names', async () => {
  const { result, sent, slept } = await askWith((response, nth) =>
    (nth === 1
      ? answer(429, '{}', { 'retry-after': '7' })
      : nth === 2
        ? answer(503, 'busy')
        : answer(200, good))(response, nth, { url: '', headers: {}, body: {} }),
  )
  expect(result).toEqual(reply)
  expect([sent.length, slept]).toEqual([3, [7_000, 1_000]])
})

test.each([
  [429, {}, 3, 'limited'],
  [500, {}, 3, 'unreachable'],
  [529, {}, 3, 'unreachable'],
  [408, {}, 3, 'unreachable'],
  [429, { 'retry-after': '31' }, 1, 'limited'],
] as const)('status %i with %j gives up after %i tries', async (status, headers, tries, reason) => {
  const { result, sent } = await askWith(answer(status, `{"key":"${KEY}"}`, headers))
  expect(result).toMatchObject({ name: 'ModelFailure', reason })
  expect(String(result)).not.toContain('4242')
  expect(sent).toHaveLength(tries)
})

test('a connection that breaks is tried again', async () => {
  const { result, sent } = await askWith((response, nth, one) =>
    nth < 3 ? response.destroy() : answer(200, good)(response, nth, one),
  )
  expect([result, sent.length]).toEqual([reply, 3])
})

test('a caller can abort a request to an endpoint that does not answer', async () => {
  const stop = new AbortController()
  const { result } = await askWith(
    () => stop.abort(new Error('enough')),
    {},
    { signal: stop.signal },
  )
  expect(String(result)).toBe('Error: enough')
})

test.each(['', 'with space', 'line\nbreak', 'ü'])('%j is refused as a key', (apiKey) => {
  expect(() =>
    createOpenAiModel({ baseUrl: 'https://api.example.com/v1', model: 'm', apiKey }),
  ).toThrow(TypeError)
})

test.each([
  ['http://api.example.com/v1', undefined, /http/],
  ['http://127.0.0.1:11434/v1', undefined, /privateHost: '127.0.0.1'/],
  ['http://127.0.0.1:11434/v1', 'localhost', /privateHost is localhost/],
])('the endpoint %s with the privateHost %s is refused', (baseUrl, privateHost, message) => {
  const services = createModelServices({
    egress: async () => Promise.reject(new Error('never')),
    allowPrivateNetwork: false,
    clock: createFakeClock(),
  })
  expect(() =>
    createOpenAiModel({
      baseUrl,
      model: 'm',
      ...(privateHost !== undefined && { privateHost }),
    }).create(services),
  ).toThrow(message)
})
