import { Protocol } from '@modelcontextprotocol/sdk/shared/protocol.js'
import {
  CallToolRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  InitializeRequestSchema,
  JSONRPCMessageSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
  isInitializeRequest,
  isJSONRPCRequest,
  LATEST_PROTOCOL_VERSION,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js'
import type {
  JSONRPCErrorResponse,
  ServerCapabilities,
  ServerNotification,
  ServerRequest,
  ServerResult,
} from '@modelcontextprotocol/sdk/types.js'
import { APPS, knowsApps } from './context/mcp-app.ts'
import { getPrompt, listPrompts } from './context/prompts.ts'
import { listResources, listResourceTemplates, readResource } from './context/resources.ts'
import type { ReadService } from './context/resources.ts'
import type { PostTransport } from './post-transport.ts'
import { invalid } from './read-message.ts'
import type { Message, Messages, NoMessage } from './read-message.ts'
import { isError } from './tool-calls.ts'
import type { ToolCalls } from './tool-calls.ts'
import { INFO, INSTRUCTIONS } from './server-facts.ts'

/**
 * The SDK's own server imports Ajv, which checks answers to requests of the server. This server
 * sends no requests, so it needs no capability of a client. A message with `task` is answered like
 * one without.
 */
class Server extends Protocol<ServerRequest, ServerNotification, ServerResult> {
  protected override assertCapabilityForMethod(): void {}
  protected override assertNotificationCapability(): void {}
  protected override assertRequestHandlerCapability(): void {}
  protected override assertTaskCapability(): void {}
  protected override assertTaskHandlerCapability(): void {}
}

/** Returns why messages are refused; `null`: they are accepted. */
export function refuseMessages({ messages, isBatch }: Messages): NoMessage | null {
  if (!messages.every(({ tool, value }) => tool || JSONRPCMessageSchema.safeParse(value).success))
    return invalid('this is not a message of JSON-RPC 2.0')
  return isBatch && messages.length > 1 && messages.some(({ value }) => isInitializeRequest(value))
    ? invalid('initialize must be sent alone')
    : null
}

/**
 * Returns a function that passes a message to the SDK, which answers through the transport. It
 * handles the handshake and all messages except plain tool calls.
 */
export async function connectServer({
  transport,
  calls,
  capabilities,
  read,
  opening,
  onError,
}: {
  readonly transport: PostTransport
  readonly calls: ToolCalls
  readonly capabilities: ServerCapabilities
  /** Absent: there are no prompts and no resources. */
  readonly read: ReadService | undefined
  /** The messages of the POST. A handshake among them contains the client's capabilities. */
  readonly opening: readonly Message[]
  readonly onError: (error: unknown) => void
}): Promise<(value: unknown) => void> {
  const server = new Server()
  Object.assign(server, { onerror: onError })
  server.setRequestHandler(InitializeRequestSchema, ({ params: { protocolVersion: version } }) => ({
    protocolVersion: SUPPORTED_PROTOCOL_VERSIONS.includes(version)
      ? version
      : LATEST_PROTOCOL_VERSION,
    capabilities: {
      tools: {},
      ...(read && { prompts: {}, resources: {} }),
      ...(read && opening.some(saysApps) && { extensions: { [APPS]: {} } }),
      ...capabilities,
    },
    serverInfo: INFO,
    instructions: INSTRUCTIONS,
  }))
  server.setRequestHandler(ListToolsRequestSchema, async () => {
    const tools = await calls.list()
    if (isError(tools)) throw Object.assign(new Error(tools.message), { code: tools.code })
    return { tools: [...tools] }
  })
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { requestId }) => {
    const { _meta: meta, name, arguments: args } = params
    const call = { name, args, progressToken: meta?.progressToken ?? null }
    const called = await calls.call(requestId, call)
    if (isError(called)) throw Object.assign(new Error(called.message), { code: called.code })
    return called
  })
  // Each call has its own server, so no log level is stored.
  if (capabilities.logging) server.setRequestHandler(SetLevelRequestSchema, () => ({}))
  if (read) addContext(server, read)
  await server.connect(transport)
  return (value) => {
    // The SDK would answer with an error text of its schema library, as a failure of the server.
    const wrong = invalidParams(value)
    if (wrong) void transport.send(wrong)
    else transport.receive(value)
  }
}

/** True for a handshake of a client that shows pages of MCP Apps. */
function saysApps({ value }: Message): boolean {
  return isInitializeRequest(value) && knowsApps(value.params.capabilities)
}

/** Prompts and resources, which are the same in both eras. */
function addContext(server: Server, read: ReadService): void {
  server.setRequestHandler(ListPromptsRequestSchema, listPrompts)
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) =>
    getPrompt(params.name, params.arguments),
  )
  server.setRequestHandler(ListResourcesRequestSchema, () => listResources(read))
  server.setRequestHandler(ListResourceTemplatesRequestSchema, listResourceTemplates)
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) =>
    readResource(read, params.uri),
  )
}

function invalidParams(value: unknown): JSONRPCErrorResponse | null {
  if (!isJSONRPCRequest(value)) return null
  const { id, method } = value
  const definition = METHODS.get(method)
  return !definition || definition.schema.safeParse(value).success
    ? null
    : {
        jsonrpc: '2.0',
        id,
        error: {
          code: ErrorCode.InvalidParams,
          message: `Invalid params: ${method} takes ${definition.takes}`,
        },
      }
}

/** The methods that the SDK answers here, and their required parameters. */
const METHODS = new Map([
  [
    'initialize',
    {
      schema: InitializeRequestSchema,
      takes: 'protocolVersion, capabilities, and clientInfo with name and version',
    },
  ],
  ['tools/call', { schema: CallToolRequestSchema, takes: 'a name, and arguments as an object' }],
  ['tools/list', { schema: ListToolsRequestSchema, takes: 'a cursor as a text, or nothing' }],
  [
    'prompts/get',
    { schema: GetPromptRequestSchema, takes: 'a name, and arguments that are texts' },
  ],
  ['resources/read', { schema: ReadResourceRequestSchema, takes: 'a uri' }],
])
