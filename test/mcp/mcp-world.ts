import { setImmediate as turn } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { ClientCapabilities } from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js'
import type {
  JsonSchemaType,
  JsonSchemaValidator,
  jsonSchemaValidator,
} from '@modelcontextprotocol/sdk/validation/types.js'
import type { Principal } from '../../src/kernel/http/route.ts'
import { OWNER, createWorld } from '../support/worlds/world.ts'
import type { World } from '../support/worlds/world.ts'

const ENDPOINT = 'http://localhost/mcp'
/** The protocol without a handshake. */
const MODERN = '2026-07-28'
/** The extension for tasks. */
export const TASKS = 'io.modelcontextprotocol/tasks'
/** The capabilities of a client that knows tasks. */
export const KNOWS_TASKS = { extensions: { [TASKS]: {} } }

/** Turns of the event loop in which what is waited for comes, unless there is work elsewhere. */
const MOST_TURNS = 1_000
/** Rests of everything after which it counts as never coming. */
const MOST_RESTS = 1_000

/** Resolves when something holds. Rejects where it never will; no time passes for that. */
export async function until(
  { clock }: Pick<World, 'clock'>,
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  for (let polls = 0; !(await holds()); polls++) {
    if (polls > MOST_TURNS + MOST_RESTS)
      throw new Error(`This never comes to hold: ${holds.toString()}`)
    await (polls < MOST_TURNS ? turn() : clock.advance(0))
  }
}

/** A web with two articles and a page that is not to be visited. */
export const PAGES = {
  'https://pens.example.com/':
    '<html lang="en"><title>Fountain pens</title><main><h1>Fountain pens</h1>' +
    '<p>A fountain pen holds its ink in the barrel, and a nib leads it to the paper.</p>' +
    '<a href="/ink">Ink</a></main></html>',
  'https://pens.example.com/ink':
    '<title>Ink</title><main><h1>Ink</h1><p>Ink for pens is mostly water with dyes, and ' +
    'dries on the paper within seconds.</p></main>',
  'https://closed.example.com/robots.txt': {
    headers: { 'content-type': 'text/plain' },
    body: 'User-agent: *\nDisallow: /',
  },
} as const

/** A world with the pages above, or others. */
export function createMcpWorld(pages: Parameters<typeof createWorld>[0] = PAGES): World {
  return createWorld(pages)
}

/** An API key with these scopes. */
export async function keyOf(
  { platform }: World,
  scopes: readonly string[] = ['mcp:*'],
  account: Principal = OWNER,
): Promise<string> {
  return (await platform.api.keys.create(account, { name: 'agent', scopes })).secret
}

/** Sends a message of a client without the SDK. */
export function post(
  message: unknown,
  headers: Record<string, string> = {},
  url = ENDPOINT,
): Request {
  return new Request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  })
}

/** A call of a tool as a message. */
export function callOf(name: string, args: object, id: number = 1): object {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }
}

/** The same in the era without a handshake. */
export function modernCallOf(name: string, args: object): object {
  return {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args, _meta: metaOf({}) },
  }
}

/** The facts of its client in each request of that era. */
function metaOf(capabilities: object): object {
  return {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  }
}

/** A request in the era without a handshake. */
export function modernRequest(
  key: string,
  method: string,
  params: Readonly<Record<string, unknown>>,
  {
    id = 1,
    capabilities = {},
    headers = {},
    url,
  }: {
    readonly id?: number | string
    readonly capabilities?: object
    readonly headers?: object
    readonly url?: string
  } = {},
): Request {
  const { name = params['uri'] ?? params['taskId'] } = params
  return post(
    { jsonrpc: '2.0', id, method, params: { ...params, _meta: metaOf(capabilities) } },
    {
      'x-api-key': key,
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
      ...headers,
    },
    url,
  )
}

/** Sends a request in the era without a handshake. */
export async function asker(
  world: World,
  scopes?: readonly string[],
  fetch: (request: Request) => Promise<Response> = world.platform.fetch,
  capabilities: object = {},
) {
  const key = await keyOf(world, scopes)
  return async (method: string, params: Record<string, unknown> = {}) => {
    const request = modernRequest(key, method, params, { capabilities })
    return (await world.clock.runUntil(fetch(request))).json()
  }
}

/**
 * The validators of the official client. It compiles the schema of each tool in each list, and a
 * compiled one takes as long as a test: here each is compiled once, whoever lists it.
 */
class CompiledOnce implements jsonSchemaValidator {
  readonly #ajv = new AjvJsonSchemaValidator()
  readonly #compiled = new Map<string, JsonSchemaValidator<unknown>>()

  getValidator<T>(schema: JsonSchemaType): JsonSchemaValidator<T>
  getValidator(schema: JsonSchemaType): JsonSchemaValidator<unknown> {
    const text = JSON.stringify(schema)
    const validator = this.#compiled.get(text) ?? this.#ajv.getValidator(schema)
    this.#compiled.set(text, validator)
    return validator
  }
}
const VALIDATORS = new CompiledOnce()

/** The official client, connected. */
export async function connect(
  fetch: (request: Request) => Promise<Response>,
  key: string,
  capabilities: ClientCapabilities = {},
): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities, jsonSchemaValidator: VALIDATORS },
  )
  await client.connect(
    new StreamableHTTPClientTransport(new URL(ENDPOINT), {
      fetch: async (url, init) => fetch(new Request(url, init)),
      requestInit: { headers: { Authorization: `Bearer ${key}` } },
    }),
  )
  return client
}
