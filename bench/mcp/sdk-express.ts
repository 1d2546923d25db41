import { once } from 'node:events'
import { createServer } from 'node:http'
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { contend } from './contender.ts'
import { exampleServer } from './example-server.ts'
import { KEY } from './tool.ts'

// The same example as it is: Express, and a stream of events as the answer.
await contend(async () => {
  const app = createMcpExpressApp()
  app.post('/mcp', (req, res) => {
    if (req.headers.authorization !== `Bearer ${KEY}`) return void res.writeHead(401).end()
    const mcp = exampleServer()
    const transport = new StreamableHTTPServerTransport({})
    res.on('close', () => {
      void transport.close()
      void mcp.close()
    })
    void mcp.connect(transport).then(() => transport.handleRequest(req, res, req.body))
  })
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string')
    throw new Error('The server has no TCP address')
  return { port: address.port, secret: KEY }
})
