import { createStoreQueue } from '../defaults/store-queue.ts'
import { enterStream } from '../features/ledger/account-plan.ts'
import { createHandlers } from '../http/surfaces.ts'
import { createHttp } from '../http/handler.ts'
import { once } from '../kernel/concurrency.ts'
import { Interrupts } from '../crawl/interrupts.ts'
import { createOutbox } from '../worker/outbox.ts'
import { checkPlatformOptions } from './check-options.ts'
import { createConsoleSurface } from './console.ts'
import { createMcpSurface } from './mcp.ts'
import type { Platform, PlatformOptions } from './options.ts'
import { assemble } from './assemble.ts'

/** Time, in ms, after a sign of life of a worker elsewhere until the next one is looked for. */
const LOOK_AGAIN_MS = 60_000

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
 *
 * @throws {TypeError} that names every unknown and every wrong option, with its path
 */
export function createPlatform(options: PlatformOptions = {}): Platform {
  checkPlatformOptions(options)
  const interrupts = new Interrupts()
  const closing = new AbortController()
  let running = 0
  let aliveAt: number | null = null
  /** The time of the next check for a waiting execution without a worker. */
  let quietUntil = 0
  const { core, web, services, http } = assemble(options, {
    // The call was already answered. If this fails, the next call that finds the store down tries
    // it again.
    storeFailed: (failure) =>
      import('./store-watch.ts')
        .then(({ watchStore }) => watchStore(core, failure, closing.signal))
        .catch(() => {}),
    health: async () => (await health())(),
    wake: () => outbox.drain(),
    interrupt: (execution) => interrupts.interrupt(execution),
    stillQueued: (execution) => {
      if (aliveAt !== null || running > 0 || options.worker?.elsewhere === true) return
      if (clock.now() < quietUntil) return
      quietUntil = Infinity
      import('./idle-queue.ts')
        .then(({ warnOfIdleQueue }) =>
          warnOfIdleQueue({ store, logger, hasSigns: options.operator === true }, execution),
        )
        .catch(() => false)
        .then((isWarned) => {
          if (!isWarned) quietUntil = clock.now() + LOOK_AGAIN_MS
        })
    },
  })
  const { store, blobs, clock, logger, telemetry, ids } = core
  const leaseMs = options.worker?.leaseMs ?? 30_000
  const queue = options.queue ?? createStoreQueue({ ...core, leaseMs })
  // Another queue has its own tools for inspection.
  const unobserve =
    telemetry && !options.queue
      ? import('../defaults/observe-queue.ts').then(({ observeQueue }) =>
          observeQueue({ ...core, telemetry }),
        )
      : null
  const outbox = createOutbox(core.records, queue, clock)
  const surface = createHttp(http)
  // The answer of a single surface to paths of the other surfaces.
  const nothing = createHttp({ ...http, routes: [], later: null })
  const shown = {
    console: options.console ?? false,
    basePath: options.basePath,
    publicUrl: options.publicUrl,
  }
  const endpoint = {
    mcp: options.mcp ?? {},
    basePath: options.basePath,
    publicUrl: options.publicUrl,
    ids,
    clock,
    logger,
    prices: core.tariff.prices,
    async enterStream(account: string, end: () => void) {
      const leave = await enterStream(core, account)
      const { signal } = closing
      signal.addEventListener('abort', end, { once: true })
      if (signal.aborted) end()
      return () => {
        signal.removeEventListener('abort', end)
        leave()
      }
    },
    ...(telemetry && { tracing: { telemetry, clock } }),
    ...(options.maxBodyBytes !== undefined && { maxBodyBytes: options.maxBodyBytes }),
  }
  // A process that only answers calls does not load the worker.
  const worker = once(async () => {
    const { assembleWorker } = await import('./worker.ts')
    const parts = { core, web, services, queue, outbox: { drain }, interrupts, leaseMs }
    if (!options.operator) return assembleWorker(parts, options)
    return (await import('./operator-worker.ts')).withSignOfLife(core, (track) =>
      assembleWorker({ ...parts, track }, options),
    )
  })

  // It is not repeated here, because a worker does it every second and after each job.
  const drain = async (): Promise<void> => {
    await outbox.drain()
    aliveAt = clock.now()
  }
  const health = once(async () => {
    const { createHealth } = await import('./health.ts')
    return createHealth({
      store,
      blobs,
      clock,
      logger,
      worker: () => ({ running: running > 0, aliveAt }),
      queue,
    })
  })

  return {
    fetch: createConsoleSurface(createMcpSurface(surface, surface, endpoint), shown),
    handlers: {
      ...createHandlers(http),
      mcp: createMcpSurface(surface, nothing, endpoint),
      console: createConsoleSurface(nothing, shown),
    },
    worker: {
      async run(run) {
        running++
        try {
          await (await worker()).run(run)
        } finally {
          running--
        }
      },
      tick: async (tick) => (await worker()).tick(tick),
    },
    api: services.api,
    // Loaded on demand: few applications verify, and the others do not load this code.
    async verify(verifyOptions) {
      const [{ inspect }, { verify }] = await Promise.all([
        import('../features/verify/inspect.ts'),
        import('../features/verify/service.ts'),
      ])
      return verify({ ...inspect(store), blobs }, verifyOptions)
    },
    health: async () => (await health())(),
    async close() {
      closing.abort()
      ;(await unobserve)?.()
      services.live.close()
      await queue.close()
      await web.close()
      await options.mail?.close?.()
      await Promise.all([store.close(), blobs.close()])
    },
  }
}
