import type { PlanDefinition, Tariff } from '../features/ledger/plans.ts'
import type { ShareOptions, SharesOptions } from '../features/limits/shares.ts'
import type { CorsOptions } from '../http/cors.ts'
import type { OpenApiInfo } from '../http/openapi/types.ts'
import type { Rates } from '../http/rate-limit.ts'
import {
  baseAddress,
  plainText,
  callback,
  checkOptions,
  either,
  flag,
  group,
  listOf,
  mapOf,
  numberFrom,
  oneOf,
  prices,
  required,
  nonEmpty,
  whole,
  textLike,
  withMethods,
} from '../kernel/options.ts'
import type { OptionType } from '../kernel/options.ts'
import { TOOL_NAMES } from '../mcp/tool-names.ts'
import type { Rate } from '../ports/limiter.ts'
import { consolePath } from '../console/options.ts'
import type { ConsoleOptions } from '../console/options.ts'
import type { McpOptions } from './mcp.ts'
import type { MediaOptions, PlatformOptions } from './options.ts'

type Part<Name extends keyof PlatformOptions> = Extract<NonNullable<PlatformOptions[Name]>, object>

/** A rate is multiplied for whole networks. The product must be a whole number that is exact. */
const MOST_CALLS = 1_000_000_000
const YEAR_MS = 366 * 24 * 3_600_000
const off = oneOf(false)
/** A hundred years at most, because a later time could not be read back. */
const MOST_DAYS = 36_500
const days = whole(1, MOST_DAYS)
// Its members are checked by `defineTemplate`, whose table is not needed at the start.
const template = withMethods('a template', 'recipe')
const orNull = (type: OptionType): OptionType => either(oneOf(null), type)
const rate = either(
  off,
  group<Rate>({
    limit: required(whole(1, MOST_CALLS)),
    periodMs: required(whole(1, YEAR_MS)),
    burst: required(whole(0, MOST_CALLS)),
  }),
)
const services = { tasks: rate, analytics: rate, billing: rate, mcp: rate }
const share = group<ShareOptions>({
  places: numberFrom(1),
  each: numberFrom(1),
  waiting: numberFrom(0),
})
const previews = { perDay: numberFrom(0), perScope: numberFrom(0), urls: numberFrom(1) }
const cap = orNull(whole(0))
const isPath = (text: string): boolean => /^(?!.*:\/\/)[\w\-./~%!$&'()*+,;=:@]*$/.test(text)

const plan = group<PlanDefinition>({
  id: required(nonEmpty),
  name: required(nonEmpty),
  description: plainText,
  creditsPerMonth: required(whole(0)),
  creditsExpire: either(
    oneOf('never', 'month-end'),
    group<{ readonly months: number }>({ months: required(whole(1)) }),
  ),
  overdraft: cap,
  dailyCap: cap,
  concurrentExecutions: orNull(whole(1)),
  rates: group<NonNullable<PlanDefinition['rates']>>(services),
  previews: group<NonNullable<PlanDefinition['previews']>>(previews),
  caps: group<NonNullable<PlanDefinition['caps']>>({
    keys: cap,
    tasks: cap,
    datasets: cap,
    webhooks: cap,
    streams: cap,
    bytes: cap,
  }),
  page: group<NonNullable<PlanDefinition['page']>>({ steps: whole(1), bytes: whole(1) }),
  retentionDays: orNull(days),
  price: group<NonNullable<PlanDefinition['price']>>({
    amount: required(whole(0)),
    currency: required(
      textLike('three capital letters, such as EUR', (text) => /^[A-Z]{3}$/.test(text)),
    ),
  }),
  access: oneOf('self-service', 'listed', 'private'),
})

/**
 * Checks the options of `createPlatform`.
 *
 * @throws {TypeError} that names every unknown and every wrong option
 */
export function checkPlatformOptions(options: PlatformOptions): void {
  checkOptions<PlatformOptions>('createPlatform', options, {
    store: withMethods('a store', 'get', 'list', 'commit', 'close'),
    blobs: withMethods('blobs', 'get', 'put', 'remove', 'list', 'close'),
    queue: withMethods('a queue', 'push', 'consume', 'close'),
    fetcher: withMethods('a fetcher', 'resolve', 'send', 'close'),
    browser: withMethods('a browser', 'render', 'close'),
    search: either(
      withMethods('a search provider', 'search'),
      withMethods('its factory', 'create'),
      oneOf(null),
    ),
    model: either(withMethods('a model', 'ask'), withMethods('its factory', 'create')),
    modelLimits: group<Part<'modelLimits'>>({ concurrency: whole(1), timeoutMs: whole(1) }),
    processor: withMethods('a page processor', 'open', 'openPages', 'openRows', 'close'),
    authenticators: listOf(either(callback, withMethods('an authenticator factory', 'create'))),
    accountStatus: callback,
    suspendedRunDays: orNull(numberFrom(0, MOST_DAYS)),
    mayRunSchedule: callback,
    apiKeys: group<Part<'apiKeys'>>({
      prefix: textLike('a text of letters, digits, - and _', (text) => /^[\w-]+$/.test(text)),
      headers: group<NonNullable<Part<'apiKeys'>['headers']>>({ bearer: flag, apiKey: flag }),
    }),
    rateLimits: either(off, group<Rates>({ ...services, authentication: rate })),
    previews: either(
      off,
      group<Part<'previews'>>({
        perDay: either(off, previews.perDay),
        perScope: either(off, previews.perScope),
        urls: either(off, previews.urls),
      }),
    ),
    shares: group<SharesOptions>({
      inspections: share,
      downloads: share,
      media: share,
      answers: share,
      streams: group<NonNullable<SharesOptions['streams']>>({ places: numberFrom(1) }),
      readers: group<NonNullable<SharesOptions['readers']>>({
        patienceSeconds: numberFrom(0),
        bytesPerSecond: numberFrom(0),
      }),
    }),
    plan: flag,
    limiter: either(oneOf('memory', 'store'), withMethods('a limiter', 'take', 'close')),
    templates: either(
      listOf(template),
      group<{ readonly only: unknown }>({ only: required(listOf(template)) }),
    ),
    media: group<MediaOptions>({
      maxBytes: whole(0),
      maxItemsPerPage: whole(0),
      maxItemsPerExecution: whole(0),
      maxBytesPerExecution: whole(0),
      tokenSeconds: whole(1, MOST_DAYS * 86_400),
      baseUrl: baseAddress,
    }),
    keptPages: group<Part<'keptPages'>>({ maxBytesPerExecution: whole(0) }),
    allowPrivateNetwork: flag,
    userAgent: nonEmpty,
    billing: group<Part<'billing'> & Partial<Tariff>>({
      plans: listOf(plan),
      prices: prices(),
      lowBalance: orNull(numberFrom()),
      legacy: mapOf(oneOf('error', 'bare', 'both')),
    }),
    mail: withMethods('a mailer', 'send'),
    payments: withMethods('a payment provider', 'createTopUp'),
    mcp: either(
      off,
      group<McpOptions>({
        hosts: listOf(nonEmpty),
        origins: listOf(nonEmpty),
        authorizationServers: listOf(nonEmpty),
        resource: baseAddress,
        confirmAbove: whole(0),
        tools: either(oneOf('extended'), listOf(oneOf(...TOOL_NAMES))),
      }),
    ),
    agents: group<Part<'agents'>>({ answerDays: days, callDays: days, pageDays: days }),
    console: either(
      oneOf(true, false),
      withMethods('a console', 'reply'),
      group<ConsoleOptions>({
        path: consolePath,
        title: nonEmpty,
        signIn: baseAddress,
        exchange: callback,
        home: flag,
      }),
    ),
    operator: flag,
    audit: either(off, group<Part<'audit'>>({ retentionDays: days })),
    cors: either(
      off,
      group<CorsOptions>({
        origins: required(either(oneOf('*'), listOf(nonEmpty))),
        credentials: flag,
        maxAgeSeconds: whole(0),
      }),
    ),
    maxBodyBytes: whole(1),
    basePath: textLike('a text, which is a path such as /data', isPath),
    publicUrl: baseAddress,
    openApi: group<Partial<OpenApiInfo>>({
      title: nonEmpty,
      version: nonEmpty,
      description: plainText,
      license: group<NonNullable<OpenApiInfo['license']>>({
        name: required(nonEmpty),
        identifier: nonEmpty,
        url: nonEmpty,
      }),
      contact: group<NonNullable<OpenApiInfo['contact']>>({
        name: nonEmpty,
        url: nonEmpty,
        email: nonEmpty,
      }),
      termsOfService: nonEmpty,
    }),
    worker: group<Part<'worker'>>({
      concurrency: whole(1),
      deliveries: whole(1),
      leaseMs: whole(1),
      share: whole(1),
      account: nonEmpty,
      elsewhere: flag,
    }),
    logger: withMethods('a logger', 'debug', 'info', 'warn', 'error'),
    telemetry: withMethods('telemetry', 'span', 'context', 'count', 'record', 'observe'),
    traceparentToSites: flag,
    clock: withMethods('a clock', 'now', 'sleep'),
    random: callback,
  })
}
