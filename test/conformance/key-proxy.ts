import { once } from 'node:events'
import { createServer, request } from 'node:http'

/** A proxy on loopback. */
export interface KeyProxy {
  readonly url: string
  close(): void
}

/** Passes everything on unchanged, and adds an API key: the conformance suite has no option for one. */
export async function startKeyProxy(target: string, key: string): Promise<KeyProxy> {
  const { hostname, port } = new URL(target)
  const server = createServer((req, res) => {
    const passed = request(
      {
        hostname,
        port,
        method: req.method,
        path: req.url,
        headers: { ...req.headers, 'x-api-key': key },
      },
      (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(res)
      },
    )
    passed.on('error', () => res.destroy())
    res.on('close', () => passed.destroy())
    req.pipe(passed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string')
    throw new Error('The proxy has no TCP address')
  return {
    url: `http://localhost:${address.port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
