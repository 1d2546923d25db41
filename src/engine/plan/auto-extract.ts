import type { Page, PageResult, Visit } from '../../ports/page-processor.ts'
import { isObject, type Json } from '../../kernel/json.ts'
import { badRequest } from '../../kernel/errors.ts'
import { kindParts } from '../extract/auto.ts'
import type { Detection } from '../extract/auto.ts'
import { bestListParts } from '../extract/auto/repeated-items.ts'
import { dataTableParts, tableFieldParts } from '../extract/auto/data-table.ts'
import { jsonLists } from '../extract/auto/json-list.ts'
import { nextRuleParts } from '../extract/auto/next-rule.ts'
import type { NextRule } from '../extract/auto/next-rule.ts'
import { PageBudget } from '../extract/page/page-budget.ts'
import { PageContent, START } from '../extract/page/page-content.ts'
import { asksModel, sourcesOf } from './compile-model.ts'
import type { Fields } from '../recipe/recipe-input.ts'
import { atOnce, type Parts } from '../extract/page/in-turns.ts'
import type { CrawlPlan } from './plan.ts'
import type { Recipe } from '../recipe/schema.ts'

/** A recipe with nothing left to detect. */
export type DetectedRecipe = Omit<Recipe, 'extract'> & {
  readonly extract?: Exclude<NonNullable<Recipe['extract']>, 'auto'>
}

/** A plan that can process a page that is already parsed. */
export interface ContentPlan extends CrawlPlan {
  /** Processes a page from its parsed tree and data, within the rest of its budget. */
  processContent(content: PageContent, visit: Visit): PageResult
  /** The same in parts, between which others can have a turn. */
  processParts(content: PageContent, visit: Visit): Parts<PageResult>
}

/** Values of `items` that replace a selector, with the kind of repetition that they detect. */
const ITEMS: Readonly<Record<string, Repetition>> = {
  ':auto': 'any',
  ':auto(list)': 'list',
  ':auto(table)': 'table',
  ':auto(table as written)': 'written table',
}
type Repetition = 'any' | 'list' | 'table' | 'written table'
/** Values of `next` that leave it to detection. */
const NEXT: ReadonlySet<string | undefined> = new Set(['auto', ':auto'])
/** A selector that matches nothing, for parts that were not detected. */
const NOTHING = ':not(*)'

/**
 * False if a recipe leaves something to detection: `extract: "auto"`, `items: ":auto"` or `next:
 * "auto"`, which may also be written `":auto"`.
 */
export function isDetected(recipe: Recipe): recipe is DetectedRecipe {
  return (
    recipe.extract !== 'auto' &&
    kindOf(recipe) === null &&
    !(recipe.follow ?? []).some((rule) => 'next' in rule && NEXT.has(rule.next))
  )
}

/** True if a recipe leaves the rows of a page to detection, and not only the way to the next page. */
export function detectsRows(recipe: Recipe): boolean {
  return recipe.extract === 'auto' || kindOf(recipe) !== null
}

/**
 * Returns the recipe with everything filled in that can be detected on this page. The recipe's own
 * values come first. A field that finds nothing falls back to the detected field of the same name.
 */
export function detectRecipe(
  recipe: Recipe,
  page: Page,
  budget = new PageBudget(),
): DetectedRecipe {
  return atOnce(detectRecipeIn(recipe, new PageContent(page, START, budget)))
}

/** Like {@link detectRecipe} in parts, for a page that may be parsed already. */
export function* detectRecipeIn(recipe: Recipe, content: PageContent): Parts<DetectedRecipe> {
  const detection = recipe.extract === 'auto' ? yield* kindParts(content) : null
  yield
  return yield* detectRecipeOn(recipe, content, detection)
}

/**
 * Like `detectRecipe`, for a page that is already parsed. `detection`: the kind of page, if
 * `extract` is `"auto"`.
 */
function* detectRecipeOn(
  recipe: Recipe,
  content: PageContent,
  detection: Detection | null,
): Parts<DetectedRecipe> {
  const { budget } = content
  const detected = detection?.extract ?? null
  const wantsNext = recipe.follow?.some((rule) => 'next' in rule && NEXT.has(rule.next)) === true
  const next = wantsNext ? yield* budget.attemptParts('follow', nextRuleParts(content), null) : null
  const nothing = { items: NOTHING, fields: {} }
  return filled(
    recipe,
    detected ?? (yield* budget.attemptParts('extract.items', foundItems(recipe, content), nothing)),
    next ?? { next: NOTHING },
  )
}

/**
 * Compiles a recipe that still has parts to detect. Its known parts are checked. It detects on each
 * page separately.
 */
export function detectingPlan(
  recipe: Recipe,
  compile: (recipe: DetectedRecipe) => ContentPlan,
): ContentPlan {
  const named = recipe.extract === 'auto' ? null : (recipe.extract?.fields ?? null)
  const modelField =
    kindOf(recipe) === null
      ? undefined
      : Object.entries(named ?? {}).find(([, field]) => asksModel(field))
  if (modelField !== undefined)
    throw badRequest([
      {
        path: `extract.fields.${modelField[0]}`,
        message:
          'is read by a model, but the items are detected on the first page; select the items, ' +
          'or let the model find them too: "items": ":model(what one is)"',
      },
    ])
  const fields =
    named ??
    Object.fromEntries((recipe.output?.unique ?? ['row']).map((column) => [column, NOTHING]))
  const plan = compile(
    filled(
      recipe,
      recipe.extract === 'auto' || kindOf(recipe) !== null ? { items: NOTHING, fields } : null,
      { next: NOTHING },
    ),
  )
  const processParts = function* (content: PageContent, visit: Visit): Parts<PageResult> {
    const detected = yield* detectRecipeIn(recipe, content)
    yield
    return yield* compile(detected).processParts(content, visit)
  }
  const processContent = (content: PageContent, visit: Visit): PageResult =>
    atOnce(processParts(content, visit))
  return {
    ...plan,
    columns:
      named !== null || (recipe.extract !== 'auto' && kindOf(recipe) === null) ? plan.columns : [],
    detects: true,
    readsDocument: recipe.extract === 'auto' ? () => true : plan.readsDocument,
    process: (page, visit, budget = new PageBudget()) =>
      processContent(new PageContent(page, visit, budget), visit),
    processContent,
    processParts,
  }
}

/** Returns the repeated items of a page if the recipe asks for them, else `null`. */
function* foundItems(
  recipe: Recipe,
  content: PageContent,
): Parts<{ readonly items?: string; readonly fields: Fields } | null> {
  const kind = kindOf(recipe)
  if (kind === null) return null
  if (content.isTable) yield* content.readData()
  // With named fields, records are not used, because these fields look for elements.
  const records =
    kind === 'list' || (recipe.extract !== 'auto' && recipe.extract?.fields !== undefined)
      ? null
      : yield* tableFieldParts(content, 0)
  if (records !== null) return records
  if (content.kind === 'json' && (kind === 'any' || kind === 'list')) {
    yield* content.readData()
    return (yield* jsonLists(content.data, content))[0] ?? { items: NOTHING, fields: {} }
  }
  const table =
    kind === 'list'
      ? null
      : yield* dataTableParts(content, kind === 'written table' ? 'written' : 'typed')
  yield
  const list = kind === 'list' || kind === 'any' ? yield* bestListParts(content) : null
  if (
    table !== null &&
    (list === null ||
      table.rows * Object.keys(table.fields).length > list.count * Object.keys(list.fields).length)
  )
    return table
  return list ?? { items: NOTHING, fields: {} }
}

function filled(
  recipe: Recipe,
  detected: { readonly items?: string; readonly fields: Fields } | null,
  next: NextRule,
): DetectedRecipe {
  const { extract, follow, ...rest } = recipe
  const own = extract === 'auto' ? undefined : extract
  const merged =
    detected === null
      ? own
      : {
          ...(own?.on !== undefined && { on: own.on }),
          ...(detected.items !== undefined && { items: detected.items }),
          fields: withFallbacks(own?.fields, detected.fields),
        }
  return {
    ...rest,
    ...(follow && {
      follow: follow.map((rule) =>
        'next' in rule && NEXT.has(rule.next) ? { ...rule, ...next } : rule,
      ),
    }),
    ...(merged && { extract: merged }),
  }
}

function withFallbacks(own: Fields | undefined, detected: Fields): Fields {
  if (own === undefined) return Object.keys(detected).length > 0 ? detected : { row: NOTHING }
  return Object.fromEntries(
    Object.entries(own).map(([column, field]) => {
      const fallback = Object.hasOwn(detected, column) ? detected[column] : undefined
      return [
        column,
        fallback === undefined || asksModel(field)
          ? field
          : [...sourcesOf(field), ...sourcesOf(fallback)].slice(0, 20),
      ]
    }),
  )
}

function kindOf({ extract }: Recipe): Repetition | null {
  if (extract === undefined || extract === 'auto' || extract.items === undefined) return null
  return Object.hasOwn(ITEMS, extract.items) ? (ITEMS[extract.items] ?? null) : null
}

/**
 * Returns the label of the pages that rows come from: the value of `on`. Without it, a proposal
 * takes rows from the last pages that the rules lead to. `null`: from all pages.
 */
export function targetOf({ extract, follow = [] }: Recipe): string | null {
  if (extract !== 'auto') return extract?.on ?? null
  return follow.reduce<string | null>(
    (label, rule) => ('as' in rule && rule.as !== undefined ? rule.as : label),
    null,
  )
}

/**
 * Returns the recipe with everything detected on a page, ready to be saved. `detection`: the kind
 * of page.
 */
export function* proposeParts(
  recipe: Recipe,
  content: PageContent,
  target: string | null,
  detection: Detection,
): Parts<Recipe> {
  const { next, param } = detection
  const { extract, ...proposal } = yield* detectRecipeOn(
    recipe,
    content,
    recipe.extract === 'auto' ? detection : null,
  )
  if (recipe.extract !== 'auto') return { ...proposal, ...(extract && { extract }) }
  // A format covers the whole page, but the detected items may be parts of one.
  const { formats: _, ...rest } = proposal
  const on = target === null ? {} : { on: target }
  const isAlone = rest.follow === undefined && rest.crawl === undefined
  return {
    ...rest,
    ...(isAlone &&
      next !== undefined && { follow: [{ next, ...(param !== undefined && { param }) }] }),
    extract: { ...on, ...extract },
  }
}

/** Returns a proposed recipe without the rules that were added to it. */
export function withoutFollow(proposed: Json): Json {
  if (!isObject(proposed)) return proposed
  const { follow: _follow, ...rest } = proposed
  return rest
}
