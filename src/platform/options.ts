import type { ModelLimits } from '../engine/model/model-reader.ts'
import type { AgentRetention, Agentic } from '../features/agentic/service.ts'
import type { Datasets } from '../features/datasets/service.ts'
import type { Analytics } from '../features/analytics/service.ts'
import type { Audit } from '../features/audit/service.ts'
import type { Billing } from '../features/billing/service.ts'
import type { Tariff } from '../features/ledger/plans.ts'
import type { TaskFiles } from '../features/task-files/service.ts'
import type { Estimates } from '../features/estimates/service.ts'
import type { Executions } from '../features/executions/service.ts'
import type { Keys } from '../features/keys/service.ts'
import type { Myself } from '../features/me/service.ts'
import type { Media } from '../features/media/service.ts'
import type { PlanSteps } from '../features/plan-steps/service.ts'
import type { PreviewLimits } from '../features/previews/quotas.ts'
import type { Previews } from '../features/previews/service.ts'
import type { Snapshots } from '../features/snapshots/service.ts'
import type { Results } from '../features/results/service.ts'
import type { Schedules } from '../features/schedules/service.ts'
import type { Tasks } from '../features/tasks/service.ts'
import type { TemplatesOption } from '../features/templates/prepare-templates.ts'
import type { Templates } from '../features/templates/service.ts'
import type { VerifyReport } from '../features/verify/findings.ts'
import type { VerifyOptions } from '../features/verify/service.ts'
import type { HealthReport } from './health.ts'
import type { Webhooks } from '../features/webhooks/service.ts'
import type { CorsOptions } from '../http/cors.ts'
import type { HttpHandler } from '../http/handler.ts'
import type { LegacyBodies } from '../http/legacy-bodies.ts'
import type { OpenApiInfo } from '../http/openapi/types.ts'
import type { Handlers } from '../http/surfaces.ts'
import type { Rates } from '../http/rate-limit.ts'
import type {
  AccountStatus,
  Authenticator,
  AuthenticatorFactory,
  MayRunSchedule,
} from '../ports/authenticator.ts'
import type { Blobs } from '../ports/blobs.ts'
import type { Browser } from '../ports/browser.ts'
import type { Clock, RandomBytes } from '../ports/clock.ts'
import type { Fetcher } from '../ports/fetcher.ts'
import type { Limiter } from '../ports/limiter.ts'
import type { Logger } from '../ports/logger.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import type { PageProcessor } from '../ports/page-processor.ts'
import type { Mailer } from '../ports/mailer.ts'
import type { Model, ModelFactory } from '../ports/model.ts'
import type { Payments } from '../ports/payments.ts'
import type { Queue } from '../ports/queue.ts'
import type { SearchProvider, SearchProviderFactory } from '../ports/search-provider.ts'
import type { SharesOptions } from '../features/limits/shares.ts'
import type { Store } from '../ports/store.ts'
import type { MediaLimits } from '../crawl/limits.ts'
import type { Console, ConsoleOptions } from '../console/options.ts'
import type { McpOptions } from './mcp.ts'
import type { Worker } from '../worker/worker.ts'

/** How media is downloaded and served. */
export interface MediaOptions extends Partial<MediaLimits> {
  /** Minimum lifetime of a link, in seconds. A link may last up to a quarter longer. Default 3,600. */
  readonly tokenSeconds?: number
  /**
   * Base URL of links, such as `https://data.example.com` or `https://app.example.com/data`.
   * Default: that of all other links, see `publicUrl`.
   */
  readonly baseUrl?: string
}

/** Options of `createPlatform`. Each has a default, so `createPlatform()` works without any. */
export interface PlatformOptions {
  /** Stores records. Default: memory. */
  readonly store?: Store
  /** Stores rows and media. Default: memory. */
  readonly blobs?: Blobs
  /** Distributes jobs to workers. Default: leases on the store. */
  readonly queue?: Queue
  /**
   * Sends outgoing requests. Default: the runtime's sockets with pinned addresses, or its `fetch`
   * if it has no sockets.
   */
  readonly fetcher?: Fetcher
  /**
   * Renders pages for recipes that need a browser, such as `createPlaywrightBrowser` of
   * `seine/playwright`. Default: none, and such recipes are refused.
   */
  readonly browser?: Browser
  /**
   * Searches the web, for agents and for recipes with `start.search`: the result of
   * `createSearxngSearch` of `seine/searxng` or `createBraveSearch` of `seine/brave`, or an object
   * of your own. Default: none. Agents and recipes then search the pages that their account has
   * fetched and crawled.
   */
  readonly search?: SearchProvider | SearchProviderFactory
  /**
   * The language model that reads the fields for which a recipe names a model: the result of
   * `createOpenAiModel` of `seine/openai`, for any OpenAI-compatible endpoint, or an object of your
   * own. Default: none, and such recipes are refused.
   */
  readonly model?: Model | ModelFactory
  /** Concurrency and time limit of model calls. */
  readonly modelLimits?: ModelLimits
  /**
   * Parses pages and extracts rows. Default: threads on Node, Bun and Deno, started with the first
   * page; on other runtimes the calling thread, one page at a time. `createPageThreads` of
   * `seine/node` creates threads with other limits.
   */
  readonly processor?: PageProcessor
  /**
   * Authenticators of your own, tried in order before API keys: functions, or the result of
   * `createJwtAuthenticator` of `seine/jose`.
   */
  readonly authenticators?: readonly (Authenticator | AuthenticatorFactory)[]
  /**
   * Decides which accounts may be used, with any credential. Schedules, executions, links to media
   * and webhooks of other accounts stop too. It has five seconds; after them the call is 503.
   * Default: all accounts may be used.
   */
  readonly accountStatus?: AccountStatus
  /**
   * Days that executions of a suspended account stay paused and hold their credits. Then they are
   * cancelled. `null`: until they are resumed. Default 30.
   */
  readonly suspendedRunDays?: number | null
  /**
   * Decides whether a schedule that a user set in a session still runs. Default: it runs until it
   * is changed.
   */
  readonly mayRunSchedule?: MayRunSchedule
  /**
   * The prefix of API keys, and the headers that accept them. Default: prefix `svc_sk_`, both
   * headers.
   */
  readonly apiKeys?: {
    readonly prefix?: string
    readonly headers?: { readonly bearer?: boolean; readonly apiKey?: boolean }
  }
  /**
   * Rate limits of calls by service. The limit `authentication` counts refused credentials by
   * address. Default of each: 120 a minute, bursts allowed. `false`: no limits.
   */
  readonly rateLimits?: Rates | false
  /**
   * Maximum number of previews of a user on one UTC day, in total and per task or recipe. `false`:
   * no limit.
   */
  readonly previews?: PreviewLimits | false
  /**
   * Concurrency limits of long or memory-intensive operations in this process, in total and per
   * account. An operation above its account's share waits for its turn among the accounts, or is
   * refused with 429.
   */
  readonly shares?: SharesOptions
  /**
   * Whether `GET /api/v1/executions/:id/plan/steps` returns the steps of executions. If `false`,
   * the response is 404. Default `true`.
   */
  readonly plan?: boolean
  /**
   * Counts calls for the rate limits. Default: `memory`, which counts for one process: several
   * processes let through as many times the rate. `store` counts for all processes that share the
   * store, with a read and a commit for each call, which is too expensive for a default.
   */
  readonly limiter?: Limiter | 'memory' | 'store'
  /**
   * Templates of your own, made by `defineTemplate`. They are added to the built-in catalog and
   * replace its templates of the same id. `{ only }` replaces the whole catalog.
   */
  readonly templates?: TemplatesOption
  /** Limits of fields that are read `as: "media"`, and the lifetime of media links. */
  readonly media?: MediaOptions
  /**
   * Limit of recipes with `page.keep`: compressed bytes of the kept pages of one execution. Default
   * 1 GiB. Pages beyond it are counted as omitted.
   */
  readonly keptPages?: { readonly maxBytesPerExecution?: number }
  /**
   * Lets recipes reach private addresses. For development only, because anyone who can write a
   * recipe can then read your network. Default `false`.
   */
  readonly allowPrivateNetwork?: boolean
  /** `User-Agent` of outgoing requests. */
  readonly userAgent?: string
  /**
   * Plans (the first applies to accounts without a subscription), prices of pages, and the balance
   * at which the event `balance.low` is sent. Default: one plan without limits, one credit per
   * fetched page. `legacy`: billing operations that keep the bodies your older clients expect:
   * `error` for `{ error: message }`, `bare` for successes without the envelope, `both` for both.
   * Default: none. An unknown billing operation is a `TypeError`.
   */
  readonly billing?: Partial<Tariff> & { readonly legacy?: Readonly<Record<string, LegacyBodies>> }
  /** The payment provider for credits that accounts buy. Default: none, and top-ups are 501. */
  readonly payments?: Payments
  /**
   * Sends events by mail to addresses that people have confirmed, for webhooks with a URL such as
   * `mailto:ann@example.com`: the result of `createSmtpMailer` of `seine/smtp`, or an object of
   * your own. Messages have links if `publicUrl` is set. Default: none, and such URLs are refused.
   */
  readonly mail?: Mailer
  /**
   * The MCP endpoint for agents, at `/mcp`: its allowed `Host` values, its allowed origins, and its
   * authorization server. `false`: no endpoint.
   */
  readonly mcp?: McpOptions | false
  /**
   * Days for which calls of agents' tools are kept. `answerDays`: the answer of a call, default 1.
   * `callDays`: its entry in the list of calls, default 90. `pageDays`: the text of pages that
   * agents have fetched, default 7. A change applies to later calls.
   */
  readonly agents?: AgentRetention
  /**
   * The console for people, at `/console` or its `path`: `true` or its options on Node, Bun and
   * Deno; on other runtimes what `createConsole` of `seine/console` makes. Default `false`: no
   * console.
   */
  readonly console?: boolean | ConsoleOptions | Console
  /**
   * The API of those who run the platform for others, at `/api/v1/operator`, for credentials with
   * the scope `operator`, which `*` does not grant. It can suspend and close accounts. Set it in
   * every process on the store: a process without it ignores the states that operators have set.
   * Default `false`: its paths are 404.
   */
  readonly operator?: boolean
  /** Origins whose pages may read responses. Default `false`: none. */
  readonly cors?: CorsOptions | false
  /**
   * The log of writes over HTTP: caller, operation, time, address and outcome. Entries are kept for
   * `retentionDays`, from 1, default 90. `false`: nothing is logged, and reading the log is 404.
   */
  readonly audit?: { readonly retentionDays?: number } | false
  /** Default 1 MiB. */
  readonly maxBodyBytes?: number
  /**
   * The path under which the platform is mounted, such as `/data`, if the application does not
   * strip it.
   */
  readonly basePath?: string
  /**
   * The URL at which clients reach the platform, with the mount path: `https://example.com/data`.
   * It begins all addresses in answers: of exports, media, the MCP endpoint, and the servers of the
   * API description. Default: the URL that trusted proxies report (`trustProxy` of the server),
   * else the URL of the request, with `basePath`.
   */
  readonly publicUrl?: string | URL
  /** The `info` of the API description at `/api/v1/openapi.json` and `/docs`. */
  readonly openApi?: Partial<OpenApiInfo>
  readonly worker?: {
    /** Number of executions that run at the same time. Default 4. Other jobs never wait for them. */
    readonly concurrency?: number
    /** Number of webhook deliveries at the same time. Default 16. */
    readonly deliveries?: number
    /** Time until the jobs of an unresponsive worker are given to others, in ms. Default 30,000. */
    readonly leaseMs?: number
    /**
     * Maximum number of processes that share one execution: they visit its pages and fetch its
     * media, and each hostname is visited by one process at a time. All must use the same store. A
     * `crawl.concurrency` of the recipe is their common limit; without it each process has 8 pages
     * in flight. Default 1. Use it for crawls that wait for slow sites.
     */
    readonly share?: number
    /**
     * The only account whose jobs this worker does. Jobs of other accounts need another worker.
     * Default: jobs of all accounts.
     */
    readonly account?: string
    /**
     * True if workers run in other processes, or later. Then this process does not warn when an
     * execution waits and no worker gives a sign of life.
     */
    readonly elsewhere?: boolean
  }
  /** Receives log messages. Default: warnings and errors on the console. */
  readonly logger?: Logger
  /**
   * Receives traces and metrics: the result of `createOpenTelemetry` of `seine/opentelemetry`, or
   * an object of your own. Default: none, at no cost.
   */
  readonly telemetry?: Telemetry
  /**
   * Whether the sites that are crawled get the header `traceparent`, which lets them follow your
   * traces. Receivers of webhooks get it always. Default `false`.
   */
  readonly traceparentToSites?: boolean
  readonly clock?: Clock
  readonly random?: RandomBytes
}

/**
 * The services in process, without HTTP. Each method takes the principal it acts for. They are for
 * the host's own code, so `accountStatus`, rates and the scopes of routes are not checked here. But
 * `accountStatus` still applies to runs, schedules, webhooks and media links of the account.
 */
export interface PlatformApi {
  readonly agentic: Agentic
  readonly tasks: Tasks
  readonly schedules: Schedules
  readonly taskFiles: TaskFiles
  readonly estimates: Estimates
  readonly executions: Executions
  readonly results: Results
  readonly datasets: Datasets
  readonly keys: Keys
  readonly media: Media
  readonly previews: Previews
  readonly snapshots: Snapshots
  readonly planSteps: PlanSteps
  readonly templates: Templates
  readonly webhooks: Webhooks
  /**
   * Also for operators: refunds, adjustments, plans of accounts, and reports of the payment
   * provider.
   */
  readonly billing: Billing
  readonly analytics: Analytics
  readonly audit: Audit
  readonly me: Myself
}

/**
 * A platform, ready to be mounted. It has `fetch`, so it can be the default export of a Bun, Deno
 * or Workers entry.
 */
export interface Platform {
  /** Answers any request of the service; never rejects. */
  readonly fetch: HttpHandler
  /** Each HTTP surface alone, for applications that serve them separately. */
  readonly handlers: Handlers
  readonly worker: Worker
  readonly api: PlatformApi
  /**
   * Recomputes all derived data from its source records, of every account or one: indexes, the
   * ledger with wallets, holds and statements, executions with their receipts and rows, roll-ups.
   * Reports what differs. It may run beside a live platform. The command `seine verify` does the
   * same.
   */
  verify(options?: VerifyOptions): Promise<VerifyReport>
  /**
   * Asks the store and the blobs whether they answer, within 2 s. For health checks of a load
   * balancer or a container. If it is not ready, calls would fail. Never rejects. An answer is at
   * most a second old.
   */
  health(): Promise<HealthReport>
  /**
   * Closes everything that the platform opened or was given: queue, fetcher, browser, model,
   * processor, store, blobs. Stop the worker first. Idempotent.
   */
  close(): Promise<void>
}
