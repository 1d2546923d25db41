import { once } from 'node:events'
import { createServer, request } from 'node:http'

/** A proxy on loopback. */
export interface KeyProxy {
  readonly url: string
  close(): void
}

/** A call of a tool. */
export interface ProxiedCall {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  /** The client's answers to the questions of an earlier result. */
  readonly inputResponses?: unknown
}

/** A request through a proxy, and its answer. */
export interface Exchange {
  /** Returns the call that takes the place of another; `null`: it is passed on unchanged. */
  readonly renamed?: (call: ProxiedCall) => ProxiedCall | null
  /** Returns what takes the place of an answer in JSON. */
  readonly answered?: (body: string) => string
}

/** Passes everything on, and adds an API key: the conformance suite has no option for one. */
export async function startKeyProxy(
  target: string,
  key: string,
  { renamed = () => null, answered }: Exchange = {},
): Promise<KeyProxy> {
  const { hostname, port } = new URL(target)
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const sent = Buffer.concat(chunks)
    const { body, name } = withRenamed(sent, renamed)
    const isNamed = name !== null && req.headers['mcp-name'] === name.before
    const passed = request(
      {
        hostname,
        port,
        method: req.method,
        path: req.url,
        headers: {
          ...req.headers,
          'x-api-key': key,
          ...(body.length > 0 && { 'content-length': body.length }),
          ...(isNamed && { 'mcp-name': name.now }),
        },
      },
      async (answer) => {
        const isJson = answer.headers['content-type']?.startsWith('application/json')
        if (!answered || !isJson) {
          res.writeHead(answer.statusCode ?? 502, answer.headers)
          return void answer.pipe(res)
        }
        const parts: Buffer[] = []
        for await (const part of answer) parts.push(part)
        const { 'content-length': _, ...headers } = answer.headers
        res.writeHead(answer.statusCode ?? 502, headers)
        res.end(answered(Buffer.concat(parts).toString()))
      },
    )
    passed.on('error', () => res.destroy())
    res.on('close', () => passed.destroy())
    passed.end(body)
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

/** A body with another call in it, and the names of both. */
function withRenamed(
  sent: Buffer,
  renamed: (call: ProxiedCall) => ProxiedCall | null,
): {
  readonly body: Buffer
  readonly name: { readonly before: string; readonly now: string } | null
} {
  const unchanged = { body: sent, name: null }
  if (!sent.includes('"tools/call"')) return unchanged
  const message: { params?: Partial<ProxiedCall> } = JSON.parse(sent.toString())
  const before = message.params?.name
  if (typeof before !== 'string') return unchanged
  const call = renamed({ arguments: {}, ...message.params, name: before })
  if (call === null) return unchanged
  const body = JSON.stringify({ ...message, params: { ...message.params, ...call } })
  return { body: Buffer.from(body), name: { before, now: call.name } }
}
