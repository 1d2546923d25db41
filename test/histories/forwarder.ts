import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { Socket } from 'node:net'
import { freePort } from '../support/free-port.ts'

/** One address for a server that moves, like that of a balancer. */
export interface Forwarder {
  readonly port: number
  /** Connections lead there from now on; those to another server are cut. */
  lead(port: number): void
  close(): Promise<void>
}

/** Starts one that leads nowhere yet. */
export async function startForwarder(): Promise<Forwarder> {
  let target = 0
  const sockets = new Set<Socket>()
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.once('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  const port = await freePort()
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    port,
    lead(next) {
      if (next !== target) cut()
      target = next
    },
    async close() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
