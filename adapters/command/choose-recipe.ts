import { createPlatform, type Platform } from 'seine'
import { CommandError } from './command-error.ts'
import { explainRefusal } from './explain-refusal.ts'
import type { ExtractRequest } from './extract-flags.ts'
import { OWNER } from './data-directory.ts'
import { recipeFromFlags, type FlagRecipe } from './recipe-from-flags.ts'

/** A recipe, and what to tell about how it was found. */
export interface ChosenRecipe extends FlagRecipe {
  readonly notes: readonly string[]
}

type Part = Readonly<Record<string, unknown>>
type Detection = Awaited<ReturnType<Platform['api']['previews']['detect']>>

/**
 * The recipe of a request: the file's, the flags', or what the page itself suggests.
 *
 * @throws {CommandError}
 */
export async function chooseRecipe(request: ExtractRequest): Promise<ChosenRecipe> {
  const { urls, recipe, flags } = request
  if (recipe) return { ...fromFile(recipe.value, request), notes: [] }
  const [url] = urls
  if (url === undefined) throw new CommandError('A URL is needed', 2)
  const flagged = recipeFromFlags(urls, flags)
  const isWhole = flags.field && (flags.items ?? flags.follow ?? request.noDetection)
  // Only the run itself sends headers and has a browser.
  if (isWhole || (flags.field && 'page' in flagged.recipe)) return { ...flagged, notes: [] }
  if ('page' in flagged.recipe)
    return { ...flagged, recipe: { ...flagged.recipe, extract: 'auto' }, notes: [] }
  // The pages that it inspects are not kept: a separate platform, in memory.
  const scout = createPlatform({ allowPrivateNetwork: request.allowPrivateNetwork, logger: SILENT })
  try {
    return flags.field
      ? await withDetected(scout, url, flagged, request)
      : await fromPage(scout, url, request)
  } finally {
    await scout.close()
  }
}

function fromFile(value: Part, { urls, flags }: ExtractRequest): FlagRecipe {
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

async function fromPage(
  scout: Platform,
  url: string,
  request: ExtractRequest,
): Promise<ChosenRecipe> {
  const { flags } = request
  const follow = flags.follow ?? []
  const page = follow.length === 0 ? url : await firstDetail(scout, url, request)
  const detection = await detect(scout, page, request)
  const { recipe, flagOf, notes } = withNext(detection, request)
  const scripts = detection.needsScripts
    ? [
        `Scripts write ${page}: without them it has hardly any text. Render it in a browser: --render.`,
      ]
    : []
  return {
    recipe: { ...recipe, extract: { ...asPart(recipe['extract']), ...asPart(detection.extract) } },
    flagOf,
    notes: [
      describe(detection, page),
      ...describeOthers(detection),
      ...describeRefused(detection),
      ...scripts,
      ...notes,
    ],
  }
}

/** The flags' recipe, with the detected link to the next page where several pages are asked for. */
function withNext({ next, param }: Detection, { urls, flags }: ExtractRequest) {
  const isFound = next !== undefined && !flags.follow && !flags.next
  const usesNext = isFound && (flags.pages ?? 1) > 1
  const notes =
    isFound && !usesNext
      ? [
          'There is a next page: add --pages 10 to follow it' +
            (param === undefined ? `, or --next ${JSON.stringify(next)} for all.` : '.'),
        ]
      : []
  const made = recipeFromFlags(urls, usesNext ? { ...flags, next: [next] } : flags)
  if (!usesNext || param === undefined) return { ...made, notes }
  // The value is no URL, and no flag says where it goes.
  return { ...made, recipe: { ...made.recipe, follow: [{ next, param }] }, notes }
}

/**
 * The fields of the flags beside those of the list that the page has, if one of them is in its
 * items. Else they are about the page.
 */
async function withDetected(
  scout: Platform,
  url: string,
  alone: FlagRecipe,
  request: ExtractRequest,
): Promise<ChosenRecipe> {
  const { allowPrivateNetwork } = request
  try {
    // A wrong selector is known before anything is fetched.
    await scout.api.tasks.create(OWNER, { recipe: JSON.parse(JSON.stringify(alone.recipe)) })
  } catch (error) {
    throw explainRefusal(error, { flagOf: alone.flagOf, allowPrivateNetwork })
  }
  const detection = await detect(scout, url, request).catch(() => null)
  if (detection?.kind !== 'list' && detection?.kind !== 'table') return { ...alone, notes: [] }
  const detected = asPart(detection.extract)
  const own = asPart(asPart(alone.recipe['extract'])['fields'])
  const extract = { ...detected, fields: { ...asPart(detected['fields']), ...own } }
  const candidate = {
    start: { urls: [url] },
    crawl: { robots: !request.flags.ignoreRobots },
    extract,
  }
  const preview = await scout.api.previews
    .run(OWNER, { recipe: JSON.parse(JSON.stringify(candidate)), scope: 'recipe' })
    .catch(() => null)
  const names = Object.keys(own)
  const what = KINDS[detection.kind]
  if (!preview?.fields.some(({ field, filled }) => names.includes(field) && filled > 0))
    return {
      ...alone,
      notes: [
        `${url}: ${what}, but its ${itemsOf(detected)}have no ${names.join(', ')}: a row is the whole page. ` +
          'Choose other items with --items.',
      ],
    }
  const { recipe, flagOf, notes } = withNext(detection, request)
  return {
    recipe: { ...recipe, extract },
    flagOf,
    notes: [
      `${url}: ${what}; its columns (${columnsOf(detected)}) beside yours. ` +
        'Take yours alone with --no-detect.',
      ...notes,
    ],
  }
}

async function detect(
  scout: Platform,
  url: string,
  { flags, allowPrivateNetwork }: ExtractRequest,
): Promise<Detection> {
  try {
    return await scout.api.previews.detect(OWNER, url, { robots: !flags.ignoreRobots })
  } catch (error) {
    throw explainRefusal(error, { flagOf: new Map(), allowPrivateNetwork })
  }
}

/** The first page that the chain of `--follow` leads to, found one page at a time. */
async function firstDetail(
  scout: Platform,
  start: string,
  { flags, allowPrivateNetwork }: ExtractRequest,
): Promise<string> {
  let url = start
  for (const links of flags.follow ?? []) {
    const recipe = {
      start: { urls: [url] },
      follow: [{ links, as: 'found', on: 'start' }],
      crawl: { robots: !flags.ignoreRobots },
      budget: { pages: 1 },
    }
    try {
      const task = await scout.api.tasks.create(OWNER, { recipe })
      const { id } = await scout.api.executions.start(OWNER, task.id)
      await scout.worker.tick()
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
        flagOf: new Map([
          ['follow', '--follow'],
          ['start.urls', '<url>'],
        ]),
        allowPrivateNetwork,
      })
    }
  }
  return url
}

const MOST_OTHERS = 3

const KINDS: Record<Detection['kind'], string> = {
  list: 'a list',
  table: 'a table',
  article: 'an article',
  product: 'a product',
  page: 'no repeated items and no article found',
}

function describe({ kind, extract }: Detection, page: string): string {
  return (
    `${page}: ${KINDS[kind]}; ${itemsOf(extract)}with columns ${flagsOf(extract).join(', ')}. ` +
    'Add one with --field "name=css".'
  )
}

/** Describes the other proposals for the page, so that the user need not take the first. */
function describeOthers({ others }: Detection): string[] {
  const lines = others
    .filter(({ kind }) => kind !== 'page')
    .slice(0, MOST_OTHERS)
    .map(({ kind, extract, reason }) => `  ${KINDS[kind]} (${columnsOf(extract)}): ${reason}`)
  return lines.length === 0 ? [] : [`Also on the page:\n${lines.join('\n')}`]
}

/** Says why what repeats on a page is no list, if nothing else was found on it. */
function describeRefused({ kind, needsScripts, refused }: Detection): string[] {
  if (kind !== 'page' || needsScripts || refused.length === 0) return []
  const lines = refused
    .slice(0, MOST_OTHERS)
    .map(({ reason, text }) => `  ${reason} The first one: ${JSON.stringify(text)}`)
  return [`What repeats there is no list:\n${lines.join('\n')}\nIf one is, name it with --items.`]
}

function columnsOf(extract: unknown): string {
  return Object.keys(asPart(asPart(extract)['fields'])).join(', ')
}

function itemsOf(extract: unknown): string {
  const { items } = asPart(extract)
  return typeof items === 'string' ? `items ${items} ` : ''
}

/** Columns as `--field` takes them, where it can: `price:number=.price`. */
function flagsOf(extract: unknown): string[] {
  return Object.entries(asPart(asPart(extract)['fields'])).map(([name, source]) => {
    if (typeof source === 'string') return `${name}=${source}`
    const { css, attr, as, ...others } = asPart(source)
    if (typeof css !== 'string' || Object.keys(others).length > 0) return name
    const isAddress = as === 'url' && (attr === 'href' || attr === 'src')
    const type = typeof as === 'string' && !isAddress ? `:${as}` : ''
    return `${name}${type}=${css}${typeof attr === 'string' ? `@${attr}` : ''}`
  })
}

function asPart(value: unknown): Part {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

const SILENT = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}
