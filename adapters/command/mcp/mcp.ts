import { Console } from 'node:console'
import { setTimeout as after } from 'node:timers/promises'
import type { McpOptions } from 'seine'
import { CONNECTION_FLAGS, openPlatform, serverOf } from '../api/connection.ts'
import type { ConnectionFlags } from '../api/connection.ts'
import { MCP_HELP } from '../help.ts'
import { listenForInterrupt } from '../interrupt.ts'
import { tools as kindOfTools, valueOf } from '../settings/kinds.ts'
import type { Environment } from '../settings/read-settings.ts'
import { linesOf } from './lines.ts'
import { bridge } from './stdio-bridge.ts'
import type { PostMessage } from './stdio-bridge.ts'
import { parseFlags } from '../settings/parse-flags.ts'

/**
 * Maximum number of characters of a message. It is the endpoint's limit, for characters of one
 * byte.
 */
const LONGEST = 1_048_576
/** How long calls may still run after the client has closed its end, in ms. */
const PATIENCE_MS = 10_000

/** An MCP endpoint, and the function that closes it. */
interface Endpoint {
  readonly post: PostMessage
  close(): Promise<void>
}

/** `seine mcp`: the tools for agents over stdin and stdout, until the client closes stdin. */
export async function mcp(args: string[]): Promise<number> {
  const { values } = parseFlags('mcp', {
    args,
    options: {
      ...CONNECTION_FLAGS,
      tools: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  const { help, tools, ...flags } = values
  if (help) return (void process.stdout.write(MCP_HELP), 0)
  const choice = toolsOf(tools)
  // Stdout must contain only messages of the protocol, even if a configuration file prints.
  globalThis.console = new Console(process.stderr, process.stderr)
  const interrupt = listenForInterrupt()
  const endpoint = await endpointOf(flags, choice, process.env)
  // Reading stdin would keep the process alive.
  interrupt.signal.addEventListener('abort', () => process.stdin.destroy(), { once: true })
  const done = new AbortController()
  try {
    await bridge({
      lines: linesOf(stdin(interrupt.signal), LONGEST),
      post: endpoint.post,
      write: (line) => void process.stdout.write(`${line}\n`),
      warn: (text) => void process.stderr.write(`seine mcp: ${text}\n`),
      signal: interrupt.signal,
      patience: () => after(PATIENCE_MS, undefined, { signal: done.signal }).catch(() => undefined),
    })
    return 0
  } finally {
    done.abort()
    await endpoint.close()
    interrupt.release()
  }
}

/** Stdin, which ends when it is destroyed. */
async function* stdin(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of process.stdin) yield chunk
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** @throws {CommandError} for a text without names; the endpoint checks the names */
function toolsOf(text: string | undefined): McpOptions['tools'] {
  // A connector may pass on a setting that its user has left empty.
  if (text === undefined || text === '') return undefined
  return valueOf('--tools', kindOfTools('<names>'), text)
}

/** The endpoint of a server elsewhere, or of the data that is named here, with a worker for it. */
async function endpointOf(
  flags: ConnectionFlags,
  tools: McpOptions['tools'],
  env: Environment,
): Promise<Endpoint> {
  const server = serverOf(flags, env)
  if (server) {
    const query = tools === undefined ? '' : `?tools=${[tools].flat().join(',')}`
    const url = `${server.base.replace(/\/mcp$/, '')}/mcp${query}`
    return {
      post: ({ body, headers, signal }) =>
        fetch(url, {
          method: 'POST',
          headers: { ...headers, authorization: `Bearer ${server.key}` },
          body,
          signal,
        }),
      close: async () => undefined,
    }
  }
  const { platform, close } = await openPlatform(flags, env, {
    mcp: tools === undefined ? {} : { tools },
    works: true,
  })
  const stop = new AbortController()
  const work = platform.worker.run({ signal: stop.signal })
  return {
    post: ({ body, headers, signal }) =>
      platform.fetch(
        new Request('http://localhost/mcp', {
          method: 'POST',
          // Only this process reaches the platform, so any token is accepted.
          headers: { ...headers, authorization: 'Bearer stdin' },
          body,
          signal,
        }),
      ),
    async close() {
      stop.abort()
      await work
      await close()
    },
  }
}
