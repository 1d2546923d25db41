import { createServer } from 'node:http'
import { benchPages } from './pages.ts'

// The site of `seine bench`, as a process of its own, so that serving it costs the measured process
// nothing: `bench-site.js <pages> <latency in ms>`. It sends its origin to the process that forked
// it, and ends with it.
const [count = 0, latencyMs = 0] = process.argv.slice(2).map(Number)
const pages = new Map(benchPages(count).map(({ path, html }) => [path, Buffer.from(html)]))

const server = createServer({ keepAliveTimeout: 60_000, noDelay: true }, (request, response) => {
  const page = pages.get(request.url ?? '')
  const answer = (): void => {
    if (page)
      response
        .writeHead(200, {
          'content-type': 'text/html; charset=utf-8',
          'content-length': page.length,
        })
        .end(page)
    else response.writeHead(404, { 'content-type': 'text/plain' }).end('Page not found')
  }
  if (latencyMs > 0) setTimeout(answer, latencyMs)
  else answer()
})
process.once('disconnect', () => process.exit(0))
server.listen(0, '127.0.0.1', 1_024, () => {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The site has no port')
  process.send?.(`http://127.0.0.1:${address.port}`)
})
