import { expect, test } from 'vitest'
import { linesOf } from '../../../adapters/command/mcp/lines.ts'
import { bridge } from '../../../adapters/command/mcp/stdio-bridge.ts'
import type { PostMessage } from '../../../adapters/command/mcp/stdio-bridge.ts'
import { createMcpWorld, keyOf } from '../../mcp/mcp-world.ts'

type Content = Record<string, unknown>

/** Sends lines, waits for the end, and returns the lines that were written. */
async function written(
  lines: Iterable<string> | AsyncIterable<string>,
  post: PostMessage,
  {
    signal = new AbortController().signal,
    patience = () => new Promise<never>(() => undefined),
    warn = (): void => undefined,
    write = (): void => undefined,
  }: {
    readonly signal?: AbortSignal
    readonly patience?: () => Promise<unknown>
    readonly warn?: (text: string) => void
    readonly write?: (line: Content) => void
  } = {},
): Promise<Content[]> {
  const out: Content[] = []
  await bridge({
    lines: each(lines),
    post,
    write: (line) => {
      out.push(JSON.parse(line))
      write(JSON.parse(line))
    },
    warn,
    signal,
    patience,
  })
  return out
}

async function* each(lines: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  yield* lines
}

async function worldPost(): Promise<PostMessage> {
  const world = createMcpWorld()
  const key = await keyOf(world)
  return ({ body, headers, signal }) =>
    world.clock.runUntil(
      world.platform.fetch(
        new Request('http://localhost/mcp', {
          method: 'POST',
          headers: { ...headers, 'x-api-key': key },
          body,
          signal,
        }),
      ),
    )
}

const line = (id: number | null, method: string, params: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', ...(id !== null && { id }), method, params })
const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const url = 'https://pens.example.com/ink'

test('messages of both eras pass; each request has one answer, and a notification has none', async () => {
  const client = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'a', version: '1' },
  }
  const answers = await written(
    [
      line(1, 'initialize', client),
      line(null, 'notifications/initialized'),
      '',
      line(2, 'tools/list'),
      line(3, 'tools/call', { name: 'fetch', arguments: { url } }),
      line(4, 'server/discover', { _meta: MODERN }),
      line(5, 'tools/call', { name: 'fetch', arguments: { url }, _meta: MODERN }),
    ],
    await worldPost(),
  )
  const results = Object.fromEntries(answers.map(({ id, result }) => [id, result]))
  expect(answers).toHaveLength(5)
  expect(results).toMatchObject({
    1: { serverInfo: { name: 'seine' }, protocolVersion: '2025-11-25' },
    3: { structuredContent: { title: 'Ink' } },
    4: { supportedVersions: ['2026-07-28'] },
    5: { resultType: 'complete', structuredContent: { title: 'Ink' } },
  })
})

test('the version that the handshake agreed on is repeated in the header that HTTP has for it', async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  const headers: Record<string, string | undefined> = {}
  const worldsPost = await worldPost()
  const post: PostMessage = (message) => {
    headers[JSON.parse(message.body).id] = message.headers['mcp-protocol-version']
    return worldsPost(message)
  }
  const client = { capabilities: {}, clientInfo: { name: 'a', version: '1' } }
  async function* lines(): AsyncGenerator<string> {
    yield line(1, 'initialize', { ...client, protocolVersion: '2025-06-18' })
    await answered
    yield line(2, 'tools/list')
    yield line(3, 'server/discover', { _meta: MODERN })
  }
  const answers = await written(lines(), post, { write: ({ id }) => id === 1 && answer() })
  expect(headers).toEqual({ 1: undefined, 2: '2025-06-18', 3: '2026-07-28' })
  // Members of later versions are not sent to a client of this one.
  expect(JSON.stringify(answers.find(({ id }) => id === 2))).not.toContain('"icons"')
})

test('a name that cannot be in a header is encoded as the protocol says', async () => {
  const [answer] = await written(
    [line(1, 'tools/call', { name: 'späh', arguments: {}, _meta: MODERN })],
    await worldPost(),
  )
  expect(answer).toMatchObject({ id: 1, error: { code: -32_602, message: 'Unknown tool: späh' } })
})

test('a request is answered with an error where HTTP refuses it, another server answers, or none does', async () => {
  const warned: string[] = []
  const warn = (text: string): void => void warned.push(text)
  const ask = (post: PostMessage) =>
    written([line(7, 'tools/list'), line(null, 'notifications/initialized')], post, { warn })
  const error = { jsonrpc: '2.0', id: null, error: { code: -32_000, message: 'No such key' } }
  expect(await ask(async () => Response.json(error, { status: 401 }))).toEqual([
    { ...error, id: 7 },
  ])
  expect(warned).toEqual(['No such key'])
  const html = { status: 404, headers: { 'content-type': 'text/html' } }
  expect(await ask(async () => new Response('<p>', html))).toMatchObject([
    { id: 7, error: { message: "The server answered 404; is it Seine's address?" } },
  ])
  const serverGone = async (): Promise<Response> => {
    throw new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') })
  }
  expect(await ask(serverGone)).toMatchObject([
    { id: 7, error: { message: 'The server does not answer: ECONNREFUSED' } },
  ])
})

test('a line that is not a message is reported, and the next line is read', async () => {
  const answers = await written(['{', line(1, 'tools/list')], await worldPost())
  expect(answers[0]).toMatchObject({ id: null, error: { code: -32_700 } })
  expect(answers[1]).toMatchObject({ id: 1, result: {} })
})

/** Calls that last until they are aborted. */
function endless() {
  const aborted: string[] = []
  const post: PostMessage = ({ body, signal }) =>
    body.includes('notifications/')
      ? Promise.resolve(new Response(null, { status: 202 }))
      : new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            aborted.push(String(JSON.parse(body).id))
            reject(new Error('aborted'))
          })
        })
  return { aborted, post }
}

test('a cancelled call ends without an answer, and other calls go on', async () => {
  const { aborted, post } = endless()
  const { promise: enough, resolve: giveUp } = Promise.withResolvers<null>()
  const lines = [
    line(1, 'tools/call'),
    line(2, 'tools/call'),
    line(null, 'notifications/cancelled', { requestId: 1 }),
  ]
  const ended = written(lines, post, { patience: () => enough })
  await expect.poll(() => aborted).toEqual(['1'])
  giveUp(null)
  expect(await ended).toEqual([])
  expect(aborted).toEqual(['1', '2'])
})

test('a signal ends all calls at once; too many calls at the same time are refused', async () => {
  const { aborted, post } = endless()
  const stop = new AbortController()
  const lines = Array.from({ length: 65 }, (_, id) => line(id, 'tools/call'))
  const ended = written(lines, post, { signal: stop.signal, write: () => stop.abort() })
  expect(await ended).toMatchObject([{ id: 64, error: { code: -32_000 } }])
  expect(aborted).toHaveLength(64)
})

test('bytes become lines wherever chunks are cut, and a line that is too long is not a message', async () => {
  const bytes = new TextEncoder().encode('{"a":"é"}\r\n\n"xxxxxxxxxxxxxxxxxx"\nlast')
  const cut = async (size: number): Promise<string[]> => {
    async function* chunks(): AsyncGenerator<Uint8Array> {
      for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
    }
    const lines: string[] = []
    for await (const one of linesOf(chunks(), 12)) lines.push(one)
    return lines
  }
  for (const size of [1, 3, 1_000]) {
    const [first, empty, long = '', last, ...more] = await cut(size)
    expect([first, empty, last, more]).toEqual(['{"a":"é"}\r', '', 'last', []])
    expect(() => JSON.parse(long)).toThrow(SyntaxError)
  }
})
