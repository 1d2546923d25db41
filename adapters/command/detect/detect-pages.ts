import { parseRecipe } from 'seine'
import type { Platform } from 'seine'
import { compileRecipe } from 'seine/engine'
import { commandName } from '../command-name.ts'
import { CommandError } from '../command-error.ts'
import { OWNER } from '../data-directory.ts'
import { KINDS, describe, describeOthers, describeRefused } from './describe-detection.ts'
import type { DetectedPage } from './describe-detection.ts'
import { explainRefusal } from '../explain-refusal.ts'
import type { ExtractRequest } from '../extract-flags.ts'
import { kindOf, originsOf, pageOf } from './recipe-from-flags.ts'

/**
 * Maximum number of addresses whose pages are read. The others are assumed to be pages of the same
 * kinds.
 */
const MOST_DETECTED = 20
/** Maximum length of a selector of items in a recipe. */
const LONGEST_ITEMS = 1_000
/** Maximum number of sources of a column in a recipe. */
const MOST_WAYS = 20

/** Maximum number of origins in `page.headersTo` of a recipe. */
const MOST_ORIGINS = 50

/** One way to read the pages of all addresses. */
export interface DetectedPages extends Pick<DetectedPage, 'kind' | 'extract'> {
  /** Links to the next page, or cursors with the parameter for them. */
  readonly next: readonly NextPage[]
  /** The addresses whose pages it reads. */
  readonly urls: readonly string[]
  /** Sentences on the kinds of the pages. */
  readonly about: readonly string[]
  /** True if scripts write all of its pages that were read. */
  readonly needsScripts: boolean
  /** Faults of some of them. */
  readonly notes: readonly string[]
}

/** The link to the next page, as a rule of `follow` has it. */
interface NextPage {
  readonly next: string
  /** The query parameter that takes the value. Absent: the value is a link. */
  readonly param?: string
}

/** An address, the page that was read for it, and the detected kind. */
interface Inspection {
  readonly url: string
  readonly page: string
  readonly detection: DetectedPage
}

/** An address whose page could not be read. */
interface Failure {
  readonly url: string
  readonly error: unknown
}

/**
 * Reads the page of each address, or the first page that its links lead to, and joins the results:
 * lists with lists, single pages with single pages. If there are several kinds, the most frequent
 * one is used.
 *
 * @throws {CommandError} if no page can be read
 * @throws the signal's reason once it aborts
 */
export async function detectPages(
  scout: Platform,
  request: ExtractRequest,
  signal: AbortSignal,
): Promise<DetectedPages> {
  const { urls } = request
  const inspections: Inspection[] = []
  const failures: Failure[] = []
  // Pages are read one after the other, to put little load on a site.
  for (const url of urls.slice(0, MOST_DETECTED))
    try {
      signal.throwIfAborted()
      inspections.push(await inspectPage(scout, url, request, signal))
    } catch (error) {
      signal.throwIfAborted()
      failures.push({ url, error })
    }
  const [first] = inspections
  if (first === undefined) throw reasonOf(failures)
  if (urls.length === 1)
    return {
      ...first.detection,
      next: nextOf([first]),
      urls,
      needsScripts: first.detection.needsScripts === true,
      about: [
        describe(first.detection, first.page),
        ...describeOthers(first.detection),
        ...describeRefused(first.detection),
      ],
      notes: scriptsOf(first, request),
    }
  const { joined, others } = mostFrequent(inspections)
  const shapes = Map.groupBy(joined, ({ detection }) => JSON.stringify(detection.extract))
  return {
    kind: joined[0]?.detection.kind ?? first.detection.kind,
    extract: joinExtracts(joined.map(({ detection }) => detection.extract)),
    next: nextOf(joined),
    // For a page that cannot be read, the page report has the reason.
    urls: urls.filter((url) => !others.some((inspection) => inspection.url === url)),
    needsScripts: joined.every(({ detection }) => detection.needsScripts === true),
    about: Array.from(shapes.values()).flatMap(([inspection, ...alike]) => {
      const more = alike.length === 0 ? '' : ` and ${alike.length} more`
      return inspection === undefined
        ? []
        : [describe(inspection.detection, `${inspection.page}${more}`)]
    }),
    notes: [
      ...inspections.flatMap((inspection) => scriptsOf(inspection, request)),
      ...failures.map(({ url, error }) => `${url}: ${messageOf(error)}`),
      ...others.map(
        ({ url, page, detection }) =>
          `${page}: ${KINDS[detection.kind]}; a table has pages of one kind, so it is left out. ` +
          `By itself: ${commandName()} extract ${url}`,
      ),
    ],
  }
}

/** The addresses of a pattern with braces. An address without braces stands for itself. */
export function addressesOf(url: string): readonly string[] {
  if (!url.includes('{')) return [url]
  try {
    return compileRecipe(parseRecipe({ start: { urls: [url] } })).startUrls
  } catch {
    // The recipe with this address is refused, and the refusal has the reason.
    return [url]
  }
}

async function inspectPage(
  scout: Platform,
  url: string,
  request: ExtractRequest,
  signal: AbortSignal,
): Promise<Inspection> {
  const follow = request.flags.follow ?? []
  const [first = url] = addressesOf(url)
  const page = follow.length === 0 ? first : await firstDetail(scout, first, request, signal)
  return { url, page, detection: await detect(scout, page, request, signal) }
}

function nextOf(inspections: readonly Inspection[]): NextPage[] {
  const pages = new Map<string, NextPage>()
  for (const { detection } of inspections) {
    const { next, param } = detection
    if (next !== undefined)
      pages.set(JSON.stringify([next, param]), { next, ...(param !== undefined && { param }) })
  }
  return [...pages.values()]
}

function scriptsOf({ page, detection }: Inspection, { flags }: ExtractRequest): string[] {
  return detection.needsScripts && !flags.render
    ? [
        `Scripts write ${page}: without them it has hardly any text. Render it in a browser: --render.`,
      ]
    : []
}

/** If there are several addresses, it names the first one. */
function reasonOf([first, ...more]: readonly Failure[]): unknown {
  if (first === undefined) return new CommandError('A URL is needed', 2)
  return more.length === 0
    ? first.error
    : new CommandError(`${first.url}: ${messageOf(first.error)}`)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Divides the pages into those that one recipe can read, which are most of them, and the others. */
function mostFrequent(inspections: readonly Inspection[]): {
  readonly joined: readonly Inspection[]
  readonly others: readonly Inspection[]
} {
  // A page without a detected list or article counts less.
  const weightOf = (alike: readonly Inspection[]): number =>
    alike.filter(({ detection }) => detection.kind !== 'page').length
  const [joined = []] = Array.from(Map.groupBy(inspections, formOf).values()).toSorted(
    (left, right) => weightOf(right) - weightOf(left),
  )
  return { joined, others: inspections.filter((inspection) => !joined.includes(inspection)) }
}

/**
 * One recipe can read pages of the same kind, because several selectors of items can be joined to
 * one.
 */
function formOf({ detection: { extract } }: Inspection): string {
  const { items } = extract
  if (items === undefined) return 'page'
  return kindOf(items) === 'css' && !items.startsWith(':') ? 'css' : items
}

/**
 * The items and the columns of all pages. A column has every source with which one of the pages
 * reads it.
 */
function joinExtracts(extracts: readonly DetectedPage['extract'][]): DetectedPage['extract'] {
  const items = [...new Set(extracts.flatMap((extract) => extract.items ?? []))]
  const fields = new Map<string, DetectedPage['extract']['fields'][string][]>()
  for (const extract of extracts)
    for (const [name, source] of Object.entries(extract.fields))
      for (const way of Array.isArray(source) ? source : [source]) {
        const ways = fields.get(name) ?? []
        // The fields of the first pages come first, because their items are first too.
        if (
          ways.length < MOST_WAYS &&
          ways.every((other) => JSON.stringify(other) !== JSON.stringify(way))
        )
          ways.push(way)
        fields.set(name, ways)
      }
  const joined = items.join(', ')
  if (joined.length > LONGEST_ITEMS)
    throw new CommandError('These pages are too different for one recipe; extract them separately')
  return {
    ...(items.length > 0 && { items: joined }),
    fields: Object.fromEntries(
      Array.from(fields, ([name, ways]) => [name, ways.length === 1 ? (ways[0] ?? null) : ways]),
    ),
  }
}

async function detect(
  scout: Platform,
  url: string,
  { urls, flags, allowPrivateNetwork }: ExtractRequest,
  signal: AbortSignal,
): Promise<DetectedPage> {
  try {
    return await scout.api.previews.detect(OWNER, url, {
      robots: !flags.ignoreRobots,
      page: settingsOf(urls, flags),
      signal,
    })
  } catch (error) {
    const cause = explainRefusal(error, { flagOf: new Map(), allowPrivateNetwork })
    if (urls.some((typed) => addressesOf(typed).includes(url))) throw cause
    // A link led to this page, so the message names no typed address.
    throw new CommandError(`${url}: ${messageOf(cause)}`)
  }
}

/**
 * Headers are restricted as in the run: a header may be a secret, and links may lead to another
 * site.
 */
function settingsOf(urls: readonly string[], flags: ExtractRequest['flags']) {
  const page = pageOf(flags)
  if (page.headers === undefined) return page
  const origins = urls
    .flatMap((url) => addressesOf(url))
    .flatMap((url) => (URL.canParse(url) ? [new URL(url).origin] : []))
  return { ...page, headersTo: [...new Set(origins)].slice(0, MOST_ORIGINS) }
}

/** The first page that the chain of `--follow` leads to, found one page at a time. */
async function firstDetail(
  scout: Platform,
  start: string,
  { urls, flags, allowPrivateNetwork }: ExtractRequest,
  signal: AbortSignal,
): Promise<string> {
  let url = start
  for (const links of flags.follow ?? []) {
    const recipe = {
      start: { urls: [url] },
      follow: [{ links, as: 'found', on: 'start' }],
      crawl: { robots: !flags.ignoreRobots },
      page: settingsOf(urls, flags),
      budget: { pages: 1 },
    }
    try {
      const task = await scout.api.tasks.create(OWNER, { recipe })
      const { id } = await scout.api.executions.start(OWNER, task.id)
      await scout.worker.tick({ signal })
      const receipt = await scout.api.executions.pages(OWNER, id)
      const detail = receipt.items.find((page) => page.label === 'found')
      const trouble = receipt.items[0]?.reason?.message
      if (!detail)
        throw new CommandError(
          trouble
            ? `${url}: ${trouble}`
            : `--follow ${JSON.stringify(links)} finds no link on ${url}`,
        )
      url = detail.url
    } catch (error) {
      throw explainRefusal(error, {
        flagOf: new Map([['follow', '--follow'], ...originsOf([url])]),
        allowPrivateNetwork,
      })
    }
  }
  return url
}
