import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

/** An event as it is delivered. */
export interface ReceivedEvent {
  readonly id: string
  readonly type: string
  readonly timestamp: string
  readonly data: unknown
}

/** How the example is started. */
export interface ReceiverOptions {
  readonly port?: number
  /** The `secret` that `POST /api/v1/webhooks` showed. */
  readonly secret: string
  /** Called once an event; what takes long belongs into a queue of your own. */
  readonly onEvent: (event: ReceivedEvent) => void
}

/** A receiver of webhooks: verifies each delivery and takes each event once. */
export async function start({ port = 4000, secret, onEvent }: ReceiverOptions) {
  const webhook = new Webhook(secret)
  // A delivery may come more than once. Across restarts this belongs into your database.
  const seen = new Set<string>()

  const server = createServer(async (req, res) => {
    // The signature is for these very bytes: verify before anything parses them.
    const body = await text(req)
    try {
      webhook.verify(
        body,
        Object.fromEntries(
          Object.entries(req.headers).map(([name, value]) => [name, String(value)]),
        ),
      )
    } catch {
      res.writeHead(401).end()
      return
    }
    const event: ReceivedEvent = JSON.parse(body)
    if (!seen.has(event.id)) onEvent(event)
    seen.add(event.id)
    // Any 2xx says that it arrived; everything else is tried again.
    res.writeHead(204).end()
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : port}/`,
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

if (process.argv[1] === import.meta.filename) {
  const { url } = await start({
    secret: process.env['WEBHOOK_SECRET'] ?? '',
    onEvent: ({ type, id }) => console.log(type, id),
  })
  console.log(`receiving at ${url}`)
}
