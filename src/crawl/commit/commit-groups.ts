import type { FoundLink } from '../../ports/page-processor.ts'
import type { VisitOutcome } from '../visit/outcome.ts'

/**
 * Maximum weight of links and rows in one commit. A row weighs 1. The rows of a single page may
 * weigh more.
 */
const MOST_WEIGHT = 5_000
/**
 * Maximum weight of the links that are committed together with their page. If it has more links,
 * the others are committed before it.
 */
const LINKS_WEIGHT = 1_000
/**
 * The weight of a link. It is written as two records, each with its URL, and one of them also has
 * its carried values.
 */
const LINK_WEIGHT = 2
const CHARACTERS_OF_WEIGHT = 100
const CARRIED_WEIGHT = 40
/**
 * Sorts pages by `seq` and splits them into groups of one commit each. A redirected page with many
 * links begins a group: whether its links are used depends on earlier pages, which may have the
 * same final URL.
 */
export function commitGroups(outcomes: readonly VisitOutcome[]): VisitOutcome[][] {
  const groups: VisitOutcome[][] = []
  let room = 0
  for (const page of outcomes.toSorted((a, b) => a.entry.seq - b.entry.seq)) {
    const last = startOfLast(page.links)
    const weight = page.rows.length + weightOf(page.links, last)
    const group = groups.at(-1)
    if (group && weight <= room && (last === 0 || page.finalUrl === null)) group.push(page)
    else {
      groups.push([page])
      room = MOST_WEIGHT
    }
    room -= weight
  }
  return groups
}

/** The index of the first link that is committed together with its page. */
export function startOfLast(links: readonly FoundLink[]): number {
  let [start, weight] = [links.length, 0]
  while (start > 0 && (weight += linkWeight(links[start - 1])) <= LINKS_WEIGHT) start--
  return start
}

/**
 * The end of a batch of links that begins at `start`. It is at most `most`, and the batch weighs at
 * most `LINKS_WEIGHT`, but has at least one link.
 */
export function endOfBatch(links: readonly FoundLink[], start: number, most: number): number {
  let [end, weight] = [start, 0]
  while (end < most && (weight += linkWeight(links[end])) <= LINKS_WEIGHT) end++
  return Math.max(start + 1, end)
}

function weightOf(links: readonly FoundLink[], from: number): number {
  let weight = 0
  for (let index = from; index < links.length; index++) weight += linkWeight(links[index])
  return weight
}

function linkWeight(link: FoundLink | undefined): number {
  return (
    LINK_WEIGHT +
    Math.floor((link?.url.length ?? 0) / CHARACTERS_OF_WEIGHT) +
    (link?.carried ? CARRIED_WEIGHT : 0)
  )
}
