import type { RecipeInput } from '../../engine/recipe/recipe-input.ts'
import { extractPartsSchema } from '../../engine/recipe/schema.ts'
import { checkSchema } from '../../kernel/schema.ts'
import { badRequest, conflict } from '../../kernel/errors.ts'
import type { Issue } from '../../kernel/errors.ts'
import { isList } from '../../kernel/json.ts'
import type { Json } from '../../kernel/json.ts'
import type { Change } from '../../records/change.ts'
import type { Records } from '../records.ts'

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

/** Parts that have already taken effect when pages are kept. */
const DONE: ReadonlySet<string> = new Set(['start', 'follow', 'crawl', 'page', 'budget'])
const PICTURE = 'screenshot'

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
 * Makes a commit depend on the fact that an execution still has kept pages.
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
  if (!progress?.value.kept?.pages)
    throw conflict(
      'The execution has kept no pages; a recipe with "page": { "keep": true } keeps the ' +
        'pages that it fetches',
    )
  records.executions.require(change, account, source)
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

function objectOf(value: Json): { readonly [part: string]: Json } {
  return typeof value === 'object' && value !== null && !isList(value) ? value : {}
}
