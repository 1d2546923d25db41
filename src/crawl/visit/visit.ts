import type { Politeness } from '../../engine/site/politeness.ts'
import type { Robots } from '../../engine/site/robots.ts'
import type { Egress } from '../../engine/egress/types.ts'
import type { ReadByModel } from '../../engine/model/model-reader.ts'
import { PICTURE } from '../../engine/recipe/columns.ts'
import type { CrawlPlan } from '../../engine/plan/plan.ts'
import type { Renderer } from '../../engine/render/renderer.ts'
import { failedRow, readByModel, visitPage } from '../../engine/visit/visit-page.ts'
import { VisitNotes } from '../../engine/visit/visit-trail.ts'
import { giveBack } from '../../kernel/bytes.ts'
import type { Clock } from '../../ports/clock.ts'
import type { OpenRecipe } from '../../ports/page-processor.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { DocumentReader } from '../../ports/document-reader.ts'
import { bodyDigest } from '../../features/common/provenance.ts'
import type { FrontierRecord } from '../../features/executions/records.ts'
import type { MediaKeeper } from '../media/media-keeper.ts'
import { NO_MEDIA, wantsPicture } from '../media/media-taker.ts'
import { emptyOutcome } from './outcome.ts'
import type { VisitOutcome } from './outcome.ts'
import { packPage } from '../../features/executions/pack-page.ts'
import { traceVisit } from './traced-visit.ts'
import { createPoliteness } from '../../engine/site/politeness.ts'
import type { PageSource } from '../archive/page-source.ts'

export interface VisitContext {
  readonly plan: CrawlPlan
  /** The recipe, opened in the thread or process that extracts its pages. */
  readonly pages: Pick<OpenRecipe, 'process' | 'isShell'>
  readonly egress: Egress
  /** `null`: the recipe does not ask for robots.txt. */
  readonly robots: Robots | null
  /** `null`: there is no browser. */
  readonly renderer: Renderer | null
  readonly readDocument: DocumentReader
  /** `null`: there is no model. */
  readonly model: ReadByModel | null
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly politeness: Politeness
  /** Keeps the pictures of pages; `null`: the recipe takes no media. */
  readonly keeper: MediaKeeper | null
  /** `null`: visits are not traced. */
  readonly telemetry: Telemetry | null
}

/**
 * Fetches one page, renders it if the recipe asks for that, and extracts its rows. Media are
 * fetched later. Any failure of the site or of its page is an outcome with a reason; the promise
 * rejects only with the run's own signal.
 */
export function visit(entry: FrontierRecord, context: VisitContext): Promise<VisitOutcome> {
  const { telemetry } = context
  return telemetry
    ? traceVisit(telemetry, entry, () => makeVisit(entry, context))
    : makeVisit(entry, context)
}

async function makeVisit(entry: FrontierRecord, context: VisitContext): Promise<VisitOutcome> {
  const { plan, pages, clock, signal, model, keeper } = context
  const notes = new VisitNotes(entry.url)
  const visited = await visitPage(entry.url, {
    ...context,
    notes,
    request: plan.request,
    readsDocument: (format) => plan.readsDocument(entry, format),
    isShell: (page) => pages.isShell(page, entry, signal),
    read: (page) => pages.process(page, entry, signal),
  })
  const { startedAt, httpStatus, finalUrl } = visited
  if (visited.outcome !== 'fetched') {
    const endedAt = clock.now()
    const trail = notes.trail(startedAt, endedAt)
    const durationMs = endedAt - startedAt
    const facts = { httpStatus, finalUrl, durationMs, ...(trail && { trail }) }
    return {
      ...emptyOutcome(entry, visited.outcome, visited.reason, facts),
      fetchedAt: startedAt,
      ...failedRow(plan, entry, visited),
    }
  }
  const { page, rendered, bytes, response } = visited
  const { result, tokens, reason } = await readByModel(model, plan, visited.answer, signal)
  const { rows, links, filled, extracted, sources } = result
  const wantsShot = plan.media.includes(PICTURE) && wantsPicture(rows)
  const picture =
    keeper && wantsShot ? await keeper.keepPicture(rendered?.screenshot ?? null, page.url) : null
  const isKept = plan.keeps || plan.maxAgeMs > 0
  const endedAt = clock.now()
  const trail = notes.trail(startedAt, endedAt)
  const outcome: VisitOutcome = {
    entry,
    outcome: 'fetched',
    reason,
    httpStatus,
    finalUrl,
    bytes,
    durationMs: endedAt - startedAt,
    rows,
    links,
    filled,
    extracted,
    fetchedAt: startedAt,
    ...(rows.length > 0 && { digest: await bodyDigest(page.body, visited.answer.digest) }),
    ...(sources && { sources }),
    media: NO_MEDIA,
    rendered: rendered !== null,
    ...(tokens && { modelled: true, tokens }),
    ...(picture && { picture }),
    ...(trail && { trail }),
    ...(isKept && {
      kept: { ...(await packPage(page)), at: startedAt, rendered: rendered !== null },
    }),
  }
  // The memory of the body is freed here. Otherwise some 60 MB of unused pages would wait for
  // garbage collection.
  if (response.isOwned === true && page.body === response.body) giveBack(page.body)
  return outcome
}

/** Visits a page that may be stored. A stored page needs no request. */
export async function visitStored(
  entry: FrontierRecord,
  source: PageSource | null,
  context: VisitContext,
): Promise<VisitOutcome> {
  if (!source?.has(entry)) return visit(entry, context)
  // A stored page is already rendered, and its host is not asked.
  const stored = await source.visit(entry, (egress) =>
    visit(entry, {
      ...context,
      egress,
      renderer: null,
      politeness: createPoliteness({ clock: context.clock, delayMs: 0 }),
    }),
  )
  if (stored) return stored
  context.politeness.reserve(entry.url)
  return visit(entry, context)
}
