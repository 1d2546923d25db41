import type { Execution } from 'seine/client'
import { urlIdentity } from '../../src/kernel/url.ts'
import { amountOf } from './display-text.ts'
import type { ExtractRequest } from './extract-flags.ts'

/** The facts that determine the message about an execution. */
type Outcome = Pick<Execution, 'status' | 'reason' | 'counters' | 'filled'>
/** The arguments that named the pages and the links from them. */
type Arguments = Pick<ExtractRequest, 'urls' | 'recipe' | 'resume' | 'flags'>

/** Describes what is probably wrong with a table. `leftOut`: addresses that were not visited. */
export function warningsOf(
  outcome: Outcome,
  request: Arguments,
  leftOut: readonly string[] = [],
): string[] {
  const { counters, filled } = outcome
  const { rows } = counters
  const empty = Object.entries(filled).filter(([, values]) => values === 0 && rows > 0)
  const names = empty.map(([name]) => name).join(', ')
  return [
    ...(empty.length > 0
      ? [`${empty.length === 1 ? 'A column has' : 'Columns have'} no value in any row: ${names}`]
      : []),
    ...(counters.skipped_limit > 0
      ? [`A limit was reached, with ${amountOf(counters.skipped_limit, 'page')} left. See --pages.`]
      : []),
    ...(rows > 0 ? noMorePages(counters, request, leftOut) : []),
  ]
}

/** Says that the first pages led to no others, although flags ask for more pages. */
function noMorePages(
  { discovered }: Outcome['counters'],
  { urls, recipe, resume, flags }: Arguments,
  leftOut: readonly string[],
): string[] {
  const { follow, next, pages = 0, depth, scope } = flags
  const started = startsOf(urls, leftOut)
  // A recipe has its own links.
  if (recipe || resume !== null || started === null) return []
  if (follow || discovered > started) return []
  if (next)
    return [`${flagsOf('next', next)} led to no other page: does it match a link of the page?`]
  if (pages <= started || depth !== undefined || scope !== undefined) return []
  return [
    `--pages ${pages} led to no other page, as no link to the next page was found or named. ` +
      'Name it with --next.',
  ]
}

/**
 * Returns the number of pages with which an execution began. Equal addresses are one page. `null`:
 * braces stand for several addresses.
 */
function startsOf(urls: readonly string[], leftOut: readonly string[] = []): number | null {
  if (urls.some((url) => url.includes('{'))) return null
  const identities = new Set(urls.map(urlIdentity))
  for (const url of leftOut) identities.delete(urlIdentity(url))
  return identities.size
}

/** Describes in terms of the command line how an unsuccessful execution ended. */
export function endOf(outcome: Outcome, request: Arguments): string {
  const { status, reason } = outcome
  if (status === 'timed_out') return `The execution ran out of time${messageOf(reason)}`
  if (status !== 'failed') return `The execution is ${status}${messageOf(reason)}`
  return whyNothing(outcome, request) ?? `The execution failed${messageOf(reason)}`
}

function messageOf(reason: Outcome['reason']): string {
  return reason ? `: ${reason.message}` : ''
}

/** Flags that leave pages out, with the words for these pages. */
const LIMITS = [
  { outcome: 'skipped_scope', reason: 'left out by --scope: host, domain or any leads further' },
  { outcome: 'skipped_depth', reason: 'left out by --depth' },
  { outcome: 'skipped_limit', reason: 'left out by --pages' },
] as const

/** The cause in terms of flags, if a flag is the cause. `null`: the reason itself is clear. */
function whyNothing({ reason, counters }: Outcome, request: Arguments): string | null {
  const { follow } = request.flags
  const { discovered, skipped_robots: forbidden, failed, blocked } = counters
  const isForbidden = forbidden > 0 && failed + blocked === 0
  // A resumed execution keeps the flags with which it began.
  const way = request.resume === null ? '; --ignore-robots visits what it forbids' : ''
  if (reason?.code === 'no_page_fetched' && isForbidden)
    return `No page could be fetched: robots.txt forbids ${amountOf(forbidden, 'page')}${way}`
  if (reason?.code !== 'nothing_extracted' || follow === undefined) return null
  const started = startsOf(request.urls)
  if (started === null) return null
  const led = flagsOf('follow', follow)
  const others = discovered - started
  if (others <= 0) return `${led} led to no page: does it match a link of the page?`
  if (failed + blocked + forbidden === 0) {
    const left = LIMITS.find(({ outcome }) => counters[outcome] > 0)
    if (left)
      return `${led}: links lead to ${amountOf(counters[left.outcome], 'page')}, ${left.reason}`
  }
  return isForbidden
    ? `${led}: robots.txt forbids ${amountOf(Math.min(forbidden, others), 'page')} that links lead to${way}`
    : `${led}: no page that it leads to could be fetched`
}

function flagsOf(flag: 'follow' | 'next', selectors: readonly string[]): string {
  return selectors.map((css) => `--${flag} ${JSON.stringify(css)}`).join(' ')
}
