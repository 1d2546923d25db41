import { once } from 'node:events'
import { createServer } from 'node:http'
import { contend } from './contender.ts'
import { ANSWER, KEY } from './tool.ts'

// No SDK and no protocol but what one call needs: the floor of node:http and JSON.
await contend(async () => {
  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      if (req.headers.authorization !== `Bearer ${KEY}`) return void res.writeHead(401).end()
      const { id }: { id: number } = JSON.parse(Buffer.concat(chunks).toString())
      const text = JSON.stringify({
        jsonrpc: '2.0',
        id,
        result: {
          structuredContent: ANSWER,
          content: [{ type: 'text', text: JSON.stringify(ANSWER) }],
        },
      })
      res
        .writeHead(200, {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(text),
        })
        .end(text)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string')
    throw new Error('The server has no TCP address')
  return { port: address.port, secret: KEY }
})
