import { createMemoryStore } from '../../src/defaults/memory-store.ts'
import { createKeyAuthenticator } from '../../src/features/keys/authenticator.ts'
import { agenticRoutes } from '../../src/features/agentic/routes.ts'
import { createAgentic } from '../../src/features/agentic/service.ts'
import { keyRoutes } from '../../src/features/keys/routes.ts'
import { createKeys } from '../../src/features/keys/service.ts'
import { datasetRoutes } from '../../src/features/datasets/routes.ts'
import { createDatasets } from '../../src/features/datasets/service.ts'
import { estimateRoutes } from '../../src/features/estimates/routes.ts'
import { createEstimates } from '../../src/features/estimates/service.ts'
import { executionRoutes } from '../../src/features/executions/routes.ts'
import { createLiveEvents } from '../../src/features/executions/live/live-events.ts'
import { analyticsRoutes } from '../../src/features/analytics/routes.ts'
import { createAnalytics } from '../../src/features/analytics/service.ts'
import { billingRoutes } from '../../src/features/billing/routes.ts'
import { createBilling } from '../../src/features/billing/service.ts'
import { createStatements } from '../../src/features/billing/statements.ts'
import { createHoldings } from '../../src/features/limits/holdings.ts'
import type { SharesOptions } from '../../src/features/limits/shares.ts'
import { createShares } from '../../src/features/limits/shares.ts'
import { createPlanOf, createPagesOf } from '../../src/features/ledger/account-plan.ts'
import { createLedger } from '../../src/features/ledger/ledger.ts'
import { OPEN_TARIFF } from '../../src/features/ledger/plans.ts'
import { DEFAULT_PRICES } from '../../src/kernel/price.ts'
import { createExecutions } from '../../src/features/executions/service.ts'
import { createMediaLinks } from '../../src/features/media/links.ts'
import { mediaRoutes } from '../../src/features/media/routes.ts'
import { createMedia } from '../../src/features/media/service.ts'
import { planStepRoutes } from '../../src/features/plan-steps/routes.ts'
import { createPlanSteps } from '../../src/features/plan-steps/service.ts'
import { previewRoutes } from '../../src/features/previews/routes.ts'
import type { PreviewQuotas } from '../../src/features/previews/quotas.ts'
import { createRecipes } from '../../src/features/recipes/service.ts'
import { resultRoutes } from '../../src/features/results/routes.ts'
import { createResults } from '../../src/features/results/service.ts'
import { taskRoutes } from '../../src/features/tasks/routes.ts'
import { createTasks } from '../../src/features/tasks/service.ts'
import { scheduleRoutes } from '../../src/features/schedules/routes.ts'
import { createSchedules } from '../../src/features/schedules/service.ts'
import { templateRoutes } from '../../src/features/templates/routes.ts'
import { createTemplates } from '../../src/features/templates/service.ts'
import { webhookRoutes } from '../../src/features/webhooks/routes.ts'
import { createWebhookSecrets } from '../../src/features/webhooks/secrets.ts'
import { createWebhooks } from '../../src/features/webhooks/service.ts'
import { openRowWork } from '../../src/engine/export/open-row-work.ts'
import { openPageWork } from '../../src/engine/page-work.ts'
import type { PageProcessor } from '../../src/ports/page-processor.ts'
import { createDefaultPageProcessor } from './inline-pages.ts'
import { createHttp } from '../../src/http/handler.ts'
import type { HttpContext, HttpOptions } from '../../src/http/handler.ts'
import { DEFAULT_INFO, referenceRoutes } from '../../src/http/openapi/routes.ts'
import { createIdempotency } from '../../src/http/idempotency.ts'
import { createSealedAnswers } from '../../src/http/seals.ts'
import { createCursors } from '../../src/kernel/cursor.ts'
import { createIds } from '../../src/kernel/id.ts'
import type { Json, Row } from '../../src/kernel/json.ts'
import type { Blobs } from '../../src/ports/blobs.ts'
import type { Logger } from '../../src/ports/logger.ts'
import type { Store } from '../../src/ports/store.ts'
import { Change } from '../../src/records/change.ts'
import { platformSecret } from '../../src/records/platform-secret.ts'
import { createRecords } from '../../src/features/records.ts'
import type { VisitRecord } from '../../src/features/executions/records.ts'
import { createDescribed } from './described.ts'
import { createFakePayments } from './fake-payments.ts'
import type { Tariff } from '../../src/features/ledger/plans.ts'
import { createFakeClock } from './fake-clock.ts'
import { createHostPreviews } from './host-previews.ts'
import { seededRandom } from './seeded-random.ts'

/** An answer with its body read as JSON. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** As a client without types has it. */
  readonly body: ReturnType<typeof JSON.parse>
}

/** What a call sends beyond method and path. */
export interface Sent {
  readonly body?: unknown
  readonly headers?: Record<string, string>
  /** The API key; absent: the host's own, with every scope. `null`: none. */
  readonly key?: string | null
  readonly context?: HttpContext
}

/** The services and their HTTP surface on the memory store, without a worker. */
export async function createServiceHost(
  options: Omit<Partial<HttpOptions>, 'shares'> & {
    store?: Store
    tariff?: Tariff
    previews?: PreviewQuotas
    shares?: SharesOptions
    processor?: PageProcessor
    wake?: () => Promise<void>
  } = {},
) {
  const clock = createFakeClock()
  const random = seededRandom()
  const store = options.store ?? createMemoryStore({ clock })
  const records = createRecords(store)
  const ids = createIds({ now: clock.now, random })
  const cursors = createCursors(() => platformSecret(records, random, 'cursor'))
  const blobs = memoryBlobs()
  const logged: { level: string; message: string; fields: unknown }[] = []
  const log = (level: string) => (message: string, fields?: unknown) =>
    void logged.push({ level, message, fields })
  const logger: Logger = {
    debug: log('debug'),
    info: log('info'),
    warn: log('warn'),
    error: log('error'),
  }
  const calls = { woken: 0, interrupted: [] as string[] }
  const recipes = createRecipes()
  const tariff: Tariff = options.tariff ?? OPEN_TARIFF
  const planOf = createPlanOf({ records, tariff })
  const holdings = createHoldings({ records, planOf })
  const shares = createShares(clock, options.shares)
  const processor = options.processor ?? createDefaultPageProcessor(openPageWork, openRowWork)
  const pagesOf = createPagesOf(async () => processor, planOf)
  const tasks = createTasks({ records, recipes, holdings, cursors, ids, clock })
  const live = createLiveEvents({ records, shares, planOf, clock, logger })
  const ledger = createLedger({ records, ids, tariff })
  const executions = createExecutions({
    records,
    ledger,
    prices: DEFAULT_PRICES,
    recipes,
    cursors,
    ids,
    clock,
    logger,
    wake: options.wake ?? (() => void calls.woken++),
    interrupt: (id) => void calls.interrupted.push(id),
    changed: live.changed,
  })
  const mediaLinks = createMediaLinks({
    secret: () => platformSecret(records, random, 'media'),
    clock,
  })
  const media = createMedia({ records, blobs, shares, links: mediaLinks, clock })
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
  const keys = createKeys({ records, holdings, cursors, ids, clock, random })
  const { previews: quotas } = options
  const previews = createHostPreviews({
    recipes,
    shares,
    records,
    clock,
    logger,
    ...(quotas && { quotasOf: () => quotas }),
  })
  const secrets = createWebhookSecrets(() => platformSecret(records, random, 'webhooks'), random)
  const webhooks = createWebhooks({
    records,
    secrets,
    cursors,
    ids,
    clock,
    logger,
    planOf,
    wake: () => undefined,
  })
  const billing = createBilling({
    records,
    shares,
    ledger,
    tariff,
    prices: DEFAULT_PRICES,
    statements: async () => createStatements({ records, ledger, tariff, cursors, clock }),
    cursors,
    ids,
    clock,
    logger,
    payments: createFakePayments(),
  })
  const templates = createTemplates({
    tasks,
    executions,
    previews,
    cursors,
    prices: DEFAULT_PRICES,
    own: [],
  })
  const agentic = createAgentic({
    records,
    shares,
    executions,
    results,
    templates,
    live,
    readPage: async (url) => ({ url, title: 'A page', text: '# A page', metadata: {} }),
    provider: null,
    blobs,
    ids,
    clock,
    logger,
  })
  const routes = [
    ...agenticRoutes(agentic, clock),
    ...billingRoutes(billing),
    ...analyticsRoutes(createAnalytics({ records, cursors, clock })),
    ...webhookRoutes(webhooks),
    ...taskRoutes(tasks),
    ...scheduleRoutes(createSchedules({ records, clock })),
    ...estimateRoutes(createEstimates({ records, ledger, prices: DEFAULT_PRICES, recipes, clock })),
    ...executionRoutes(executions, live),
    ...resultRoutes(results),
    ...datasetRoutes(datasets),
    ...keyRoutes(keys),
    ...mediaRoutes(media),
    ...templateRoutes(templates),
    ...previewRoutes(previews),
    ...planStepRoutes(createPlanSteps({ records, enabled: true })),
  ]
  const idempotency = createIdempotency({
    records,
    seals: createSealedAnswers(() => platformSecret(records, random, 'answers'), random),
    ids,
    clock,
  })
  const reference = referenceRoutes(routes, DEFAULT_INFO)
  const bare = createHttp({
    routes: [...routes, ...reference],
    idempotency,
    authenticators: [createKeyAuthenticator({ records, clock })],
    limiter: null,
    logger,
    ids,
    clock,
    ...options,
    shares,
  })

  const http = options.routes ? bare : createDescribed([...routes, ...reference], bare)

  const keyOf = async (account: string, scopes: readonly string[] = ['*']) =>
    (await keys.create({ account, user: account, scopes: ['*'] }, { name: 'test', scopes })).secret
  const key = await keyOf('acme')

  const send = (method: string, path: string, sent: Sent = {}) => {
    const headers = new Headers(sent.headers)
    const credential = sent.key === undefined ? key : sent.key
    if (credential !== null && !headers.has('x-api-key')) headers.set('x-api-key', credential)
    if (sent.body !== undefined && !headers.has('content-type'))
      headers.set('content-type', 'application/json')
    const body =
      sent.body === undefined
        ? null
        : typeof sent.body === 'string' || sent.body instanceof Uint8Array
          ? (sent.body as BodyInit)
          : JSON.stringify(sent.body)
    return http(new Request(`http://host.test${path}`, { method, headers, body }), sent.context)
  }
  const call = async (method: string, path: string, sent: Sent = {}): Promise<Answer> => {
    const response = await send(method, path, sent)
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? null : JSON.parse(text),
    }
  }

  return {
    clock,
    store,
    records,
    blobs,
    logged,
    calls,
    routes,
    reference,
    http,
    key,
    keyOf,
    keys,
    tasks,
    executions,
    results,
    billing,
    send,
    call,

    /** An execution of a new task, as the worker would have left it: each list of rows is a segment. */
    async executionWith(
      segments: readonly (readonly Row[])[],
      facts: { fields?: Record<string, Json>; name?: string } = {},
    ) {
      const task = await call('POST', '/api/v1/tasks', {
        body: { name: facts.name ?? 'Shop', recipe: recipeOf(facts.fields) },
      })
      const started = await call('POST', `/api/v1/tasks/${task.body.data.id}/executions`)
      const execution: string = started.body.data.id
      for (const rows of segments) await addSegment(execution, rows)
      return { taskId: task.body.data.id as string, id: execution }
    },
    addSegment,
    /** Adds a line to the receipt and counts it. */
    async addVisit(visit: Pick<VisitRecord, 'execution' | 'seq' | 'url'> & Partial<VisitRecord>) {
      const full: VisitRecord = {
        finalUrl: null,
        label: 'start',
        depth: 0,
        outcome: 'fetched',
        reason: null,
        httpStatus: 200,
        rows: 1,
        bytes: 10,
        durationMs: 5,
        credits: 1,
        at: clock.now(),
        ...visit,
      }
      const change = new Change()
      records.visits.put(change, 'acme', full)
      await records.commit(change)
    },
  }

  async function addSegment(execution: string, rows: readonly Row[]): Promise<void> {
    const progress = await records.progress.get('acme', execution)
    if (!progress) throw new Error('no such execution')
    const { segments, rows: offset } = progress.value
    const blob = `rows/${execution}/${segments}.jsonl`
    await blobs.put(
      blob,
      new TextEncoder().encode(rows.map((row, i) => JSON.stringify([i, row])).join('\n')),
    )
    const change = new Change()
    records.segments.put(change, 'acme', {
      execution,
      index: segments,
      blob,
      rows: rows.length,
      offset,
    })
    records.progress.put(change, 'acme', {
      ...progress.value,
      segments: segments + 1,
      rows: offset + rows.length,
    })
    await records.commit(change)
  }
}

/** A recipe that is valid, with fields of the test's choice. */
export function recipeOf(fields: Record<string, Json> = { title: 'h1', price: '.price' }) {
  return { start: { urls: ['https://shop.example.com/'] }, extract: { fields } }
}

function memoryBlobs(): Blobs & { readonly reads: string[] } {
  const kept = new Map<string, Uint8Array>()
  const reads: string[] = []
  return {
    reads,
    get: async (name) => {
      reads.push(name)
      return kept.get(name) ?? null
    },
    put: async (name, bytes) => void kept.set(name, bytes),
    remove: async (name) => void kept.delete(name),
    list: async (prefix) => [...kept.keys()].filter((name) => name.startsWith(prefix)),
    close: async () => undefined,
  }
}
