import type { Fields } from 'seine'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { openRowWork } from '../../../src/engine/export/open-row-work.ts'
import { openPageWork } from '../../../src/engine/page-work.ts'
import type { SharesOptions } from '../../../src/features/limits/shares.ts'
import type { PreviewQuotas } from '../../../src/features/previews/quotas.ts'
import type { Tariff } from '../../../src/features/ledger/plans.ts'
import type { VisitRecord } from '../../../src/features/executions/records.ts'
import { createHttp } from '../../../src/http/handler.ts'
import type { HttpContext } from '../../../src/kernel/http/message.ts'
import type { HttpOptions } from '../../../src/http/handler.ts'
import type { Row } from '../../../src/kernel/json.ts'
import { readBacklog } from '../../../src/defaults/observe-queue.ts'
import { assemble } from '../../../src/platform/assemble.ts'
import type { Blobs } from '../../../src/ports/blobs.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { Fetcher } from '../../../src/ports/fetcher.ts'
import type { Logger } from '../../../src/ports/logger.ts'
import type { PageProcessor } from '../../../src/ports/page-processor.ts'
import type { Store } from '../../../src/ports/store.ts'
import { Change } from '../../../src/records/change.ts'
import { createDescribed } from './described.ts'
import { createFakeClock } from '../fakes/fake-clock.ts'
import { createFakePayments } from '../fakes/fake-payments.ts'
import { createDefaultPageProcessor } from './inline-pages.ts'
import { seededRandom } from '../fakes/seeded-random.ts'

/** An answer with its body read as JSON. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** Untyped, as for a client without types. */
  readonly body: ReturnType<typeof JSON.parse>
}

/** The parts of a call apart from method and path. */
export interface Sent {
  readonly body?: unknown
  readonly headers?: Record<string, string>
  /** The API key; by default that of the host, with every scope; `null` for none. */
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
    operator?: boolean
  } = {},
) {
  const clock = createFakeClock()
  const store = options.store ?? createMemoryStore({ clock })
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
  const { tariff, previews, shares } = options
  const {
    core,
    services,
    routes,
    http: composed,
  } = assemble(
    {
      store,
      blobs,
      clock,
      random: seededRandom(),
      logger,
      ...(tariff && { billing: tariff }),
      ...(shares && { shares }),
      ...(options.operator && { operator: true }),
      ...(options.accountStatus && { accountStatus: options.accountStatus }),
      fetcher: everywhere,
      processor: options.processor ?? createDefaultPageProcessor(openPageWork, openRowWork),
      payments: createFakePayments(),
      mail: { send: async () => null },
      previews: previews ?? { perDay: 1_000_000, perScope: 1_000_000, urls: 5 },
      rateLimits: false,
    },
    {
      webClock: hurried(clock),
      health: async () => ({
        ok: true,
        store: { ok: true, ms: 0, error: null },
        blobs: { ok: true, ms: 0, error: null },
        worker: { running: false, aliveAt: null },
        queue: await readBacklog(core.records, clock),
      }),
      wake: options.wake ?? (() => void calls.woken++),
      storeFailed: () => undefined,
      interrupt: (id) => void calls.interrupted.push(id),
    },
  )
  const { keys, tasks, executions, results, billing, snapshots } = services.api
  const bare = createHttp({ ...composed, ...options, shares: core.shares })
  const allRoutes = [...routes, ...((await composed.later?.()) ?? [])]
  const reference = composed.routes.slice(routes.length)
  const http = options.routes ? bare : createDescribed([...allRoutes, ...reference], bare)

  const keyOf = async (account: string, scopes: readonly string[] = ['*']) =>
    (
      await keys.create(
        { account, user: account, scopes: ['*', 'operator'] },
        { name: 'test', scopes },
      )
    ).secret
  const key = await keyOf('acme', options.operator ? ['*', 'operator'] : ['*'])

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
    core,
    clock,
    store,
    records: core.records,
    blobs,
    logged,
    calls,
    routes: allRoutes,
    reference,
    http,
    key,
    keyOf,
    keys,
    tasks,
    executions,
    results,
    billing,
    snapshots,
    send,
    call,

    /** Writes an execution of a new task, like the worker: each list of rows is a segment. */
    async executionWith(
      segments: readonly (readonly Row[])[],
      facts: { fields?: Fields; name?: string } = {},
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
      core.records.visits.put(change, 'acme', full)
      await core.records.commit(change)
    },
  }

  async function addSegment(execution: string, rows: readonly Row[]): Promise<void> {
    const progress = await core.records.progress.get('acme', execution)
    if (!progress) throw new Error('no such execution')
    const { segments, rows: offset } = progress.value
    const blob = `rows/${execution}/${segments}.jsonl`
    await blobs.put(
      blob,
      new TextEncoder().encode(rows.map((row, i) => JSON.stringify([i, row])).join('\n')),
    )
    const change = new Change()
    core.records.segments.put(change, 'acme', {
      execution,
      index: segments,
      blob,
      rows: rows.length,
      offset,
    })
    core.records.progress.put(change, 'acme', {
      ...progress.value,
      segments: segments + 1,
      rows: offset + rows.length,
    })
    await core.records.commit(change)
  }
}

/** A recipe that is valid, with fields of the test's choice. */
export function recipeOf(fields: Fields = { title: 'h1', price: '.price' }) {
  return { start: { urls: ['https://shop.example.com/'] }, extract: { fields } }
}

function memoryBlobs(): Blobs & { readonly reads: string[] } {
  const files = new Map<string, Uint8Array>()
  const reads: string[] = []
  return {
    reads,
    get: async (name) => {
      reads.push(name)
      return files.get(name) ?? null
    },
    put: async (name, bytes) => void files.set(name, bytes),
    remove: async (name) => void files.delete(name),
    list: async (prefix) => [...files.keys()].filter((name) => name.startsWith(prefix)),
    close: async () => undefined,
  }
}

const PAGE = new TextEncoder().encode(
  '<title>A page</title><h1>A page</h1><p class="price">1.50</p><a href="/next">next</a>',
)

/** A web on which every URL is the same page. */
const everywhere: Fetcher = {
  capabilities: { pinsAddresses: true },
  resolve: async () => ['93.184.216.34'],
  send: async ({ url }) => ({
    status: url.pathname === '/robots.txt' ? 404 : 200,
    headers: { 'content-type': 'text/html' },
    body: PAGE,
    truncated: false,
  }),
  close: async () => undefined,
}

/**
 * The clock of visits on a host whose clock stands still: a pause between two pages takes no time,
 * and a preview never times out.
 */
function hurried(clock: Clock): Clock {
  return {
    now: clock.now,
    sleep: (ms, signal) => (ms < 20_000 ? Promise.resolve() : clock.sleep(ms, signal)),
  }
}
