import type { Platform } from 'seine'
import type { Client } from 'seine/client'
import { CommandError } from '../command-error.ts'
import { KINDS, asPart, columnsOf, describe, itemsOf } from './describe-detection.ts'
import type { RecipePart } from './describe-detection.ts'
import { addressesOf, detectPages } from './detect-pages.ts'
import type { DetectedPages } from './detect-pages.ts'
import { explainRefusal } from '../explain-refusal.ts'
import type { ExtractRequest } from '../extract-flags.ts'
import { OWNER } from '../data-directory.ts'
import { openScout, type VisitOptions } from './open-scout.ts'
import { pageOf, recipeFromFlags, type FlagRecipe } from './recipe-from-flags.ts'

/** A recipe, with notes on how it was chosen. */
export interface ChosenRecipe extends FlagRecipe {
  readonly notes: readonly string[]
  /** True if scripts write its pages, as far as pages were read to choose the recipe. */
  readonly needsScripts?: boolean
  /** The kind of its pages, as far as pages were read to choose the recipe. */
  readonly kind?: DetectedPages['kind']
}

/** Addresses of pages on which the fields of the flags are tried. */
const MOST_TRIED = 5

/** How pages are read before the run. */
export interface Scouting {
  /** The means by which the run visits its pages, if it runs on this machine. */
  readonly visits: VisitOptions
  /** The server that does the run. `null`: it is done on this machine. */
  readonly server: Pick<Client, 'previews'> | null
}

/**
 * The recipe of a request: that of the file, that of the flags, or one that is detected on the
 * page.
 *
 * @throws {CommandError}
 * @throws the signal's reason, if it aborts while pages are read
 */
export async function chooseRecipe(
  request: ExtractRequest,
  { visits, server }: Scouting,
  signal: AbortSignal,
): Promise<ChosenRecipe> {
  const { urls, recipe, flags } = request
  if (recipe) return { ...fromFile(recipe.value, request), notes: [] }
  if (urls.length === 0) throw new CommandError('A URL is needed', 2)
  const flagged = recipeFromFlags(urls, flags)
  const isWhole = flags.field && (flags.items ?? flags.follow ?? request.noDetection)
  if (isWhole) return { ...flagged, notes: [] }
  if (flags.render && server) return fromServer(server, flagged, request, signal)
  const scout = openScout(visits, request.allowPrivateNetwork)
  try {
    return flags.field
      ? await withDetected(scout, flagged, request, signal)
      : await fromPages(scout, flagged, request, signal)
  } finally {
    await scout.close()
  }
}

function fromFile(value: RecipePart, { urls, flags }: ExtractRequest): FlagRecipe {
  const { recipe, flagOf } = recipeFromFlags(urls, flags)
  const merged = (name: string) =>
    name in recipe ? { [name]: { ...asPart(value[name]), ...asPart(recipe[name]) } } : {}
  return {
    recipe: {
      ...value,
      ...(urls.length > 0 && { start: recipe['start'] }),
      ...merged('crawl'),
      ...merged('page'),
      ...merged('output'),
      ...merged('budget'),
    },
    flagOf: urls.length === 0 ? new Map() : flagOf,
  }
}

/**
 * The recipe for pages that only the server can render. The server's preview proposes it. If flags
 * name columns, the recipe has only these, because a preview reads no others beside them.
 */
async function fromServer(
  { previews }: Pick<Client, 'previews'>,
  flagged: FlagRecipe,
  { urls, flags, allowPrivateNetwork }: ExtractRequest,
  signal: AbortSignal,
): Promise<ChosenRecipe> {
  const hasWay = flags.follow ?? flags.next ?? flags.scope ?? flags.depth
  const usesNext = hasWay === undefined && !hasRange(urls) && (flags.pages ?? 1) > urls.length
  const recipe = {
    ...flagged.recipe,
    ...(usesNext && { follow: [{ next: 'auto' }] }),
    ...(!flags.field && { extract: 'auto' }),
  }
  if (flags.field)
    return {
      ...flagged,
      recipe,
      notes: [
        'If the server renders, only the columns of --field are read, one row for each page. ' +
          'For a row of each item of a list, name the items with --items.',
      ],
    }
  try {
    const preview = await previews.recipe(
      { recipe: JSON.parse(JSON.stringify(recipe)) },
      { signal },
    )
    signal.throwIfAborted()
    const { proposal, pages } = preview
    const detected = asPart(proposal?.recipe['extract'])
    const trouble = pages.find(({ reason }) => reason !== null)?.reason?.message
    if (proposal === null)
      throw new CommandError(`${firstOf(urls)}: ${trouble ?? 'the page could not be read'}`)
    return {
      ...flagged,
      recipe: { ...proposal.recipe },
      notes: [describe({ kind: proposal.kind, extract: detected }, firstOf(urls))],
    }
  } catch (error) {
    signal.throwIfAborted()
    throw explainRefusal(error, { flagOf: flagged.flagOf, allowPrivateNetwork, isOfServer: true })
  }
}

async function fromPages(
  scout: Platform,
  flagged: FlagRecipe,
  request: ExtractRequest,
  signal: AbortSignal,
): Promise<ChosenRecipe> {
  // The columns are not known yet.
  const { extract: _, ...visits } = flagged.recipe
  await assertValid(scout, visits, flagged, request)
  const detected = await detectPages(scout, request, signal)
  const { recipe, flagOf, notes } = withNext(detected, request)
  return {
    recipe: { ...recipe, extract: { ...asPart(recipe['extract']), ...detected.extract } },
    flagOf,
    notes: [...detected.about, ...detected.notes, ...notes],
    needsScripts: detected.needsScripts,
    kind: detected.kind,
  }
}

/** The flags' recipe, with the detected link to the next page if several pages are requested. */
function withNext({ next, urls }: DetectedPages, { flags }: ExtractRequest) {
  const isFound = next.length > 0 && !flags.follow && !flags.next && !hasRange(urls)
  const usesNext = isFound && (flags.pages ?? 1) > urls.length
  const links = next.map((link) => link.next)
  const hasCursor = next.some(({ param }) => param !== undefined)
  const nextFlags = links.map((link) => `--next ${JSON.stringify(link)}`).join(' ')
  const notes =
    isFound && !usesNext
      ? [
          `There is a next page: add --pages ${10 * urls.length} to follow it` +
            (hasCursor ? '.' : `, or ${nextFlags} for all.`),
        ]
      : []
  const made = recipeFromFlags(urls, usesNext ? { ...flags, next: links } : flags)
  if (!usesNext || !hasCursor) return { ...made, notes }
  // The next page has a cursor and not a URL, and no flag can set its parameter.
  return { ...made, recipe: { ...made.recipe, follow: next }, notes }
}

/**
 * The fields of the flags, together with those of the page's list, if one of them is in the list's
 * items. Otherwise the fields belong to the page.
 */
async function withDetected(
  scout: Platform,
  alone: FlagRecipe,
  request: ExtractRequest,
  signal: AbortSignal,
): Promise<ChosenRecipe> {
  await assertValid(scout, alone.recipe, alone, request)
  const detection = await detectPages(scout, request, signal).catch((error: unknown) => {
    signal.throwIfAborted()
    // The columns of the flags can be read without this detection.
    return error instanceof CommandError ? error : null
  })
  if (detection instanceof CommandError)
    return { ...alone, notes: [`No columns are added to yours: ${detection.message}`] }
  if (detection?.kind !== 'list' && detection?.kind !== 'table') return { ...alone, notes: [] }
  const { extract: detected, urls } = detection
  const own = asPart(asPart(alone.recipe['extract'])['fields'])
  const extract = { ...detected, fields: { ...detected.fields, ...own } }
  const candidate = {
    start: { urls: urls.slice(0, MOST_TRIED) },
    crawl: { robots: !request.flags.ignoreRobots },
    page: pageOf(request.flags),
    extract,
  }
  const preview = await scout.api.previews
    .run(OWNER, { recipe: JSON.parse(JSON.stringify(candidate)), scope: 'recipe', signal })
    .catch(() => null)
  signal.throwIfAborted()
  const names = Object.keys(own)
  const what = KINDS[detection.kind]
  if (!preview?.fields.some(({ field, filled }) => names.includes(field) && filled > 0))
    return {
      ...alone,
      notes: [
        `${firstOf(urls)}: ${what}, but its ${itemsOf(detected)}have no ${names.join(', ')}: ` +
          'a row is the whole page. Choose other items with --items.',
      ],
    }
  const { recipe, flagOf, notes } = withNext(detection, request)
  return {
    recipe: { ...recipe, extract },
    flagOf,
    notes: [
      `${firstOf(urls)}: ${what}; its columns (${columnsOf(detected)}) beside yours. ` +
        'Take yours alone with --no-detect.',
      ...detection.notes,
      ...notes,
    ],
  }
}

/**
 * Checks the flags before anything is fetched: a wrong selector, or a misspelt word. Columns of
 * `--unique` are checked later with the whole recipe, because the page may have them.
 *
 * @throws {CommandError}
 */
async function assertValid(
  scout: Platform,
  recipe: RecipePart,
  { flagOf }: FlagRecipe,
  { allowPrivateNetwork }: ExtractRequest,
): Promise<void> {
  const { output: _, ...checked } = recipe
  try {
    await scout.api.tasks.create(OWNER, { recipe: JSON.parse(JSON.stringify(checked)) })
  } catch (error) {
    throw explainRefusal(error, { flagOf, allowPrivateNetwork })
  }
}

/**
 * True if braces name the pages: `{1..9}`. Then links to next pages lead to the same pages, or to
 * unwanted ones.
 */
function hasRange(urls: readonly string[]): boolean {
  return urls.some((url) => addressesOf(url).length > 1)
}

/** The first address and the number of the others. A note with all of them would be too long. */
function firstOf(urls: readonly string[]): string {
  const [first = ''] = urls
  return urls.length > 1 ? `${first} and ${urls.length - 1} more` : first
}
