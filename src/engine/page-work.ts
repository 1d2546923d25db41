import type { Json } from '../kernel/json.ts'
import { PageFailure } from '../kernel/failures.ts'
import type {
  Page,
  PageAnswers,
  PageDetection,
  PageExplanation,
  PageInspection,
  PageShell,
  PageTask,
  PageText,
  PageWork,
  RefusedItems,
  Visit,
  PageResult,
} from '../ports/page-processor.ts'
import type { PageCut, PageLimits } from '../ports/page-limits.ts'
import { detectAllParts, detectParts } from './extract/auto.ts'
import type { Detection } from './extract/auto.ts'
import { refusedParts } from './extract/auto/refused-items.ts'
import { preparePage } from './extract/document/prepare-page.ts'
import { pageTextParts } from './extract/format/page-text.ts'
import { overrunText, PageBudget, PageTooCostly } from './extract/page/page-budget.ts'
import { PageContent, START } from './extract/page/page-content.ts'
import {
  detectRecipeIn,
  detectsRows,
  proposeParts,
  targetOf,
  withoutFollow,
} from './plan/auto-extract.ts'
import type { ContentPlan } from './plan/auto-extract.ts'
import { compileContent } from './plan/compile.ts'
import { compileOnce, readStored } from './plan/compiled-recipes.ts'
import { atOnce, inTurns, type Parts } from './extract/page/in-turns.ts'
import { proposalParts } from './plan/proposals.ts'
import { relocateParts } from './plan/relocate.ts'
import { compileExplain } from './plan/explain.ts'
import { demandRunSize, parseRecipe } from './recipe/parse-recipe.ts'
import { prepare } from './plan/prepare-recipe.ts'
import { stateItems } from './recipe/field-schema.ts'
import type { Recipe } from './recipe/schema.ts'

/**
 * With less text than this (in characters), a page is an empty shell even if the recipe finds
 * something on it.
 */
const HARDLY_ANY = 200
/**
 * With less text than this (in characters), a page is an empty shell if the recipe finds nothing on
 * it. The text may be, for example, a frame of navigation.
 */
const LITTLE = 2_000

/**
 * True if a fetched page needs a browser to run its scripts. Such a page is HTML with scripts and
 * has either hardly any text, or little text and nothing that the recipe looks for. `isEmpty`
 * answers the last part and is called only if it matters.
 */
export function needsBrowser(page: PageContent, isEmpty: () => boolean): boolean {
  return atOnce(needsBrowserParts(page, whenAsked(isEmpty)))
}

/** Like {@link needsBrowser} in parts. `isEmpty` is begun only if it matters. */
function* needsBrowserParts(page: PageContent, isEmpty: Parts<boolean>): Parts<boolean> {
  if (page.kind !== 'html' || !page.source.has(/<script[\s>]/i)) return false
  yield* page.readTree()
  yield* page.readReadable()
  const { length } = page.readable
  yield
  return length < HARDLY_ANY || (length < LITTLE && (yield* isEmpty))
}

/** An answer that is begun only if it matters. */
function* whenAsked(isEmpty: () => boolean): Parts<boolean> {
  yield
  return isEmpty()
}

/**
 * Does work in parts: at once, or in turns of the event loop. With `wantsTree` the tree is made in
 * turns before the first part.
 */
type DoParts = <T>(parts: Parts<T>, content: PageContent, wantsTree?: boolean) => T | Promise<T>

/**
 * Does parts after the tree was made in parts, too. Most parts need the tree; without turns it is
 * made when it is first used.
 */
function* afterTree<T>(parts: Parts<T>, content: PageContent): Parts<T> {
  const { budget } = content
  try {
    yield* content.readTree()
  } catch (error) {
    // The parts report the end of the budget, and what they have without a tree.
    budget.settle(error, undefined)
  }
  return yield* parts
}

/** The answer type of each question. `budget` is what the visit has left. */
type Answers = {
  readonly [K in PageTask]: (
    page: Page,
    visit: Visit,
    budget: PageBudget,
    doParts: DoParts,
  ) => PageAnswers[K] | Promise<PageAnswers[K]>
}

/**
 * The share of the budget for the shell check. The check runs before rows are made, and the rows
 * get the rest.
 */
const SHELL_SHARE = 0.25
/** Names of the parts in which a budget can run out. */
const SHELL = 'render'
const EXPLANATION = 'explanation'
/** The share of the budget for the other ways to read a page. */
const OTHERS_SHARE = 0.5

/**
 * Prepares a recipe to answer questions about pages, on the calling thread. Pass `null` for
 * questions that take no recipe. Page threads call this, and so does a platform on a runtime
 * without threads.
 *
 * @example
 *   const work = await openPageWork({
 *     start: { urls: ['https://example.com/'] },
 *     extract: { fields: { title: 'h1' } },
 *   })
 *
 * @throws {PlatformError} 400 for a recipe that is not valid
 */
export async function openPageWork(source: Json | null, limits?: PageLimits): Promise<PageWork> {
  const answers = source === null ? WITHOUT_RECIPE : await readAnswers(source)
  return {
    async answer(task, page, visit, pause) {
      await preparePage(page)
      const doParts: DoParts =
        pause === undefined
          ? (parts) => atOnce(parts)
          : (parts, content, wantsTree = true) => {
              content.beginTurns()
              return inTurns(wantsTree ? afterTree(parts, content) : parts, content.budget, pause)
            }
      try {
        return await answers[task](page, visit, new PageBudget(limits, page.spent), doParts)
      } catch (error) {
        if (error instanceof PageTooCostly) throw tooCostly(error.message, error)
        throw error
      }
    },
  }
}

const refuse = (): never => {
  throw new Error('This question takes a recipe')
}

const WITHOUT_RECIPE: Answers = {
  process: refuse,
  inspect: refuse,
  propose: refuse,
  complete: refuse,
  isShell: refuse,
  relocate: refuse,
  detect: (page, _, budget, doParts) => {
    const content = new PageContent(page, START, budget)
    return doParts(detectAt(content), content)
  },
  read: (page, _, budget, doParts) => {
    const content = new PageContent(page, START, budget)
    return doParts(read(content), content)
  },
  // Only people who look at a page need this code, so it is loaded with their first request.
  view: async (page, _, budget, doParts) => {
    const { viewParts } = await import('./point/view.ts')
    const content = new PageContent(page, START, budget)
    return doParts(wholeOf(viewParts(content), budget), content)
  },
  point: async (page, _, budget, doParts) => {
    const { candidateParts } = await import('./point/candidates.ts')
    const content = new PageContent(page, START, budget)
    return doParts(wholeOf(candidateParts(content, page.pointed), budget), content)
  },
}

async function readAnswers(source: Json): Promise<Answers> {
  const parsed = readStored(source)
  demandRunSize(parsed)
  await prepare(parsed)
  return answersOf(parsed.recipe, compileOnce(parsed))
}

function answersOf(recipe: Recipe, plan: ContentPlan): Answers {
  return {
    ...WITHOUT_RECIPE,
    process: (page, visit, budget, doParts) => {
      const content = new PageContent(page, visit, budget)
      return doParts(plan.processParts(content, visit), content)
    },
    inspect: (page, visit, budget, doParts) => {
      const content = new PageContent(page, visit, budget)
      return doParts(inspect(recipe, plan, content, visit), content)
    },
    propose: (page, visit, budget, doParts) => {
      const content = new PageContent(page, visit, budget)
      return doParts(propose(recipe, content, visit), content)
    },
    complete: (page, _, budget, doParts) => {
      const content = new PageContent(page, START, budget)
      return doParts(wholeOf(complete(recipe, content), budget), content)
    },
    isShell: (page, visit, budget, doParts) => {
      const content = new PageContent(page, visit, budget)
      return doParts(shellOf(plan, content, visit), content, false)
    },
    relocate: (page, visit, budget, doParts) => {
      const content = new PageContent(page, visit, budget)
      return doParts(wholeOf(relocateParts(recipe, content, page.sought), budget), content)
    },
  }
}

function* complete(recipe: Recipe, content: PageContent): Parts<Json> {
  return plain(yield* detectRecipeIn(recipe, content))
}

function* inspect(
  recipe: Recipe,
  plan: ContentPlan,
  content: PageContent,
  visit: Visit,
): Parts<PageInspection> {
  const result = yield* plan.processParts(content, visit)
  yield
  const explanation = yield* explain(recipe, content, visit)
  const cuts = [...(result.cuts ?? []), ...cutsAt(EXPLANATION, content.budget)]
  // Before detection, each page is processed alone and has its own columns.
  const rows = plan.detects ? [] : result.rows
  return {
    result: { ...result, rows, ...(cuts.length > 0 && { cuts }) },
    explanation,
    proposal: null,
    proposals: [],
    refused: [],
    isShell: yield* isShellWithin(
      1,
      content,
      whenAsked(() => isEmptyResult(result)),
    ),
  }
}

/**
 * Returns the explanation only if it is complete. A partial explanation would list working
 * selectors as finding nothing.
 */
function* explain(
  recipe: Recipe,
  content: PageContent,
  visit: Visit,
): Parts<PageExplanation | null> {
  const { budget } = content
  const whole = function* (): Parts<PageExplanation | null> {
    const explanation = yield* compileExplain(recipe)(content, visit)
    return budget.overrun === null ? explanation : null
  }
  return yield* budget.attemptPartsWithin(1, EXPLANATION, whole(), null)
}

/** Returns the budget cuts in one part. */
function cutsAt(part: string, { losses: { cuts = [] } }: PageBudget): readonly PageCut[] {
  return cuts.filter(({ where }) => where === part)
}

function* propose(recipe: Recipe, content: PageContent, visit: Visit): Parts<PageInspection> {
  const target = targetOf(recipe)
  const { budget } = content
  const detection = yield* detectParts(content)
  yield
  const proposed = plain(yield* wholeOf(proposeParts(recipe, content, target, detection), budget))
  // The links are those of the recipe itself, which follows only links that it names.
  const completed = parseRecipe(
    recipe.follow === undefined ? withoutFollow(proposed) : proposed,
  ).recipe
  yield
  const inspected = yield* inspect(completed, compileContent(completed), content, visit)
  yield
  const { kind, confidence, reason } = detection
  return {
    ...inspected,
    proposal: { kind, confidence, reason, recipe: proposed },
    proposals:
      recipe.extract === 'auto'
        ? yield* proposalParts(recipe, content, visit, target, detection)
        : [],
    refused: detectsRows(recipe) ? yield* refusedOn(content) : [],
    isShell: recipe.extract === 'auto' ? yield* isWritten(content, detection) : inspected.isShell,
  }
}

/** Groups of similar elements that are not lists. There are fewer if the budget ends. */
function* refusedOn(content: PageContent): Parts<readonly RefusedItems[]> {
  if (content.kind !== 'html') return []
  const { budget } = content
  return yield* budget.attemptPartsWithin(OTHERS_SHARE, 'proposals', refusedParts(content), [])
}

/**
 * True if scripts write a page, and nothing of it was detected. Columns such as the page's title do
 * not count as content; the state that scripts left in the page does.
 */
function* isWritten(content: PageContent, { kind, extract }: Detection): Parts<boolean> {
  if (stateItems(extract.items) !== null) return false
  const isEmpty = whenAsked(() => kind === 'page')
  return yield* isShellWithin(1, content, isEmpty)
}

function* detectAt(content: PageContent): Parts<PageDetection> {
  const { budget } = content
  const detection = yield* wholeOf(detectParts(content), budget)
  const { overrun: _, ...first } = detection
  yield
  const others = yield* budget.attemptPartsWithin(
    OTHERS_SHARE,
    'proposals',
    detectAllParts(content),
    [],
  )
  yield
  const needsScripts = yield* isWritten(content, detection)
  yield
  const refused = yield* refusedOn(content)
  return JSON.parse(
    JSON.stringify({
      ...first,
      ...(needsScripts && { needsScripts }),
      others: others
        .slice(1)
        .map(({ kind, extract, confidence, reason }) => ({ kind, extract, confidence, reason })),
      refused,
    }),
  )
}

/**
 * Returns what was detected on a page. Detection has no partial result: a recipe made from half a
 * page would be used for all other pages.
 *
 * @throws {PageFailure} if the budget ran out
 */
function* wholeOf<T>(parts: Parts<T>, budget: PageBudget): Parts<T> {
  const answer = yield* parts
  if (budget.overrun !== null) throw tooCostly(overrunText(budget.overrun))
  return answer
}

function tooCostly(message: string, cause?: unknown): PageFailure {
  return new PageFailure('time', message, { cause })
}

function* read(content: PageContent): Parts<PageText> {
  const { budget } = content
  const nothing = { title: null, text: null, facts: {}, isReadable: true, isShell: false }
  const text = yield* budget.attemptParts('text', readWhole(content), nothing)
  return { ...text, ...budget.losses, spent: budget.spent }
}

function* readWhole(content: PageContent): Parts<Omit<PageText, 'spent'>> {
  const text = yield* pageTextParts(content)
  yield
  const isEmpty = whenAsked(() => text.text === null)
  return { ...text, isShell: yield* isShell(content, isEmpty) }
}

function* shellOf(plan: ContentPlan, content: PageContent, visit: Visit): Parts<PageShell> {
  const { budget } = content
  const isEmptyShell = yield* isShellWithin(
    SHELL_SHARE,
    content,
    findsNothing(plan, content, visit),
  )
  // The later processing step reports what the recipe has to leave out. It may process a
  // different page, the rendered one.
  const cuts = cutsAt(SHELL, budget)
  return { isShell: isEmptyShell, spent: { ...budget.spent, ...(cuts.length > 0 && { cuts }) } }
}

function* findsNothing(plan: ContentPlan, content: PageContent, visit: Visit): Parts<boolean> {
  // Before detection the recipe has nothing to look for.
  return plan.detects || isEmptyResult(yield* plan.processParts(content, visit))
}

/** The same within a share of the remaining budget. False if the share is not enough. */
function isShellWithin(
  share: number,
  content: PageContent,
  isEmpty: Parts<boolean>,
): Parts<boolean> {
  return content.budget.attemptPartsWithin(share, SHELL, isShell(content, isEmpty), false)
}

/** A page that is too costly to process is not a shell: a browser would make it larger, not smaller. */
function* isShell(content: PageContent, isEmpty: Parts<boolean>): Parts<boolean> {
  return (yield* needsBrowserParts(content, isEmpty)) && content.budget.overrun === null
}

/** Converts a recipe to JSON without its unset members. */
function plain(recipe: Recipe): Json {
  return JSON.parse(JSON.stringify(recipe))
}

/**
 * True if a page holds nothing that the recipe looks for. Fields that a model may still fill do not
 * count.
 */
function isEmptyResult({ rows, links, question }: PageResult): boolean {
  return links.length === 0 && (question === undefined ? rows.length === 0 : !question.found)
}
