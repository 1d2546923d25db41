import { EgressError } from '../engine/egress/types.ts'
import type { Plan } from '../engine/plan/plan.ts'
import type { Reason, StartList } from '../records/types.ts'
import type { Held } from './advance-options.ts'
import type { Journal } from './journal.ts'
import { LIST_MS, readList } from './read-list.ts'

/** Start URLs of one commit. */
const BATCH = 500

/**
 * Puts the start URLs into the frontier, with what was `found`. Repeated after a crash it adds only
 * what is missing. `gave_way`: another account's turn has come.
 */
export async function seed(
  held: Held,
  plan: Plan,
  found: readonly string[],
  journal: Journal,
): Promise<Reason | 'gave_way' | null> {
  if (journal.progress.seeded) return null
  const { signal, logger, execution } = held
  const asSeeds = (urls: readonly string[], listedBy?: StartList) =>
    urls.map((url) => ({ url, label: 'start', depth: 0, hop: 1, ...(listedBy && { listedBy }) }))
  for (let i = 0; i < plan.startUrls.length; i += BATCH)
    await journal.write([], asSeeds(plan.startUrls.slice(i, i + BATCH)))
  if (found.length > 0) await journal.write([], asSeeds(found, 'search'))
  for (const list of ['sitemap', 'feed'] as const) {
    const url = plan[list]
    try {
      if (url === null) continue
      const end = await readList(held, journal, list, url, plan.limits.maxPages, async (urls) => {
        for (let i = 0; i < urls.length; i += BATCH)
          await journal.write([], asSeeds(urls.slice(i, i + BATCH), list))
      })
      if (end === 'gave_way') return end
      if (end === 'out_of_time') {
        logger.warn(
          'A list of start pages took too long; the execution goes on with what was read',
          { execution: execution.value.id, list, url },
        )
        if (journal.progress.discovered === 0)
          return {
            code: `${list}_timeout`,
            message: `The ${list} named no page within ${LIST_MS / 60_000} minutes`,
          }
      }
    } catch (error) {
      if (error instanceof EgressError && !signal.aborted)
        return {
          code: `${list}_${error.reason}`,
          message: `The ${list} could not be read: ${error.message}`,
        }
      // A stopped worker leaves the rest of the list to the next one; the crawl below sees the
      // signal too.
      if (signal.aborted) return null
      throw error
    }
  }
  await journal.write([], [], true)
  return null
}
