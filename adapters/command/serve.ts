import type { Logger, Platform } from 'seine'
import { createSignInCodes } from 'seine/console'
import { serve as listen } from 'seine/node'
import { createPrometheus } from 'seine/prometheus'
import type { Prometheus } from 'seine/prometheus'
import type { NodeServer, ServeOptions } from 'seine/node'
import { commandName } from './command-name.ts'
import { CommandError, wrongUse } from './command-error.ts'
import { DEFAULT_DATA, OPERATOR, OWNER } from './data-directory.ts'
import { withHealth } from './health.ts'
import { listenForInterrupt } from './interrupt.ts'
import { logRequests } from './log-requests.ts'
import { openServices } from './open-services.ts'
import { checkSettings, createOrExplain, platformOptions, proxiesOf } from './platform-options.ts'
import { serveHelp } from './settings/help.ts'
import { usingSettings } from './settings/in-terms-of.ts'
import { readFlags, readSettings } from './settings/read-settings.ts'
import type { Settings } from './settings/table.ts'
import { stderrLogger } from './stderr-logger.ts'

/** `seine serve`: the HTTP API and its worker, until SIGINT or SIGTERM. */
export async function serve(args: string[]): Promise<number> {
  const flags = readFlags('serve', args)
  if (flags.help) return (void process.stdout.write(serveHelp()), 0)
  return usingSettings(await readSettings(flags, process.env), serveWith)
}

async function serveWith(settings: Settings): Promise<number> {
  const logger = stderrLogger({ format: settings.logFormat, level: settings.logLevel })
  await checkSettings(settings)
  const options = await platformOptions(settings)
  const proxies = proxiesOf(settings)
  const codes = createSignInCodes()
  const metrics = settings.metricsPort === undefined ? null : createPrometheus()
  const services = await openServices(settings, process.env)
  const platform = createOrExplain({
    ...options,
    ...services.options,
    ...(metrics && { telemetry: metrics }),
    ...(settings.console !== false && {
      console: { home: true, exchange: async (code) => codes.take(code) },
    }),
    operator: settings.operator !== false,
    logger,
  })
  try {
    const interrupt = listenForInterrupt()
    const server = await listenOrExplain({
      platform,
      fetch: answersOf(platform, settings, logger),
      worker: settings.worker ?? true,
      port: settings.port ?? 3000,
      hostname: hostOf(settings),
      ...proxies,
    })
    const metricsServer = metrics && (await serveMetrics(metrics, settings, server))
    try {
      process.stdout.write(`listening ${server.url}\n`)
      if (metricsServer) process.stdout.write(`metrics ${metricsServer.url}/metrics\n`)
      await welcome(platform, settings, server.url, codes)
      await interrupted(interrupt.signal)
      process.stderr.write('Closing; a second signal ends at once.\n')
      return 0
    } finally {
      // The worker must end before its store.
      await Promise.all([server.close(), metricsServer?.close()])
    }
  } finally {
    await platform.close()
    await services.close()
  }
}

const hostOf = ({ host = '127.0.0.1' }: Settings): string => host

/**
 * The platform with the paths for health checks, and with a log line for each request if this is
 * set.
 */
function answersOf(platform: Platform, { logRequests: which = 'off' }: Settings, logger: Logger) {
  const { reply } = platform.fetch
  return withHealth({
    health: platform.health,
    fetch: { reply: which === 'off' ? reply : logRequests(reply, logger, which) },
  })
}

/** Prints the ways to use a server. */
async function welcome(
  platform: Platform,
  settings: Settings,
  address: string,
  codes: ReturnType<typeof createSignInCodes>,
): Promise<void> {
  const { key, data = DEFAULT_DATA, store, publicUrl, console: hasConsole = true } = settings
  const url = publicUrl ?? address
  const newKey = key === undefined ? await developmentKey(platform, settings) : null
  const shared = key ?? newKey
  const code = shared === null ? '' : `#code=${codes.issue(shared)}`
  process.stdout.write(
    (hasConsole ? `console ${url}/console${code}\n` : '') +
      `docs ${url}/docs\n` +
      waysToUse({
        url,
        newKey,
        hasGivenKey: key !== undefined,
        hasConsole,
        flags: flagsOf(data, store),
      }),
  )
}

/** Serves metrics on a separate port, to which a host may restrict access. */
async function serveMetrics(
  { fetch }: Prometheus,
  settings: Settings,
  server: NodeServer,
): Promise<NodeServer> {
  const { metricsPort: port = 0 } = settings
  try {
    return await listenOrExplain(
      { fetch, port, hostname: hostOf(settings), worker: false },
      '--metrics-port',
    )
  } catch (error) {
    await server.close()
    throw error
  }
}

/**
 * A key for a store without keys. `null`: there are keys already, including revoked ones. A person
 * who starts a server on an empty store is its operator.
 */
async function developmentKey(
  { api }: Platform,
  { operator = true }: Settings,
): Promise<string | null> {
  if ((await api.keys.list(OWNER, { limit: 1 })).items.length > 0) return null
  const scopes = operator ? OPERATOR.scopes : OWNER.scopes
  return (await api.keys.create(OPERATOR, { name: 'development', scopes })).secret
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

/** The words with which another command names the same data. URLs of stores contain passwords. */
function flagsOf(data: string, store: string | undefined): string {
  if (store !== undefined) return ', with the same --store and --blobs or their variables'
  return data === DEFAULT_DATA ? '' : ` --data ${data}`
}

function waysToUse({
  url,
  newKey,
  hasGivenKey,
  hasConsole,
  flags,
}: {
  readonly url: string
  readonly newKey: string | null
  readonly hasGivenKey: boolean
  readonly hasConsole: boolean
  readonly flags: string
}): string {
  const about =
    newKey !== null
      ? `Development key, shown this once:\n  KEY=${newKey}`
      : hasGivenKey
        ? 'KEY is the key that you have set.'
        : `Keys exist already${hasConsole ? ': sign in to the console with one' : ''}. ` +
          `To create another:\n  ${commandName()} keys create${flags}`
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
