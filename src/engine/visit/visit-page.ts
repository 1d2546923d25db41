import type { NormalUrl } from '../../kernel/url.ts'
import { PageFailure } from '../../kernel/failures.ts'
import type { FoundLink, Page, PageResult } from '../../ports/page-processor.ts'
import type { EgressResponse } from '../egress/types.ts'
import type { Asker } from '../model/answer-memory.ts'
import type { ModelReading, ReadByModel, ReadByModelFor } from '../model/model-reader.ts'
import type { CrawlPlan } from '../plan/plan.ts'
import type { Rendered } from '../render/renderer.ts'
import type { PageReason } from './fetch-page.ts'
import { loadPage } from './load-page.ts'
import type { LoadedPage, LoadPageOptions } from './load-page.ts'
import { givenUp, ranOver } from './page-too-costly.ts'
import type { Refused } from './reach.ts'

/** Dependencies and options of {@link visitPage}. */
export interface VisitPageOptions<T> extends LoadPageOptions {
  /** Reads a page that may be used, and returns the caller's result. */
  readonly read: (page: Page, rendered: Rendered | null) => Promise<T>
  /**
   * Judges the final URL after redirects, before the page is read. A preview knows all URLs of its
   * run, so it can skip the reading. Absent for an execution, because only its commit knows the
   * URLs seen by other workers, and for a single page.
   */
  readonly refuse?: (finalUrl: string) => Refused | null
}

/** Facts that every visit has, with any outcome. */
interface VisitFacts {
  /** When it began, in Unix milliseconds. */
  readonly startedAt: number
  /** Milliseconds until the page was loaded, without the time to process it. */
  readonly loadMs: number
  /** `null` if no response came. */
  readonly httpStatus: number | null
  /** The final URL, if redirects or scripts led elsewhere; else `null`. */
  readonly finalUrl: string | null
}

/** A visit in which `read` returned nothing. */
export interface UnreadPage extends VisitFacts {
  readonly outcome: 'blocked' | 'failed' | 'skipped_robots' | Refused['outcome']
  readonly reason: PageReason
  readonly response: EgressResponse | null
}

/** The outcome of a visit. `answer`: the result of `read`. */
export type VisitedPage<T> =
  | UnreadPage
  | (VisitFacts & Omit<Fetched, 'reason'> & { readonly answer: T })

type Fetched = Extract<LoadedPage, { readonly outcome: 'fetched' }>
type Unloaded = Pick<UnreadPage, 'outcome' | 'reason' | 'response'>

/**
 * Visits one page: robots.txt, the request with its retries and redirects, a browser if the recipe
 * asks for one, and `read`. The caller has reserved the request. Whatever the site or its page
 * does, the result is an outcome with a reason. Rejects only with the signal's reason, and with
 * errors of `read` other than a `PageFailure`.
 */
export async function visitPage<T>(
  url: NormalUrl,
  { read, refuse, ...options }: VisitPageOptions<T>,
): Promise<VisitedPage<T>> {
  const { clock } = options
  const startedAt = clock.now()
  const loaded = await unlessGivenUp(null, loadPage(url, options))
  const loadMs = clock.now() - startedAt
  const factsOf = (response: EgressResponse | null, landedAt = response?.url): VisitFacts => ({
    startedAt,
    loadMs,
    httpStatus: response?.status ?? null,
    finalUrl: landedAt !== undefined && landedAt !== url ? landedAt : null,
  })
  if (loaded.outcome !== 'fetched') return { ...factsOf(loaded.response), ...loaded }
  const { response, page, rendered } = loaded
  const facts = factsOf(response, page.url)
  const refused = facts.finalUrl === null ? null : refuse?.(facts.finalUrl)
  if (refused) return { ...facts, ...refused, response }
  const answer = await unlessGivenUp(
    response,
    read(page, rendered).then((made) => ({ outcome: 'fetched' as const, made })),
  )
  if (answer.outcome !== 'fetched') return { ...factsOf(response), ...answer }
  const { reason: _, ...fetched } = loaded
  return { ...facts, ...fetched, answer: answer.made }
}

/** Turns a failure by time or memory limit into an outcome. */
async function unlessGivenUp<T>(
  response: EgressResponse | null,
  work: Promise<T>,
): Promise<T | Unloaded> {
  try {
    return await work
  } catch (error) {
    if (error instanceof PageFailure) return { outcome: 'failed', reason: givenUp(error), response }
    throw error
  }
}

/** Returns the row for a page that failed, if the recipe has such rows. Skipped pages have no row. */
export function failedRow(
  plan: Pick<CrawlPlan, 'failed'>,
  link: FoundLink,
  { outcome, reason, response, httpStatus }: UnreadPage,
): PageResult | null {
  if (outcome !== 'failed' && outcome !== 'blocked') return null
  return plan.failed(
    {
      url: link.url,
      finalUrl: response?.url ?? null,
      status: httpStatus,
      outcome,
      error: reason.message,
      contentType: response?.headers['content-type'] ?? null,
      bytes: response?.body.length ?? 0,
    },
    link,
  )
}

/** Asks the model; `null`: there is no model. */
export function modelOf(model: ReadByModelFor | null, asker: Asker): ReadByModel | null {
  return model && ((...page) => model(asker, ...page))
}

/**
 * Lets a model read the fields that the recipe leaves to it. `null`: there is no model, and the
 * page keeps its other values. `reason`: why the page is incomplete, or else why the model failed.
 */
export async function readByModel(
  model: ReadByModel | null,
  plan: CrawlPlan,
  result: PageResult,
  signal: AbortSignal,
): Promise<ModelReading> {
  const reading = (await model?.(plan, result, signal)) ?? {
    result,
    tokens: null,
    given: [],
    reason: null,
  }
  return { ...reading, reason: ranOver(reading.result) ?? reading.reason }
}
