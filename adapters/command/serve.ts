import { createPlatform } from 'seine'
import type { Platform } from 'seine'
import { createSignInCodes } from 'seine/console'
import { serve as listen } from 'seine/node'
import { createPrometheus } from 'seine/prometheus'
import type { Prometheus } from 'seine/prometheus'
import type { NodeServer, ServeOptions } from 'seine/node'
import { CommandError, wrongUse } from './command-error.ts'
import { consoleLogger } from './console-logger.ts'
import { DEFAULT_DATA, LEASE_MS, openDataDirectory, admitKey, OWNER } from './data-directory.ts'
import { withHealth } from './health.ts'
import { SERVE_HELP } from './help.ts'
import { listenForInterrupt } from './interrupt.ts'
import { admitTokens } from './jwt-issuer.ts'
import { searchFrom } from './search-from.ts'
import { readServeFlags } from './serve-flags.ts'
import type { ServeSettings } from './serve-flags.ts'

/** `seine serve`: the HTTP API and its worker, until SIGINT or SIGTERM. */
export async function serve(args: string[]): Promise<number> {
  const settings = readServeFlags(args, process.env)
  if (settings.help) return (void process.stdout.write(SERVE_HELP), 0)
  const { key, issuer, data } = settings
  const authenticators = [
    ...(key === undefined ? [] : [admitKey(key, OWNER)]),
    ...(issuer ? [admitTokens(issuer.url, issuer.audience)] : []),
  ]
  const search = searchFrom({ ...settings.search, env: process.env })
  const codes = createSignInCodes()
  const metrics = settings.metricsPort === undefined ? null : createPrometheus()
  const platform = createPlatform({
    ...openDataDirectory(data, settings.durability),
    ...settings.platform,
    authenticators,
    ...(search && { search }),
    ...(metrics && { telemetry: metrics }),
    console: { home: true, exchange: async (code) => codes.take(code) },
    worker: { leaseMs: LEASE_MS },
    logger: consoleLogger,
  })
  try {
    const interrupt = listenForInterrupt()
    const server = await listenOrExplain({
      platform,
      fetch: withHealth(platform),
      port: settings.port,
      hostname: settings.host,
      ...settings.proxies,
    })
    const metricsServer = metrics && (await serveMetrics(metrics, settings, server))
    process.stdout.write(`listening ${server.url}\n`)
    if (metricsServer) process.stdout.write(`metrics ${metricsServer.url}/metrics\n`)
    const url = String(settings.platform.publicUrl ?? server.url)
    const newKey = key === undefined ? await developmentKey(platform) : null
    const shared = key ?? newKey
    process.stdout.write(
      `console ${url}/console${shared === null ? '' : `#code=${codes.issue(shared)}`}\n` +
        waysToUse(url, newKey, key !== undefined, data),
    )
    await interrupted(interrupt.signal)
    process.stderr.write('Closing; a second signal ends at once.\n')
    await Promise.all([server.close(), metricsServer?.close()])
    return 0
  } finally {
    await platform.close()
  }
}

/** Serves metrics on a port of its own, which a host may keep from strangers. */
async function serveMetrics(
  { fetch }: Prometheus,
  { metricsPort, host }: ServeSettings,
  server: NodeServer,
): Promise<NodeServer> {
  try {
    return await listenOrExplain(
      { fetch, port: metricsPort ?? 0, hostname: host, worker: false },
      '--metrics-port',
    )
  } catch (error) {
    await server.close()
    throw error
  }
}

/** A key for a store that has none; `null` where there are keys, revoked ones included. */
async function developmentKey({ api }: Platform): Promise<string | null> {
  if ((await api.keys.list(OWNER, { limit: 1 })).items.length > 0) return null
  return (await api.keys.create(OWNER, { name: 'development', scopes: ['*'] })).secret
}

async function listenOrExplain(options: ServeOptions, flag = '--port'): Promise<NodeServer> {
  try {
    return await listen(options)
  } catch (error) {
    if (error instanceof TypeError && error.message.startsWith('trustProxy:'))
      throw wrongUse(error.message.replace('trustProxy', '--trust-proxy'))
    const code = error instanceof Error && 'code' in error ? error.code : null
    const address = `${options.hostname}:${options.port}`
    if (code === 'EADDRINUSE')
      throw new CommandError(
        `${address} is in use; choose another port with ${flag}, or ${flag} 0 for a free one`,
      )
    if (code === 'EACCES')
      throw new CommandError(
        `This user may not listen on ${address}; choose a port above 1023 with ${flag}`,
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
