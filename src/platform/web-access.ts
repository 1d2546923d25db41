import { createDefaultFetcher } from '#fetcher'
import { createModelServices, createSearchServices } from '../engine/egress/host-services.ts'
import { USER_AGENT } from '../engine/egress/types.ts'
import type { Egress } from '../engine/egress/types.ts'
import type { ReadByModelFor } from '../engine/model/model-reader.ts'
import { createRenderer } from '../engine/render/renderer.ts'
import type { FindStarts } from '../features/common/web-access.ts'
import type { WebAccess } from '../features/common/web-access.ts'
import type { Core } from '../features/core.ts'
import { createPagesOf, pageLimitsOf } from '../features/ledger/account-plan.ts'
import type { PlanOf } from '../features/ledger/account-plan.ts'
import { once } from '../kernel/concurrency.ts'
import { FairGate } from '../kernel/fair/fair-gate.ts'
import type { DocumentReader } from '../ports/document-reader.ts'
import type { Model } from '../ports/model.ts'
import type { PlatformOptions } from './options.ts'

/** The name of this crawler in robots.txt (RFC 9309 section 2.2.1). */
const ROBOTS_TOKEN = 'Seine'

/** Options of web access. */
export type WebAccessOptions = Pick<
  PlatformOptions,
  | 'fetcher'
  | 'browser'
  | 'model'
  | 'modelLimits'
  | 'processor'
  | 'search'
  | 'traceparentToSites'
  | 'userAgent'
>

/** Web access, with everything that it opened. */
export interface OpenWebAccess extends WebAccess {
  /** Closes fetcher, browser, model and processor. */
  close(): Promise<void>
}

/** Opens web access. The code that reads pages is loaded with the first page. */
export function openWebAccess(core: Core, options: WebAccessOptions): OpenWebAccess {
  const { clock, logger, telemetry, allowPrivateNetwork } = core
  const { userAgent = USER_AGENT, search = null, traceparentToSites: toSites = false } = options
  const fetcher = options.fetcher ?? createDefaultFetcher()
  const openEgress = once(async () => {
    const { createEgress } = await import('../engine/egress/egress.ts')
    const bare = createEgress({ fetcher, clock, allowPrivateNetwork, userAgent })
    if (telemetry === null) return bare
    const { traceEgress } = await import('../engine/egress/traced-egress.ts')
    return traceEgress(bare, { telemetry, clock, toSites })
  })
  const egress: Egress = async (request) => (await openEgress())(request)
  const openRobots = once(async () =>
    (await import('../engine/site/robots.ts')).createRobots({
      egress,
      clock,
      userAgentToken: ROBOTS_TOKEN,
    }),
  )
  const modelServices = createModelServices({ egress, allowPrivateNetwork, clock })
  const model =
    options.model && 'create' in options.model
      ? options.model.create(modelServices)
      : (options.model ?? null)
  const readerOf = (opened: Model): ReadByModelFor => {
    const reader = once(async () =>
      (await import('../features/model-answers/stored-answers.ts')).createAnsweringReader(
        core,
        opened,
        options.modelLimits,
      ),
    )
    return async (...page) => (await reader())(...page)
  }
  let isReading = options.processor !== undefined
  const processor = once(async () => {
    isReading = true
    return (
      options.processor ??
      (await import('#page-processor')).createDefaultPageProcessor(
        async (...work) => (await import('../engine/page-work.ts')).openPageWork(...work),
        async (spec) => (await import('../engine/export/open-row-work.ts')).openRowWork(spec),
      )
    )
  })
  const documents = once(async () =>
    (await import('#document-reader')).createDefaultDocumentReader(
      async (...file) => (await import('../engine/pdf/read-pdf.ts')).readPdf(...file),
      clock,
    ),
  )
  const provider =
    search !== null && 'create' in search
      ? search.create(createSearchServices({ egress, allowPrivateNetwork, now: () => clock.now() }))
      : search
  const startFinder = once(async () =>
    (await import('../features/agentic/search/find-starts.ts')).createFindStarts(core, provider),
  )
  const findStarts: FindStarts = async (...args) => (await startFinder())(...args)
  return {
    egress,
    robots: { check: async (url, signal) => (await openRobots()).check(url, signal) },
    renderer: options.browser
      ? createRenderer({ browser: options.browser, egress, userAgent, logger })
      : null,
    documentsOf: inTurns(async (...file) => (await documents())(...file), core.planOf),
    model: model && readerOf(model),
    pagesOf: createPagesOf(processor, core.planOf),
    search: provider,
    findStarts,
    clock,
    async close() {
      await Promise.all([
        fetcher.close(),
        options.browser?.close(),
        model?.close?.(),
        isReading && (await processor()).close(),
      ])
    },
  }
}

/** Maximum number of documents that are read at the same time. */
const DOCUMENTS_AT_ONCE = 2

/**
 * A reader for each account, within the limits of its plan. A document takes up to 15 seconds, so
 * accounts take turns. A document of another account waits only for those that are being read.
 */
export function inTurns(
  read: DocumentReader,
  findPlan: PlanOf,
): (account: string) => DocumentReader {
  const gate = new FairGate({
    name: 'documents',
    places: DOCUMENTS_AT_ONCE,
    each: DOCUMENTS_AT_ONCE,
    // No limit is needed: each waiting document is a page that is being visited, and those are
    // bounded.
    waiting: Infinity,
  })
  return (account) => async (body, format, signal) => {
    // The plan is read before a place is taken. Otherwise a slow store would delay the documents of
    // all accounts.
    const limits = pageLimitsOf(await findPlan(account))
    const leave = await gate.enter(account, { signal }).catch((error: unknown) => {
      signal.throwIfAborted()
      throw error
    })
    try {
      return await read(body, format, signal, limits)
    } finally {
      leave()
    }
  }
}
