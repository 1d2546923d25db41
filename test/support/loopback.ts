import { createServer } from 'node:http'
import type { RequestListener, Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createTcpServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { readFileSync } from 'node:fs'

/** A server on 127.0.0.1 with a port of its own, which ends with the `using` block. */
export interface Loopback extends AsyncDisposable {
  readonly port: number
  /** Without a slash at the end. */
  readonly origin: string
  /** Connections accepted so far. */
  readonly connections: number
}

/** Serves HTTP. */
export function serveHttp(listener: RequestListener): Promise<Loopback> {
  return listen(createServer(listener), 'http')
}

/** The certificate of {@link serveHttps}, for `site.test` and 127.0.0.1, signed by itself. */
export const testCertificate = readFileSync(
  new URL('../fixtures/tls/cert.pem', import.meta.url),
  'utf8',
)

/** Serves HTTPS. */
export function serveHttps(listener: RequestListener): Promise<Loopback> {
  const key = readFileSync(new URL('../fixtures/tls/key.pem', import.meta.url), 'utf8')
  return listen(createTlsServer({ key, cert: testCertificate }, listener), 'https')
}

/**
 * Serves raw bytes that a correct HTTP server would not send. `onHead` is called for each request
 * head.
 */
export function serveRaw(onHead: (socket: Socket, nth: number) => void): Promise<Loopback> {
  let nth = 0
  const server = createTcpServer((socket) => {
    let seen = ''
    socket.on('error', () => undefined)
    socket.on('data', (data) => {
      seen += data.toString('latin1')
      while (seen.includes('\r\n\r\n')) {
        seen = seen.slice(seen.indexOf('\r\n\r\n') + 4)
        onHead(socket, ++nth)
      }
    })
  })
  return listen(server, 'http')
}

async function listen(
  server: Server | ReturnType<typeof createTcpServer>,
  scheme: string,
): Promise<Loopback> {
  const sockets = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const port = portOf(server.address())
  return {
    port,
    origin: `${scheme}://127.0.0.1:${port}`,
    get connections() {
      return connections
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('The server has no port')
  return address.port
}

/** Serves any protocol of TCP. */
export function listenTcp(onConnection: (socket: Socket) => void): Promise<Loopback> {
  return listen(createTcpServer(onConnection), 'tcp')
}
