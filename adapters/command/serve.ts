import { parseArgs } from 'node:util'
import { createPlatform } from 'seine'
import { serve as listen, type NodeServer, type ServeOptions } from 'seine/node'
import { CommandError } from './command-error.ts'
import { consoleLogger } from './console-logger.ts'
import { DEFAULT_DATA, LEASE_MS, openDataDirectory } from './data-directory.ts'
import { admitKey } from './fixed-key.ts'
import { SERVE_HELP } from './help.ts'
import { listenForInterrupt } from './interrupt.ts'
import { OWNER } from './owner.ts'
import { wholeNumber } from './whole-number.ts'

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
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return void process.stdout.write(SERVE_HELP), 0
  const port = wholeNumber('--port', values.port, 0, 65_535) ?? 3000
  const authenticators = values.key === undefined ? [] : [admitKey(values.key, OWNER)]
  const platform = createPlatform({
    ...openDataDirectory(values.data),
    authenticators,
    allowPrivateNetwork: values['allow-private-network'],
    ...(values['no-rate-limit'] && { rateLimits: false }),
    worker: { leaseMs: LEASE_MS },
    logger: consoleLogger,
  })
  try {
    const interrupt = listenForInterrupt()
    const server = await listenOrExplain({ platform, port, hostname: values.host })
    process.stdout.write(`listening ${server.url}\n`)
    const developmentKey = values.key === undefined && (await platform.api.keys.list(OWNER, { limit: 1 })).items.length === 0
    const key = developmentKey ? (await platform.api.keys.create(OWNER, { name: 'development', scopes: ['*'] })).secret : values.key
    process.stdout.write(waysToUse(server.url, key, developmentKey, values.data))
    await interrupted(interrupt.signal)
    process.stderr.write('Closing; a second signal ends at once.\n')
    await server.close()
    return 0
  } finally {
    await platform.close()
  }
}

async function listenOrExplain(options: ServeOptions): Promise<NodeServer> {
  try {
    return await listen(options)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    const at = `${options.hostname}:${options.port}`
    if (code === 'EADDRINUSE') throw new CommandError(`${at} is in use; choose another port with --port, or --port 0 for a free one`)
    if (code === 'EACCES') throw new CommandError(`This user may not listen on ${at}; choose a port above 1023 with --port`)
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') throw new CommandError(`--host ${options.hostname} is no address of this machine`)
    throw error
  }
}

function waysToUse(url: string, key: string | undefined, isNew: boolean, data: string): string {
  const shown = key ?? 'YOUR_KEY'
  const about = isNew ? `\nDevelopment key, shown this once:\n  ${shown}\n` : key === undefined ? `\nKeys were made before; for another one: seine keys create${data === DEFAULT_DATA ? '' : ` --data ${data}`}\n` : ''
  return `${about}
Create a task, run it, read its rows:
  curl ${url}/api/v1/tasks -H "Authorization: Bearer ${shown}" -H "Content-Type: application/json" \\
    -d '{"recipe":{"start":{"urls":["https://example.com/"]},"extract":{"fields":{"title":"h1"}}}}'
  curl -X POST ${url}/api/v1/tasks/TASK_ID/executions -H "Authorization: Bearer ${shown}"
  curl ${url}/api/v1/executions/EXECUTION_ID/results -H "Authorization: Bearer ${shown}"
  curl -OJ "${url}/api/v1/executions/EXECUTION_ID/results/export?format=csv" -H "Authorization: Bearer ${shown}"
`
}

function interrupted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
