import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { contend } from './contender.ts'
import { exampleServer } from './example-server.ts'
import { KEY } from './tool.ts'

// The SDK as its own example of a server without sessions has it (simpleStatelessStreamableHttp):
// a server and a transport for each request, which gets the parsed body, and both are closed with
// the answer. In its favour: JSON in place of a stream of events, node:http in place of Express.
await contend(async () => {
  const server = createServer((req, res) => {
    if (req.headers.authorization !== `Bearer ${KEY}`) return void res.writeHead(401).end()
    void bodyOf(req).then(async (body) => {
      const mcp = exampleServer()
      const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
      res.on('close', () => {
        void transport.close()
        void mcp.close()
      })
      await mcp.connect(transport)
      await transport.handleRequest(req, res, body)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string')
    throw new Error('The server has no TCP address')
  return { port: address.port, secret: KEY }
})

async function bodyOf(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(req, 'end')
  return JSON.parse(Buffer.concat(chunks).toString())
}
