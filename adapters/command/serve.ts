import { parseArgs } from 'node:util'
import { createPlatform } from 'seine'
import type { Platform } from 'seine'
import { serve as listen } from 'seine/node'
import type { NodeServer, ServeOptions } from 'seine/node'
import { CommandError, wholeNumber } from './command-error.ts'
import { consoleLogger } from './console-logger.ts'
import { DEFAULT_DATA, LEASE_MS, openDataDirectory, admitKey, OWNER } from './data-directory.ts'
import { SERVE_HELP } from './help.ts'
import { listenForInterrupt } from './interrupt.ts'
import { searchFrom } from './search-from.ts'

/** `seine serve`: the HTTP API and its worker, until SIGINT or SIGTERM. */
export async function serve(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: 'string' },
      host: { type: 'string', default: '127.0.0.1' },
      data: { type: 'string', default: DEFAULT_DATA },
      key: { type: 'string' },
      'allow-private-network': { type: 'boolean', default: false },
      'no-rate-limit': { type: 'boolean', default: false },
      'search-url': { type: 'string' },
      'search-on-private-network': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return (void process.stdout.write(SERVE_HELP), 0)
  const port = wholeNumber('--port', values.port, 0, 65_535) ?? 3000
  const authenticators = values.key === undefined ? [] : [admitKey(values.key, OWNER)]
  const search = searchFrom({
    url: values['search-url'],
    onPrivateNetwork: values['search-on-private-network'],
    env: process.env,
  })
  const platform = createPlatform({
    ...openDataDirectory(values.data),

    authenticators,
    allowPrivateNetwork: values['allow-private-network'],
    ...(values['no-rate-limit'] && { rateLimits: false }),
    ...(search && { search }),
    worker: { leaseMs: LEASE_MS },
    logger: consoleLogger,
  })
  try {
    const interrupt = listenForInterrupt()
    const server = await listenOrExplain({ platform, port, hostname: values.host })
    process.stdout.write(`listening ${server.url}\n`)
    process.stdout.write(
      waysToUse(
        server.url,
        values.key === undefined ? await developmentKey(platform) : null,
        values.key !== undefined,
        values.data,
      ),
    )
    await interrupted(interrupt.signal)
    process.stderr.write('Closing; a second signal ends at once.\n')
    await server.close()
    return 0
  } finally {
    await platform.close()
  }
}

/** A key for a store that has none; `null` where there are keys, revoked ones included. */
async function developmentKey({ api }: Platform): Promise<string | null> {
  if ((await api.keys.list(OWNER, { limit: 1 })).items.length > 0) return null
  return (await api.keys.create(OWNER, { name: 'development', scopes: ['*'] })).secret
}

async function listenOrExplain(options: ServeOptions): Promise<NodeServer> {
  try {
    return await listen(options)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    const at = `${options.hostname}:${options.port}`
    if (code === 'EADDRINUSE')
      throw new CommandError(
        `${at} is in use; choose another port with --port, or --port 0 for a free one`,
      )
    if (code === 'EACCES')
      throw new CommandError(
        `This user may not listen on ${at}; choose a port above 1023 with --port`,
      )
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new CommandError(`--host ${options.hostname} is not an address of this machine`)
    throw error
  }
}

function waysToUse(url: string, newKey: string | null, hasGivenKey: boolean, data: string): string {
  const about =
    newKey !== null
      ? `Development key, shown this once:\n  KEY=${newKey}`
      : hasGivenKey
        ? 'KEY is the key from --key.'
        : 'Keys exist already. To create another: seine keys ' +
          `create${data === DEFAULT_DATA ? '' : ` --data ${data}`}`
  return `
${about}

Create a task, run it, read its rows:
  curl ${url}/api/v1/tasks -H "X-API-Key: $KEY" -H "Content-Type: application/json" \\
    -d '{"recipe":{"start":{"urls":["https://example.com/"]},"extract":{"fields":{"title":"h1"}}}}'
  curl -X POST ${url}/api/v1/tasks/TASK_ID/executions -H "X-API-Key: $KEY"
  curl ${url}/api/v1/executions/EXECUTION_ID/results -H "X-API-Key: $KEY"
  curl -OJ "${url}/api/v1/executions/EXECUTION_ID/results/export?format=csv" -H "X-API-Key: $KEY"

For agents (MCP): ${url}/mcp
  claude mcp add --transport http seine ${url}/mcp --header "Authorization: Bearer $KEY"
`
}

function interrupted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
