import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * The first port. It is below the ports that systems assign to connections, so no connection can
 * take the port before its server.
 */
const FIRST = 20_000
const PORTS = 10_000
/** Each process begins at another port. */
const APART = 16

let tries = 0

/** A free port, for a server that cannot choose one itself. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + ((process.pid * APART + tries++) % PORTS)
    const server = createServer()
    // On all addresses, as the caller may use any of them.
    const isFree = await new Promise<boolean>((resolve) =>
      server.once('error', () => resolve(false)).listen(port, () => resolve(true)),
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
