import { createDefaultFetcher } from '#fetcher'
import { createDefaultPdfReader } from '#pdf-reader'
import { shortDigest } from '#short-digest'
import { createConsoleLogger } from '../defaults/console-logger.ts'
import { createMemoryBlobs } from '../defaults/memory-blobs.ts'
import { createMemoryLimiter } from '../defaults/memory-limiter.ts'
import { createMemoryStore } from '../defaults/memory-store.ts'
import { createStoreLimiter } from '../defaults/store-limiter.ts'
import { createStoreQueue } from '../defaults/store-queue.ts'
import { cryptoRandom, systemClock } from '../defaults/system-clock.ts'
import { createRenderer } from '../engine/render/renderer.ts'
import type { Robots } from '../engine/site/robots.ts'
import {
  createDocuments,
  createModelServices,
  createSearchServices,
} from '../engine/egress/host-services.ts'
import { USER_AGENT } from '../engine/egress/types.ts'
import type { Egress } from '../engine/egress/types.ts'
import { openModel } from '../engine/model/open-model.ts'
import { createLazyAgentic } from '../features/agentic/lazy-agentic.ts'
import { agenticRoutes } from '../features/agentic/routes.ts'
import { analyticsRoutes } from '../features/analytics/routes.ts'
import { createAnalytics } from '../features/analytics/service.ts'
import { billingRoutes } from '../features/billing/routes.ts'
import { createBilling } from '../features/billing/service.ts'
import { createLiveEvents } from '../features/executions/live/live-events.ts'
import { datasetRoutes } from '../features/datasets/routes.ts'
import { createDatasets } from '../features/datasets/service.ts'
import { estimateRoutes } from '../features/estimates/routes.ts'
import { createEstimates } from '../features/estimates/service.ts'
import { createExecutions } from '../features/executions/service.ts'
import { executionRoutes } from '../features/executions/routes.ts'
import { createKeyAuthenticator } from '../features/keys/authenticator.ts'
import { createKeys } from '../features/keys/service.ts'
import { keyRoutes } from '../features/keys/routes.ts'
import { createMediaLinks } from '../features/media/links.ts'
import { mediaRoutes } from '../features/media/routes.ts'
import { createMedia } from '../features/media/service.ts'
import { planStepRoutes } from '../features/plan-steps/routes.ts'
import { createPlanSteps } from '../features/plan-steps/service.ts'
import { quotasFrom, quotasOfPlan } from '../features/previews/quotas.ts'
import { previewRoutes } from '../features/previews/routes.ts'
import { createPreviews } from '../features/previews/service.ts'
import { createRecipes } from '../features/recipes/service.ts'
import { createResults } from '../features/results/service.ts'
import { resultRoutes } from '../features/results/routes.ts'
import { createTasks } from '../features/tasks/service.ts'
import { webhookRoutes } from '../features/webhooks/routes.ts'
import { createWebhookSecrets } from '../features/webhooks/secrets.ts'
import { createWebhooks } from '../features/webhooks/service.ts'
import type { FindStarts } from '../features/common/find-starts.ts'
import { createHoldings } from '../features/limits/holdings.ts'
import { createPagesOf, createPlanOf } from '../features/ledger/account-plan.ts'
import { createShares } from '../features/limits/shares.ts'
import { retires } from '../features/executions/retention.ts'
import { createLedger } from '../features/ledger/ledger.ts'
import { tariffOf } from '../features/ledger/plans.ts'
import { scheduleRoutes } from '../features/schedules/routes.ts'
import { createSchedules } from '../features/schedules/service.ts'
import { taskRoutes } from '../features/tasks/routes.ts'
import { createTemplates } from '../features/templates/service.ts'
import { templateRoutes } from '../features/templates/routes.ts'
import { createHttp } from '../http/handler.ts'
import type { HttpOptions } from '../http/handler.ts'
import { createHandlers } from '../http/surfaces.ts'
import { DEFAULT_INFO, referenceRoutes } from '../http/openapi/routes.ts'
import { createIdempotency } from '../http/idempotency.ts'
import { withLegacyBodies } from '../http/legacy-bodies.ts'
import { createSealedAnswers } from '../http/seals.ts'
import { createCursors } from '../kernel/cursor.ts'
import { createIds } from '../kernel/id.ts'
import { once } from '../kernel/concurrency.ts'
import { platformSecret } from '../records/platform-secret.ts'
import type { RateService } from '../kernel/http/route.ts'
import type { Clock } from '../ports/clock.ts'
import type { Limiter } from '../ports/limiter.ts'
import { createRecords } from '../features/records.ts'
import type { Records } from '../features/records.ts'
import { createMcpSurface } from './mcp.ts'
import type { Platform, PlatformOptions } from './options.ts'
import { Interrupts } from '../crawl/interrupts.ts'
import { createLazyWorker } from '../worker/lazy-worker.ts'
import { createOutbox } from '../worker/outbox.ts'

/** The name of this crawler in robots.txt (RFC 9309 section 2.2.1). */
const ROBOTS_TOKEN = 'Seine'

/**
 * Creates a platform: one `fetch` function for HTTP, a worker, and the services in process.
 * Background work runs only when you call `worker.run` (servers) or `worker.tick` (cron, tests).
 *
 * Without a `store` everything is kept in memory, and a warning is logged.
 *
 * @example
 *   const platform = createPlatform()
 *   const response = await platform.fetch(new Request('http://localhost/api/v1/tasks'))
 *   console.log(response.status) // 401: no credential
 *   await platform.close()
 */
export function createPlatform(options: PlatformOptions = {}): Platform {
  const {
    clock = systemClock,
    random = cryptoRandom,
    logger = createConsoleLogger(),
    allowPrivateNetwork = false,
  } = options
  if (!options.store)
    logger.warn('No store was given: everything is kept in memory and lost when the process ends')
  const store = options.store ?? createMemoryStore({ clock })
  const blobs = options.blobs ?? createMemoryBlobs()
  if (options.store && !options.blobs)
    logger.warn(
      'A store was given but no blobs: rows are kept in memory and lost when the process ends',
    )
  const leaseMs = options.worker?.leaseMs ?? 30_000
  const records = createRecords(store)
  const queue = options.queue ?? createStoreQueue({ records, clock, random, leaseMs, logger })
  const fetcher = options.fetcher ?? createDefaultFetcher()
  const userAgent = options.userAgent ?? USER_AGENT
  const openEgress = once(async () =>
    (await import('../engine/egress/egress.ts')).createEgress({
      fetcher,
      clock,
      allowPrivateNetwork,
      userAgent,
    }),
  )
  const egress: Egress = async (request) => (await openEgress())(request)
  const openRobots = once(async () =>
    (await import('../engine/site/robots.ts')).createRobots({
      egress,
      clock,
      userAgentToken: ROBOTS_TOKEN,
    }),
  )
  const robots: Robots = { check: async (url, signal) => (await openRobots()).check(url, signal) }
  const renderer = options.browser
    ? createRenderer({ browser: options.browser, egress, userAgent })
    : null
  const model = options.model
    ? openModel(options.model, {
        services: createModelServices({ egress, allowPrivateNetwork, clock }),
        limits: options.modelLimits ?? {},
        clock,
        logger,
      })
    : null
  const ids = createIds({ now: () => clock.now(), random })
  const cursors = createCursors(() => platformSecret(records, random, 'cursor'))
  const outbox = createOutbox(records, queue, clock)
  const interrupts = new Interrupts()
  const { tokenSeconds, baseUrl } = options.media ?? {}
  const mediaLinks = createMediaLinks({
    secret: () => platformSecret(records, random, 'media'),
    clock,
    ...(tokenSeconds !== undefined && { tokenSeconds }),
  })
  const prefix = options.apiKeys?.prefix === undefined ? {} : { prefix: options.apiKeys.prefix }

  const quotas = quotasFrom(options.previews)

  const readPdf = createDefaultPdfReader(async (...given) =>
    (await import('../engine/pdf/read-pdf.ts')).readPdf(...given),
  )
  let isReading = options.processor !== undefined
  const processor = once(async () => {
    isReading = true
    return (
      options.processor ??
      (await import('#page-processor')).createDefaultPageProcessor(
        async (...given) => (await import('../engine/page-work.ts')).openPageWork(...given),
        async (spec) => (await import('../engine/export/open-row-work.ts')).openRowWork(spec),
      )
    )
  })
  const tariff = tariffOf(options.billing)
  const planOf = createPlanOf({ records, tariff })
  const pagesOf = createPagesOf(processor, planOf)
  const holdings = createHoldings({ records, planOf })
  const shares = createShares(clock, options.shares)
  const recipes = createRecipes({
    allowPrivateNetwork,
    canRender: renderer !== null,
    canAsk: model !== null,
  })
  const tasks = createTasks({ records, recipes, holdings, cursors, ids, clock })
  const schedules = createSchedules({ records, clock })
  const live = createLiveEvents({ records, shares, planOf, clock, logger })
  const ledger = createLedger({ records, ids, tariff })
  const { prices } = tariff
  const executions = createExecutions({
    records,
    ledger,
    prices,
    retires: retires(tariff),
    recipes,
    cursors,
    ids,
    clock,
    logger,
    wake: () => outbox.drain(),
    interrupt: (execution) => interrupts.interrupt(execution),
    changed: live.changed,
  })
  const media = createMedia({
    records,
    blobs,
    shares,
    links: mediaLinks,
    clock,
    ...(baseUrl !== undefined && { baseUrl }),
  })
  const estimates = createEstimates({ records, ledger, prices, recipes, clock })
  const datasets = createDatasets({
    records,
    holdings,
    shares,
    pagesOf,
    cursors,
    ids,
    clock,
    media,
  })
  const results = createResults({ records, blobs, shares, pagesOf, cursors, media })
  const keys = createKeys({ records, holdings, cursors, ids, clock, random, ...prefix })
  const { search = null } = options
  const searchProvider =
    search !== null && 'create' in search
      ? search.create(createSearchServices({ egress, allowPrivateNetwork, now: () => clock.now() }))
      : search
  const startFinder = once(async () =>
    (await import('../features/agentic/search/find-starts.ts')).createFindStarts({
      provider: searchProvider,
      records,
      blobs,
      clock,
      logger,
      allowPrivateNetwork,
    }),
  )
  const findStarts: FindStarts = async (...given) => (await startFinder())(...given)
  const previews = createPreviews({
    findStarts,
    shares,
    egress,
    robots,
    renderer,
    readPdf,
    model: model?.read ?? null,
    pagesOf,
    recipes,
    records,
    clock,
    logger,
    quotasOf: async (account) => quotasOfPlan(await planOf(account), quotas),
  })
  const templates = createTemplates({
    tasks,
    executions,
    previews,
    cursors,
    prices,
    own: options.templates ?? [],
  })
  const pageReader = once(async () => {
    return (await import('../features/agentic/read-page.ts')).createPageReader({
      egress,
      robots,
      renderer,
      recipes,
      readPdf,
      pagesOf,
      clock,
    })
  })
  const agentic = createLazyAgentic(async () => {
    const { createAgentic } = await import('../features/agentic/service.ts')
    return createAgentic({
      records,
      shares,
      executions,
      results,
      templates,
      live,
      readPage: async (...page) => (await pageReader())(...page),
      provider: searchProvider,
      blobs,
      ids,
      clock,
      logger,
    })
  })
  const plans = createPlanSteps({ records, enabled: options.plan ?? true })
  const webhookSecrets = createWebhookSecrets(
    () => platformSecret(records, random, 'webhooks'),
    random,
  )
  const webhooks = createWebhooks({
    records,
    secrets: webhookSecrets,
    cursors,
    ids,
    clock,
    logger,
    planOf,
    allowPrivateNetwork,
    wake: () => outbox.drain(),
  })
  const statements = once(async () =>
    (await import('../features/billing/statements.ts')).createStatements({
      records,
      ledger,
      tariff,
      cursors,
      clock,
    }),
  )
  const billing = createBilling({
    records,
    shares,
    ledger,
    tariff,
    prices,
    statements,
    cursors,
    ids,
    clock,
    logger,
    payments: options.payments ?? null,
  })
  const analytics = createAnalytics({ records, cursors, clock })
  const services = { clock, logger, document: createDocuments({ egress, allowPrivateNetwork }) }
  const ownAuthenticators = (options.authenticators ?? []).map((one) =>
    typeof one === 'function' ? one : one.create(services),
  )

  const routes = withLegacyBodies(
    [
      ...taskRoutes(tasks),
      ...scheduleRoutes(schedules),
      ...estimateRoutes(estimates),
      ...executionRoutes(executions, live),
      ...resultRoutes(results),
      ...datasetRoutes(datasets),
      ...keyRoutes(keys),
      ...mediaRoutes(media),
      ...templateRoutes(templates),
      ...webhookRoutes(webhooks),
      ...previewRoutes(previews),
      ...planStepRoutes(plans),
      ...billingRoutes(billing),
      ...analyticsRoutes(analytics),
      ...agenticRoutes(agentic, clock),
    ],
    options.billing?.legacy ?? {},
  )
  const http: HttpOptions = {
    routes: [...routes, ...referenceRoutes(routes, { ...DEFAULT_INFO, ...options.openApi })],
    authenticators: [
      ...ownAuthenticators,
      createKeyAuthenticator({
        records,
        clock,
        digest: shortDigest,
        ...prefix,
        ...(options.apiKeys?.headers && { headers: options.apiKeys.headers }),
      }),
    ],
    ...(options.accountStatus && { accountStatus: options.accountStatus }),
    limiter:
      options.rateLimits === false ? null : limiterOf(options.limiter ?? 'memory', records, clock),
    ...(options.rateLimits && { rates: options.rateLimits }),
    // This lookup runs on every call, so it is set only if a plan has rates.
    ...(tariff.plans.some(({ rates }) => rates) && {
      rateOf: async (account: string, service: RateService) =>
        (await planOf(account)).rates?.[service] ?? null,
    }),
    logger,
    ids,
    clock,
    shares,
    digest: shortDigest,
    idempotency: createIdempotency({
      records,
      seals: createSealedAnswers(() => platformSecret(records, random, 'answers'), random),
      ids,
      clock,
    }),
    ...(options.maxBodyBytes !== undefined && { maxBodyBytes: options.maxBodyBytes }),
    ...(options.basePath !== undefined && { basePath: options.basePath }),
    ...(options.cors !== undefined && { cors: options.cors }),
  }
  const surface = createHttp(http)
  const endpoint = {
    mcp: options.mcp ?? {},
    basePath: options.basePath ?? '',
    ids,
    logger,
    ...(options.maxBodyBytes !== undefined && { maxBodyBytes: options.maxBodyBytes }),
  }
  const worker = createLazyWorker(async () => {
    const { assembleWorker } = await import('./worker.ts')
    return assembleWorker(
      {
        records,
        blobs,
        queue,
        outbox,
        interrupts,
        digest: shortDigest,
        egress,
        findStarts,
        robots,
        renderer,
        readPdf,
        model: model?.read ?? null,
        pagesOf,
        recipes,
        ledger,
        tariff,
        statements,
        mediaLinks,
        webhookSecrets,
        ids,
        clock,
        random,
        logger,
        leaseMs,
        changed: live.changed,
      },
      options,
    )
  })

  return {
    fetch: createMcpSurface(surface, surface, endpoint),
    handlers: {
      ...createHandlers(http),
      mcp: createMcpSurface(surface, createHttp({ ...http, routes: [] }), endpoint),
    },
    worker,
    api: {
      agentic,
      tasks,
      schedules,
      estimates,
      executions,
      results,
      datasets,
      keys,
      media,
      previews,
      planSteps: plans,
      templates,
      webhooks,
      billing,
      analytics,
    },
    // Loaded on demand: few applications verify, and the others do not load this code.
    async verify(wanted) {
      const [{ inspect }, { verify }] = await Promise.all([
        import('../features/verify/inspect.ts'),
        import('../features/verify/service.ts'),
      ])
      return verify({ ...inspect(store), blobs }, wanted)
    },
    async close() {
      live.close()
      await queue.close()
      await Promise.all([
        fetcher.close(),
        options.browser?.close(),
        model?.close(),
        isReading && (await processor()).close(),
      ])
      await Promise.all([store.close(), blobs.close()])
    },
  }
}

function limiterOf(limiter: Limiter | 'memory' | 'store', records: Records, clock: Clock): Limiter {
  if (limiter === 'memory') return createMemoryLimiter({ clock })
  return limiter === 'store' ? createStoreLimiter({ records, clock }) : limiter
}
