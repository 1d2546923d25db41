import { once } from 'node:events'
import { createServer } from 'node:http'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { z } from 'zod'
import { contend } from './contender.ts'
import { ANSWER, KEY, TOOL } from './tool.ts'

// The SDK as its own examples of servers without sessions have it: an McpServer with a tool of a
// zod schema, made for each request with all its defaults, and the transport for node:http, which
// parses the body. JSON answers, and no Express, in its favour.
await contend(async () => {
  const server = createServer((req, res) => {
    if (req.headers.authorization !== `Bearer ${KEY}`) return void res.writeHead(401).end()
    const mcp = new McpServer({ name: 'bench', version: '1' })
    mcp.registerTool(
      TOOL.name,
      { description: TOOL.description, inputSchema: { query: z.string().max(500) } },
      async () => ({
        structuredContent: { ...ANSWER },
        content: [{ type: 'text', text: JSON.stringify(ANSWER) }],
      }),
    )
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
    void mcp.connect(transport).then(() => transport.handleRequest(req, res))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string')
    throw new Error('The server has no TCP address')
  return { port: address.port, secret: KEY }
})
