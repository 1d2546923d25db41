import { createServer, type OutgoingHttpHeaders, type ServerResponse } from 'node:http'
import { parseArgs } from 'node:util'
import { createShop } from './shop.ts'

// The generated shop as a process of its own, rendered before it says that it listens, so that
// serving costs a map lookup and a write. `node bench/site.ts [--products 5000] [--seed S]
// [--latency MS] [--port N]`
const { values } = parseArgs({
  options: {
    products: { type: 'string', default: '5000' },
    seed: { type: 'string', default: 'seine' },
    latency: { type: 'string', default: '0' },
    port: { type: 'string', default: '0' },
  },
})
const shop = createShop({ seed: values.seed, products: Number(values.products) })
const latency = Number(values.latency)

const pages = new Map<string, { readonly headers: OutgoingHttpHeaders; readonly body: Buffer }>()
const fresh = () => ({
  requests: 0,
  missing: 0,
  bytes: 0,
  connections: 0,
  inFlight: 0,
  maxInFlight: 0,
  cpu: process.cpuUsage(),
  seen: new Set<string>(),
})
let stats = fresh()

const server = createServer({ keepAliveTimeout: 60_000, noDelay: true }, (request, response) => {
  const path = request.url ?? '/'
  if (path.startsWith('/__')) return about(path, response)
  stats.requests++
  stats.seen.add(path)
  stats.maxInFlight = Math.max(stats.maxInFlight, ++stats.inFlight)
  response.once('close', () => stats.inFlight--)
  if (latency > 0) setTimeout(serve, latency, path, response)
  else serve(path, response)
})
server.on('connection', () => stats.connections++)
server.listen(Number(values.port), '127.0.0.1', 1024, () => {
  const address = server.address()
  if (address === null || typeof address === 'string')
    throw new Error('The site has no TCP address')
  const origin = `http://127.0.0.1:${address.port}`
  for (const { path, type, body } of shop.pages(origin)) {
    const bytes = Buffer.from(body)
    pages.set(path, {
      headers: { 'content-type': type, 'content-length': bytes.length },
      body: bytes,
    })
  }
  process.stdout.write(`${JSON.stringify({ origin, crawlPages: shop.crawlPages })}\n`)
})
process.once('disconnect', () => process.exit(0))

function serve(path: string, response: ServerResponse): void {
  const page = pages.get(path)
  if (!page) {
    stats.missing++
    response.writeHead(404, { 'content-type': 'text/plain' }).end('No such page')
    return
  }
  stats.bytes += page.body.length
  response.writeHead(200, page.headers).end(page.body)
}

function about(path: string, response: ServerResponse): void {
  const answer = (type: string, body: string) =>
    void response.writeHead(200, { 'content-type': type }).end(body)
  if (path === '/__expected.jsonl')
    return answer(
      'application/x-ndjson',
      shop.rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
    )
  if (path === '/__paths.json')
    return answer('application/json', JSON.stringify(Array.from(pages.keys())))
  if (path === '/__reset') stats = fresh()
  const { cpu, seen, ...counts } = stats
  const used = process.cpuUsage(cpu)
  answer(
    'application/json',
    JSON.stringify({ ...counts, unique: seen.size, cpuSeconds: (used.user + used.system) / 1e6 }),
  )
}
