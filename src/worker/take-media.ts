import { PICTURE } from '../engine/recipe/columns.ts'
import type { Plan } from '../engine/plan/plan.ts'
import type { MediaTaker } from './media-taker.ts'
import type { PageOutcome } from './outcome.ts'

/**
 * The page with its media taken: its rows name the items, or say why there is none. Rejects for the
 * signal and the stores alone.
 */
export async function takeMedia(
  page: PageOutcome,
  plan: Plan,
  taker: MediaTaker | null,
  signal: AbortSignal,
): Promise<PageOutcome> {
  if (!taker || page.rows.length === 0) return page
  const pageUrl = page.finalUrl ?? page.entry.url
  const taken = await taker.take(
    page.rows,
    pageUrl,
    plan.media.filter((path) => path !== PICTURE),
    signal,
  )
  if (!page.picture) return { ...page, ...taken }
  const { rows, media } = taker.addPicture(taken.rows, page.picture)
  return {
    ...page,
    rows,
    media: {
      items: [...taken.media.items, ...media.items],
      fetched: taken.media.fetched + media.fetched,
      bytes: taken.media.bytes + media.bytes,
    },
  }
}
