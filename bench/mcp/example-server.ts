import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { z } from 'zod'
import { ANSWER, TOOL } from './tool.ts'

/** The server of the SDK's example, with the tool of this measurement: made for each request. */
export function exampleServer(): McpServer {
  const mcp = new McpServer({ name: 'bench', version: '1' })
  mcp.registerTool(
    TOOL.name,
    { description: TOOL.description, inputSchema: { query: z.string().max(500) } },
    async () => ({
      structuredContent: { ...ANSWER },
      content: [{ type: 'text', text: JSON.stringify(ANSWER) }],
    }),
  )
  return mcp
}
