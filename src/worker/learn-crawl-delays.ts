import type { Politeness } from '../engine/site/politeness.ts'
import type { Robots } from '../engine/site/robots.ts'

/**
 * Hosts whose robots.txt is read ahead; those found on the way are read when their first page is
 * due.
 */
const MAX_ORIGINS = 50

/**
 * Reads the start hosts' robots.txt before their first turn is given out, or their first pages
 * would go out together.
 */
export async function learnCrawlDelays(
  robots: Robots,
  urls: readonly string[],
  politeness: Politeness,
  signal: AbortSignal,
): Promise<void> {
  const first = new Map(urls.map((url) => [new URL(url).origin, url]))
  const learn = async (url: string): Promise<void> => {
    const answer = await robots.check(url, signal)
    if (answer.allowed) politeness.setCrawlDelay(url, answer.crawlDelayMs)
  }
  // A stopped worker learns nothing here, and stops in the crawl.
  await Promise.all(
    [...first.values()].slice(0, MAX_ORIGINS).map((url) => learn(url).catch(() => {})),
  )
}
