import { existsSync } from 'node:fs'
import { createPlatform } from 'seine'
import type { McpOptions, Platform, PlatformOptions } from 'seine'
import type { ProxyHeader, TrustProxy } from 'seine/node'
import { admitKey, LEASE_MS, OWNER } from './data-directory.ts'
import { CommandError, wrongUse } from './command-error.ts'
import { admitTokens } from './jwt-issuer.ts'
import { mailFrom } from './mail-from.ts'
import { checkServices } from './open-services.ts'
import { searchFrom } from './search-from.ts'
import { ratesOf, readIssuer } from './settings/kinds.ts'
import type { NamedIssuer } from './settings/kinds.ts'
import type { Settings } from './settings/table.ts'

/**
 * Options of `createPlatform` that follow from settings, without those for opened services.
 *
 * @throws {CommandError} for settings that do not go together
 */
export async function platformOptions(settings: Settings): Promise<PlatformOptions> {
  const { publicUrl, cors, userAgent, plans, prices, previews } = settings
  const [browser, model, search] = [
    await browserOf(settings),
    await modelOf(settings),
    searchOf(settings),
  ]
  const mail = await mailFrom(settings)
  return {
    allowPrivateNetwork: settings.allowPrivateNetwork ?? false,
    authenticators: authenticatorsOf(settings),
    worker: {
      leaseMs: LEASE_MS,
      ...(settings.workerConcurrency !== undefined && { concurrency: settings.workerConcurrency }),
      ...(settings.workerShare !== undefined && { share: settings.workerShare }),
    },
    ...(publicUrl !== undefined && { publicUrl }),
    ...(userAgent !== undefined && { userAgent }),
    ...(cors && { cors: { origins: cors } }),
    mcp: mcpOf(settings),
    ...ratesFrom(settings),
    ...(previews !== undefined && { previews }),
    ...((plans || prices) && { billing: { ...(plans && { plans }), ...(prices && { prices }) } }),
    ...(browser && { browser }),
    ...(model && { model }),
    ...(search && { search }),
    ...(mail && { mail }),
  }
}

/**
 * Checks which settings go together. Each subject is checked separately, so that all wrong ones are
 * reported.
 *
 * @throws {AggregateError} with a {@link CommandError} for each subject with a wrong setting
 */
export async function checkSettings(settings: Settings): Promise<void> {
  const errors: CommandError[] = []
  for (const check of [
    checkServices,
    authenticatorsOf,
    proxiesOf,
    ratesFrom,
    modelOf,
    searchOf,
    mailFrom,
    checkBrowser,
  ])
    try {
      await check(settings)
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      errors.push(error)
    }
  if (errors.length > 0) throw new AggregateError(errors)
}

function mcpOf({ cors, mcpTools: tools, mcpConfirmAbove: confirmAbove }: Settings): McpOptions {
  return {
    ...(cors !== undefined && cors !== '*' && { origins: cors }),
    ...(tools !== undefined && { tools }),
    ...(confirmAbove !== undefined && { confirmAbove }),
  }
}

/**
 * Creates a platform. `toolsFlag`: the flag that has named the tools for agents.
 *
 * @throws {CommandError} for options that the platform refuses, such as a plan
 */
export function createOrExplain(options: PlatformOptions, toolsFlag = '--mcp-tools'): Platform {
  try {
    return createPlatform(options)
  } catch (error) {
    if (error instanceof TypeError)
      throw wrongUse(
        error.message
          .replace(/^createPlatform: /, '')
          .replace(/\bbilling\.(?=plans|prices)/g, '')
          .replace(/\bmcp\.tools(?:\.\d+)?/g, toolsFlag),
      )
    throw error
  }
}

/**
 * The trusted proxies in front of the server.
 *
 * @throws {CommandError} for a header without proxies
 */
export function proxiesOf({ trustProxy, proxyHeader }: Settings): {
  readonly trustProxy?: TrustProxy
  readonly proxyHeader?: ProxyHeader
} {
  if (proxyHeader !== undefined && trustProxy === undefined)
    throw wrongUse('--proxy-header needs --trust-proxy, which names the proxies')
  return {
    ...(trustProxy !== undefined && { trustProxy }),
    ...(proxyHeader !== undefined && { proxyHeader }),
  }
}

function authenticatorsOf({ key, jwtIssuer, jwtAudience: audience }: Settings) {
  if (jwtIssuer !== undefined && audience === undefined)
    throw wrongUse('--jwt-issuer needs --jwt-audience: the `aud` that its tokens have for you')
  if (audience !== undefined && jwtIssuer === undefined)
    throw wrongUse('--jwt-audience needs --jwt-issuer')
  const issuers = [jwtIssuer ?? []].flat().flatMap((text) => readIssuer(text) ?? [])
  checkIssuers(issuers)
  const names = issuers.flatMap(({ name }) => name ?? [])
  return [
    ...(key === undefined ? [] : [admitKey(key, OWNER)]),
    ...issuers.map((issuer) => admitTokens({ ...issuer, names, audience: audience ?? [] })),
  ]
}

/**
 * Two issuers may use one name for different people. So their accounts are separated by names that
 * do not depend on an order. Only one issuer may have no name.
 */
function checkIssuers(issuers: readonly NamedIssuer[]): void {
  const twice = <T>(values: readonly T[]) =>
    values.find((value, index) => values.indexOf(value) < index)
  const url = twice(issuers.map((issuer) => issuer.url))
  if (url !== undefined) throw wrongUse(`--jwt-issuer names ${url} twice`)
  const name = twice(issuers.map((issuer) => issuer.name))
  if (name === null)
    throw wrongUse(
      '--jwt-issuer: only one of several issuers may have no name; name the others, ' +
        'such as partner=https://login.example.com, to separate their accounts',
    )
  if (name !== undefined) throw wrongUse(`--jwt-issuer has two issuers with the name ${name}`)
}

function ratesFrom({ rate, rateLimit = true }: Settings): Pick<PlatformOptions, 'rateLimits'> {
  if (rate !== undefined && !rateLimit)
    throw wrongUse('--no-rate-limit switches all rates off: leave it out, or --rate')
  if (!rateLimit) return { rateLimits: false }
  return rate === undefined ? {} : { rateLimits: ratesOf(rate) }
}

const RUNS_ELSEWHERE = /^(?:ws|http)s?:/

/**
 * Checks that there is a browser to start. Otherwise the error would come only with the first page
 * that needs it.
 *
 * @throws {CommandError} for a path that does not exist
 */
export function checkBrowser({ browser = 'auto' }: Pick<Settings, 'browser'>): void {
  if (browser !== 'auto' && !RUNS_ELSEWHERE.test(browser) && !existsSync(browser))
    throw wrongUse(`--browser ${browser} does not exist; name a Chromium, or auto`)
}

/** A browser that is started here, or one that runs elsewhere. */
export async function browserOf({
  browser,
  browserSandbox: sandbox = true,
}: Pick<Settings, 'browser' | 'browserSandbox'>) {
  if (browser === undefined) return null
  const { createPlaywrightBrowser } = await import('seine/playwright')
  if (RUNS_ELSEWHERE.test(browser)) return createPlaywrightBrowser({ cdpUrl: browser })
  return createPlaywrightBrowser({
    ...(browser !== 'auto' && { executablePath: browser }),
    launch: { sandbox },
  })
}

function searchOf({ searchUrl: url, searchOnPrivateNetwork = false, braveKey }: Settings) {
  return searchFrom({ url, onPrivateNetwork: searchOnPrivateNetwork, braveKey })
}

async function modelOf(settings: Settings) {
  const { modelUrl: baseUrl, model, modelKey: apiKey, modelOnPrivateNetwork = false } = settings
  if (baseUrl === undefined && model === undefined && apiKey === undefined) return null
  if (baseUrl === undefined || model === undefined)
    throw wrongUse('Fields that a model reads need --model-url and --model')
  const { createOpenAiModel } = await import('seine/openai')
  const endpoint = createOpenAiModel({
    baseUrl,
    model,
    ...(apiKey !== undefined && { apiKey }),
    ...(modelOnPrivateNetwork && { privateHost: new URL(baseUrl).hostname }),
  })
  return {
    create(services: Parameters<typeof endpoint.create>[0]) {
      try {
        return endpoint.create(services)
      } catch (error) {
        if (!(error instanceof TypeError)) throw error
        throw new CommandError(
          `--model-url ${new URL(baseUrl).origin} is not public, or not https. If this is ` +
            'intended, add --model-on-private-network',
        )
      }
    },
  }
}
