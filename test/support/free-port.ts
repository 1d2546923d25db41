import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * From here on, below what systems give to connections by themselves: none of those can take the
 * port before its server has it.
 */
const FIRST = 20_000
const PORTS = 10_000
/** Each process begins elsewhere. */
const APART = 16

let tries = 0

/** A port that nobody has, for a server that cannot choose one itself. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + ((process.pid * APART + tries++) % PORTS)
    const server = createServer()
    // On all addresses, as what asks may mean any of them.
    const isFree = await new Promise<boolean>((resolve) =>
      server.once('error', () => resolve(false)).listen(port, () => resolve(true)),
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
