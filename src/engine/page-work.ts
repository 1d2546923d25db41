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
import { detectAll, detectContent } from './extract/auto.ts'
import type { Detection } from './extract/auto.ts'
import { refusedItems } from './extract/auto/refused-items.ts'
import { preparePage } from './extract/document/prepare-page.ts'
import { pageText } from './extract/format/page-text.ts'
import { overrunText, PageBudget, PageTooCostly } from './extract/page/page-budget.ts'
import { PageContent, START } from './extract/page/page-content.ts'
import {
  detectRecipe,
  detectsRows,
  proposeRecipe,
  targetOf,
  withoutFollow,
} from './plan/auto-extract.ts'
import type { ContentPlan } from './plan/auto-extract.ts'
import { compileContent } from './plan/compile.ts'
import { compileOnce, readStored } from './plan/compiled-recipes.ts'
import { proposalsOn } from './plan/proposals.ts'
import { relocate } from './plan/relocate.ts'
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
  if (page.kind !== 'html' || !page.source.has(/<script[\s>]/i)) return false
  const { length } = page.readable
  return length < HARDLY_ANY || (length < LITTLE && isEmpty())
}

/** The answer type of each question. `budget` is what the visit has left. */
type Answers = {
  readonly [K in PageTask]: (
    page: Page,
    visit: Visit,
    budget: PageBudget,
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
    async answer(task, page, visit) {
      await preparePage(page)
      try {
        return await answers[task](page, visit, new PageBudget(limits, page.spent))
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
  detect: (page, _, budget) => detectAt(page, budget),
  read: (page, _, budget) => read(page, budget),
  // Asked by people who look at a page, so it is loaded with the first of them.
  view: async (page, _, budget) => {
    const { viewOf } = await import('./point/view.ts')
    return detectedWithin(budget, () => viewOf(new PageContent(page, START, budget)))
  },
  point: async (page, _, budget) => {
    const { candidatesFor } = await import('./point/candidates.ts')
    return detectedWithin(budget, () =>
      candidatesFor(new PageContent(page, START, budget), page.pointed),
    )
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
    process: (page, visit, budget) => plan.process(page, visit, budget),
    inspect: (page, visit, budget) =>
      inspect(recipe, plan, new PageContent(page, visit, budget), visit),
    propose: (page, visit, budget) => propose(recipe, new PageContent(page, visit, budget), visit),
    complete: (page, _, budget) =>
      detectedWithin(budget, () => plain(detectRecipe(recipe, page, budget))),
    isShell: (page, visit, budget) => shellOf(plan, new PageContent(page, visit, budget), visit),
    relocate: (page, visit, budget) =>
      detectedWithin(budget, () =>
        relocate(recipe, new PageContent(page, visit, budget), page.sought),
      ),
  }
}

function inspect(
  recipe: Recipe,
  plan: ContentPlan,
  content: PageContent,
  visit: Visit,
): PageInspection {
  const result = plan.processContent(content, visit)
  const explanation = explain(recipe, content, visit)
  const cuts = [...(result.cuts ?? []), ...cutsAt(EXPLANATION, content.budget)]
  // Before detection, a page is processed alone and has its own columns.
  const rows = plan.detects ? [] : result.rows
  return {
    result: { ...result, rows, ...(cuts.length > 0 && { cuts }) },
    explanation,
    proposal: null,
    proposals: [],
    refused: [],
    isShell: isShellWithin(1, content, () => isEmptyResult(result)),
  }
}

/**
 * Returns the explanation only if it is complete. A partial explanation would list working
 * selectors as finding nothing.
 */
function explain(recipe: Recipe, content: PageContent, visit: Visit): PageExplanation | null {
  const { budget } = content
  const whole = (): PageExplanation | null => {
    const explanation = compileExplain(recipe)(content, visit)
    return budget.overrun === null ? explanation : null
  }
  return budget.attemptWithin(1, EXPLANATION, whole, null)
}

/** Returns the budget cuts in one part. */
function cutsAt(part: string, { losses: { cuts = [] } }: PageBudget): readonly PageCut[] {
  return cuts.filter(({ where }) => where === part)
}

function propose(recipe: Recipe, content: PageContent, visit: Visit): PageInspection {
  const target = targetOf(recipe)
  const { detection, proposed } = detectedWithin(content.budget, () => {
    const detected = detectContent(content)
    return {
      detection: detected,
      proposed: plain(proposeRecipe(recipe, content, target, detected)),
    }
  })
  // The links are those of the recipe itself, which follows only links that it names.
  const complete = parseRecipe(
    recipe.follow === undefined ? withoutFollow(proposed) : proposed,
  ).recipe
  const inspected = inspect(complete, compileContent(complete), content, visit)
  const { kind, confidence, reason } = detection
  return {
    ...inspected,
    proposal: { kind, confidence, reason, recipe: proposed },
    proposals:
      recipe.extract === 'auto' ? proposalsOn(recipe, content, visit, target, detection) : [],
    refused: detectsRows(recipe) ? refusedOn(content) : [],
    isShell: recipe.extract === 'auto' ? isWritten(content, detection) : inspected.isShell,
  }
}

/** Groups of similar elements that were not taken as a list, as far as the budget goes. */
function refusedOn(content: PageContent): readonly RefusedItems[] {
  if (content.kind !== 'html') return []
  return content.budget.attemptWithin(OTHERS_SHARE, 'proposals', () => refusedItems(content), [])
}

/**
 * True if scripts write a page, and nothing of it was detected. Columns such as the page's title do
 * not count as content; the state that scripts left in the page does.
 */
function isWritten(content: PageContent, { kind, extract }: Detection): boolean {
  return stateItems(extract.items) === null && isShellWithin(1, content, () => kind === 'page')
}

function detectAt(page: Page, budget: PageBudget): PageDetection {
  const content = new PageContent(page, START, budget)
  const detection = detectedWithin(budget, () => detectContent(content))
  const { overrun: _, ...first } = detection
  const others = budget.attemptWithin(OTHERS_SHARE, 'proposals', () => detectAll(content), [])
  return JSON.parse(
    JSON.stringify({
      ...first,
      ...(isWritten(content, detection) && { needsScripts: true }),
      others: others
        .slice(1)
        .map(({ kind, extract, confidence, reason }) => ({ kind, extract, confidence, reason })),
      refused: refusedOn(content),
    }),
  )
}

/**
 * Returns what was detected on a page. Detection has no partial result: a recipe made from half a
 * page would be used for all other pages.
 *
 * @throws {PageFailure} if the budget ran out
 */
function detectedWithin<T>(budget: PageBudget, find: () => T): T {
  const answer = find()
  if (budget.overrun !== null) throw tooCostly(overrunText(budget.overrun))
  return answer
}

function tooCostly(message: string, cause?: unknown): PageFailure {
  return new PageFailure('time', message, { cause })
}

function read(page: Page, budget: PageBudget): PageText {
  const content = new PageContent(page, START, budget)
  const nothing = { title: null, text: null, facts: {}, isReadable: true, isShell: false }
  const text = budget.attempt('text', () => readWhole(content), nothing)
  return { ...text, ...budget.losses, spent: budget.spent }
}

function readWhole(content: PageContent): Omit<PageText, 'spent'> {
  const text = pageText(content)
  return { ...text, isShell: isShell(content, () => text.text === null) }
}

function shellOf(plan: ContentPlan, content: PageContent, visit: Visit): PageShell {
  const { budget } = content
  // Before detection the recipe has nothing to look for.
  const isEmpty = (): boolean => plan.detects || isEmptyResult(plan.processContent(content, visit))
  const isEmptyShell = isShellWithin(SHELL_SHARE, content, isEmpty)
  // The later processing step reports what the recipe has to leave out. It may process a
  // different page, the rendered one.
  const cuts = cutsAt(SHELL, budget)
  return { isShell: isEmptyShell, spent: { ...budget.spent, ...(cuts.length > 0 && { cuts }) } }
}

/** The same within a share of the remaining budget. False if the share is not enough. */
function isShellWithin(share: number, content: PageContent, isEmpty: () => boolean): boolean {
  return content.budget.attemptWithin(share, SHELL, () => isShell(content, isEmpty), false)
}

/** A page that is too costly to process is not a shell: a browser would make it larger, not smaller. */
function isShell(content: PageContent, isEmpty: () => boolean): boolean {
  return needsBrowser(content, isEmpty) && content.budget.overrun === null
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
