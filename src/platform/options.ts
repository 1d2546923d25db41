import type { ModelLimits } from '../engine/model/open-model.ts'
import type { Agentic } from '../features/agentic/service.ts'
import type { Datasets } from '../features/datasets/service.ts'
import type { Analytics } from '../features/analytics/service.ts'
import type { Billing } from '../features/billing/service.ts'
import type { Tariff } from '../features/ledger/plans.ts'
import type { Estimates } from '../features/estimates/service.ts'
import type { Executions } from '../features/executions/service.ts'
import type { Keys } from '../features/keys/service.ts'
import type { Media } from '../features/media/service.ts'
import type { PlanSteps } from '../features/plan-steps/service.ts'
import type { PreviewLimits } from '../features/previews/quotas.ts'
import type { Previews } from '../features/previews/service.ts'
import type { Results } from '../features/results/service.ts'
import type { Schedules } from '../features/schedules/service.ts'
import type { Tasks } from '../features/tasks/service.ts'
import type { TemplatesOption } from '../features/templates/prepare-templates.ts'
import type { Templates } from '../features/templates/service.ts'
import type { VerifyReport } from '../features/verify/findings.ts'
import type { VerifyOptions } from '../features/verify/service.ts'
import type { Webhooks } from '../features/webhooks/service.ts'
import type { CorsOptions } from '../http/cors.ts'
import type { Http } from '../http/handler.ts'
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
import type { PageProcessor } from '../ports/page-processor.ts'
import type { Model, ModelFactory } from '../ports/model.ts'
import type { Payments } from '../ports/payments.ts'
import type { Queue } from '../ports/queue.ts'
import type { SearchProvider, SearchProviderFactory } from '../ports/search-provider.ts'
import type { SharesOptions } from '../features/limits/shares.ts'
import type { Store } from '../ports/store.ts'
import type { MediaLimits } from '../crawl/media/media-keeper.ts'
import type { McpOptions } from './mcp.ts'
import type { Worker } from '../worker/worker.ts'

/** How media is taken and served. */
export interface MediaOptions extends Partial<MediaLimits> {
  /** Least time that a link is good for, in seconds; up to a quarter more. Default 3,600. */
  readonly tokenSeconds?: number
  /**
   * Where links begin, such as `https://data.example.com` or `https://app.example.com/data`.
   * Default: where the request was sent that asked for them.
   */
  readonly baseUrl?: string
}

/** What a host may choose. Everything has a default, so that `createPlatform()` runs. */
export interface PlatformOptions {
  /** Where records live. Default: memory. */
  readonly store?: Store
  /** Where rows and media live. Default: memory. */
  readonly blobs?: Blobs
  /** How work is handed to workers. Default: leases on the store. */
  readonly queue?: Queue
  /**
   * How requests leave. Default: the runtime's own sockets with pinned addresses, or its `fetch`
   * where it has none.
   */
  readonly fetcher?: Fetcher
  /**
   * What renders pages for recipes that ask for it, such as `createPlaywrightBrowser` of
   * `seine/playwright`. Default: none, and such recipes are refused.
   */
  readonly browser?: Browser
  /**
   * Who searches the web, for agents and for recipes with `start.search`: what
   * `createSearxngSearch` of `seine/searxng` or `createBraveSearch` of `seine/brave` gives, or an
   * object of your own. Default: nobody, and both search what their account has fetched and
   * crawled.
   */
  readonly search?: SearchProvider | SearchProviderFactory
  /**
   * What reads the fields that recipes leave to a language model: what `createOpenAiModel` of
   * `seine/openai` gives, for any OpenAI-compatible endpoint, or an object of your own. Default:
   * none, and such recipes are refused.
   */
  readonly model?: Model | ModelFactory
  /** How much a model is asked at a time, and how long it may take. */
  readonly modelLimits?: ModelLimits
  /**
   * What works on pages. Default: threads on Node, Bun and Deno, from the first page on; else this
   * thread, one page after the other. `createPageThreads` of `seine/node` makes threads with other
   * bounds.
   */
  readonly processor?: PageProcessor
  /**
   * The host's own ways to know callers, tried in order before API keys: functions, or what
   * `createJwtAuthenticator` of `seine/jose` gives.
   */
  readonly authenticators?: readonly (Authenticator | AuthenticatorFactory)[]
  /**
   * Which accounts may be used, whatever the credential; schedules of the others are refused.
   * Default: all.
   */
  readonly accountStatus?: AccountStatus
  /** Whether schedules that a user has set in a session still run. Default: until they are changed. */
  readonly mayRunSchedule?: MayRunSchedule
  /** How API keys look and where they are accepted. Default: prefix `svc_sk_`, in both headers. */
  readonly apiKeys?: {
    readonly prefix?: string
    readonly headers?: { readonly bearer?: boolean; readonly apiKey?: boolean }
  }
  /**
   * Calls by service, and under `authentication` refused credentials by address; 120 a minute, also
   * all at once, where one is not named. `false`: no limits.
   */
  readonly rateLimits?: Rates | false
  /** How many previews a user may have on one UTC day, in all and of one thing. `false`: any number. */
  readonly previews?: PreviewLimits | false
  /**
   * How much that takes long or holds much runs at the same time in this process, and how much of
   * it is one account's. What an account has beyond that waits in turns with others, or is 429.
   */
  readonly shares?: SharesOptions
  /**
   * Whether `GET /api/v1/executions/:id/plan/steps` tells the steps of executions; else it is 404.
   * Default `true`.
   */
  readonly plan?: boolean
  /**
   * Where rates are counted. Default: memory, for one process; `store` counts for all processes
   * that share it.
   */
  readonly limiter?: Limiter | 'memory' | 'store'
  /**
   * Templates of your own, made by `defineTemplate`: added to the curated catalog, where one with
   * the same id gives way; `{ only }`: instead of it.
   */
  readonly templates?: TemplatesOption
  /** What fields that are read `as: "media"` take, and how long links to it are good for. */
  readonly media?: MediaOptions
  /**
   * What recipes with `page.keep` keep: bytes of one execution's pages, compressed. Default 1 GiB;
   * pages beyond it are counted as omitted.
   */
  readonly keptPages?: { readonly maxBytesPerExecution?: number }
  /**
   * Lets recipes reach private addresses. For development: anyone who can write a recipe can then
   * read your network. Default `false`.
   */
  readonly allowPrivateNetwork?: boolean
  /** `User-Agent` of outgoing requests. */
  readonly userAgent?: string
  /**
   * Plans (the first is that of accounts without a subscription), what pages cost, and when
   * `balance.low` is told. Default: one plan that limits nothing, a credit a fetched page.
   * `legacy`: billing operations whose bodies stay as older clients of yours know them: `error` for
   * `{ error: message }`, `bare` for successes without the envelope, `both`. Default: none. A name
   * that is no billing operation is a `TypeError`.
   */
  readonly billing?: Partial<Tariff> & { readonly legacy?: Readonly<Record<string, LegacyBodies>> }
  /** Who takes the money for credits that accounts buy. Default: nobody, and top-ups are 501. */
  readonly payments?: Payments
  /**
   * The MCP endpoint for agents, at `/mcp`: which `Host` values and which pages' origins it answers
   * to, and who gives tokens for it. `false`: there is none.
   */
  readonly mcp?: McpOptions | false
  /** Origins whose pages may read answers. Default `false`: none. */
  readonly cors?: CorsOptions | false
  /** Default 1 MiB. */
  readonly maxBodyBytes?: number
  /** Path prefix that the host leaves in the URL, such as `/data`. */
  readonly basePath?: string
  /** What the API's description, at `/api/v1/openapi.json` and `/docs`, says of who offers it. */
  readonly openApi?: Partial<OpenApiInfo>
  readonly worker?: {
    /** Executions at the same time. Default 4. Other work never waits for them. */
    readonly concurrency?: number
    /** Webhook deliveries at the same time. Default 16. */
    readonly deliveries?: number
    /** How long a worker that shows no sign of life keeps its work, in ms. Default 30,000. */
    readonly leaseMs?: number
    /**
     * Processes that may visit the pages of one execution, and fetch their media, together, each
     * host in one of them at a time. A `crawl.concurrency` that a recipe names holds for all of
     * them together; without it each has 8 pages under way. All must reach the same store. Default 1.
     * For crawls that wait for slow sites.
     */
    readonly share?: number
  }
  readonly logger?: Logger
  readonly clock?: Clock
  readonly random?: RandomBytes
}

/** The services in process, without HTTP. Each method takes the principal it acts for. */
export interface PlatformApi {
  readonly agentic: Agentic
  readonly tasks: Tasks
  readonly schedules: Schedules
  readonly estimates: Estimates
  readonly executions: Executions
  readonly results: Results
  readonly datasets: Datasets
  readonly keys: Keys
  readonly media: Media
  readonly previews: Previews
  readonly plans: PlanSteps
  readonly templates: Templates
  readonly webhooks: Webhooks
  /** Also for operators: refunds, adjustments, plans of accounts, what a provider of payments tells. */
  readonly billing: Billing
  readonly analytics: Analytics
}

/**
 * A platform, ready to be mounted. As it has `fetch`, it can be the default export of a Bun, Deno
 * or Workers entry.
 */
export interface Platform {
  /** Answers any request of the service; never rejects. */
  readonly fetch: Http
  /** Each surface alone, for hosts that serve them apart. */
  readonly handlers: Handlers
  readonly worker: Worker
  readonly api: PlatformApi
  /**
   * Works out anew everything that can be, of every account or one: indexes, the ledger with
   * wallets, holds and statements, executions with their receipts and rows, roll-ups. Says what
   * differs; may run beside a live platform. The same as the command `seine verify`.
   */
  verify(options?: VerifyOptions): Promise<VerifyReport>
  /**
   * Ends what the platform opened or was given: queue, fetcher, browser, model, processor, store,
   * blobs. Stop the worker first. Idempotent.
   */
  close(): Promise<void>
}
