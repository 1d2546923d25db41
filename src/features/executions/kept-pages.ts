import type { RecipeInput } from '../../engine/recipe/recipe-input.ts'
import { extractPartsSchema } from '../../engine/recipe/schema.ts'
import { checkSchema } from '../../kernel/schema.ts'
import { PlatformError, badRequest, conflict } from '../../kernel/errors.ts'
import type { Issue } from '../../kernel/errors.ts'
import { isList, objectOf } from '../../kernel/json.ts'
import type { Json } from '../../kernel/json.ts'
import type { Page } from '../../ports/page-processor.ts'
import type { Change } from '../../records/change.ts'
import type { NormalUrl } from '../../kernel/url.ts'
import type { Records } from '../records.ts'
import type { KeptPageRecord } from './page-records.ts'
import { StoredPages } from './stored-pages.ts'

/** Changes of a recipe for an extraction from kept pages. */
export interface ExtractInput {
  /**
   * Parts that replace those of the execution's recipe: `extract`, `formats`, `output`. `null`
   * removes a part.
   */
  readonly recipe: {
    readonly [Part in 'extract' | 'formats' | 'output']?: RecipeInput[Part] | null
  }
}

/** Parts of a recipe that have no effect on pages that are already kept. */
const DONE: ReadonlySet<string> = new Set(['start', 'follow', 'crawl', 'page', 'budget'])
const PICTURE = 'screenshot'
/** Records that a search for a page reads at once. */
const PAGES_AT_ONCE = 500

/**
 * The recipe of a run over the pages that another run has kept. It has no `page`, because no page
 * is loaded. robots.txt and pauses do not apply, and a screenshot cannot be taken any more.
 *
 * @throws {PlatformError} 400 for a part that does not apply to kept pages, with its path below
 *   `recipe`
 */
export function keptRecipe(recipe: Json, { recipe: changes }: ExtractInput): Json {
  const issues = wrongParts(changes)
  if (issues.length > 0) throw badRequest(issues)
  const { page: _, crawl = {}, ...rest } = objectOf(recipe)
  const merged = {
    ...rest,
    crawl: { ...objectOf(crawl), robots: false, delayMs: 0 },
    ...withoutPicture(rest['formats']),
    ...changes,
  }
  return Object.fromEntries(Object.entries(merged).filter(([, part]) => part !== null))
}

/**
 * Makes a commit fail if the execution has lost its kept pages by then.
 *
 * @throws {PlatformError} 409 that says how pages are kept
 */
export async function requireKept(
  records: Records,
  change: Change,
  account: string,
  execution: string,
): Promise<void> {
  const [source, progress] = await Promise.all([
    records.executions.get(account, execution),
    records.progress.get(account, execution),
  ])
  if (!source) throw conflict(`The pages of execution ${execution} are no longer kept`)
  if (!progress?.value.kept?.pages) throw keptNone()
  records.executions.require(change, account, source)
}

/** 409 for an execution without kept pages. */
function keptNone(): PlatformError {
  return conflict(
    'The execution has kept no pages; a recipe with "page": { "keep": true } keeps the ' +
      'pages that it fetches',
  )
}

/**
 * Finds a page that an execution has kept, by the URL that was requested, or else by the URL at
 * which redirects ended. The records have no index of URLs, so it reads them in order.
 *
 * @throws {PlatformError} 409 for an execution that has kept no pages, and 404 for a URL that is
 *   not among them; both say how pages are kept
 */
export async function findKeptPage(
  records: Records,
  account: string,
  execution: string,
  url: NormalUrl,
  signal?: AbortSignal,
): Promise<KeptPageRecord> {
  const progress = await records.progress.get(account, execution)
  if (!progress?.value.kept?.pages) throw keptNone()
  let landed: KeptPageRecord | null = null
  for (let after = -1; ;) {
    signal?.throwIfAborted()
    const pages = await records.keptPages.list(account, {
      within: [execution],
      after: [execution, after],
      limit: PAGES_AT_ONCE,
    })
    for (const { value } of pages) {
      if (value.url === url) return value
      if (value.finalUrl === url) landed ??= value
      after = value.number
    }
    if (pages.length < PAGES_AT_ONCE) break
  }
  if (landed !== null) return landed
  throw new PlatformError(
    'NOT_FOUND',
    `The execution has kept no page of ${url}. With "page": { "keep": true } it keeps the pages ` +
      'that it fetches, up to a limit in bytes; its list of pages has their URLs and outcomes',
  )
}

/** Reads a kept page in the form that its recipe was run on. `null`: its bytes are gone. */
export async function readKeptPage(
  readBlob: (name: string) => Promise<Uint8Array | null>,
  record: KeptPageRecord,
): Promise<Page | null> {
  const response = await new StoredPages(readBlob).read(record)
  return (
    response && {
      url: response.url,
      contentType: record.contentType,
      body: response.body,
      requestedUrl: record.url,
      status: record.status,
      ...(record.at !== undefined && { visitedAt: record.at }),
    }
  )
}

function wrongParts(changes: ExtractInput['recipe']): Issue[] {
  const { issues } = checkSchema(extractPartsSchema, changes)
  if (issues !== null)
    return issues.map(({ path, message }) => ({
      path: path === '' ? 'recipe' : `recipe.${path}`,
      message: DONE.has(path) ? 'cannot be changed: kept pages are used as they are' : message,
    }))
  const formats = changes['formats']
  const index = isList(formats) ? formats.indexOf(PICTURE) : -1
  return index < 0
    ? []
    : [
        {
          path: `recipe.formats.${index}`,
          message: 'is not available: kept pages are not rendered again',
        },
      ]
}

function withoutPicture(formats: Json | undefined): { readonly formats?: Json } {
  return isList(formats) && formats.includes(PICTURE)
    ? { formats: formats.filter((format) => format !== PICTURE) }
    : {}
}
