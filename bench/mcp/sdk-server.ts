import { serve } from '@hono/node-server'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { KEY, TOOL } from './tool.ts'

/** How an SDK server is set up. */
export interface SdkOptions {
  /** Reads the body itself, which is faster than the transport's own reading. */
  readonly parsed: boolean
  /** The work of the tool. */
  readonly body: (args: Record<string, unknown>) => Promise<object>
}

const jsonSchemaValidator = {
  getValidator: () => () => ({ valid: false as const, data: undefined, errorMessage: 'none' }),
}

/**
 * The SDK's Streamable HTTP on node:http, set up in its favour: no sessions, JSON answers, the
 * low-level server, no schema validator made for each request (which costs more than the rest), a
 * constant instead of a table of keys.
 */
export async function serveSdk({
  parsed,
  body,
}: SdkOptions): Promise<{ port: number; secret: string }> {
  const fetch = async (request: Request): Promise<Response> => {
    if (request.headers.get('authorization') !== `Bearer ${KEY}`)
      return new Response(null, { status: 401 })
    const server = new Server(
      { name: 'bench', version: '1' },
      { capabilities: { tools: {} }, jsonSchemaValidator },
    )
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [TOOL] }))
    server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
      const result = { ...(await body(params.arguments ?? {})) }
      return {
        structuredContent: result,
        content: [{ type: 'text', text: JSON.stringify(result) }],
      }
    })
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    await server.connect(transport)
    return transport.handleRequest(
      request,
      parsed ? { parsedBody: JSON.parse(await request.text()) } : {},
    )
  }
  return new Promise((resolve) => {
    serve({ fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve({ port, secret: KEY }))
  })
}
