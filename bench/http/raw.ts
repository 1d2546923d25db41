import { once } from 'node:events'
import { createServer } from 'node:http'
import { answer, createBareWork } from './bare-work.ts'
import { contend } from './contender.ts'

const PATH = '/api/v1/tasks/'

await contend(async (path) => {
  const work = createBareWork(path)
  const server = createServer((req, res) => {
    const target = req.url ?? '/'
    if (req.method !== 'GET' || !target.startsWith(PATH)) return void res.writeHead(404).end()
    const key = req.headers['x-api-key']
    void answer(
      work,
      typeof key === 'string' ? key : undefined,
      target.slice(PATH.length),
      req.headers['x-request-id'],
    ).then(({ status, headers, body }) => {
      const text = JSON.stringify(body)
      headers['Content-Length'] = String(Buffer.byteLength(text))
      res.writeHead(status, headers).end(text)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string')
    throw new Error('The server has no TCP address')
  return address.port
})
