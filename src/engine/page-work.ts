import type { Json } from '../kernel/json.ts'
import { PageFailure } from '../kernel/failures.ts'
import type {
  Page,
  PageAnswers,
  PageCut,
  PageDetection,
  PageExplanation,
  PageInspection,
  PageLimits,
  PageShell,
  PageTask,
  PageText,
  PageWork,
  Visit,
  PageResult,
} from '../ports/page-processor.ts'
import { detect, detectContent } from './extract/auto.ts'
import { preparePage } from './extract/document/prepare-page.ts'
import { pageText } from './extract/format/page-text.ts'
import { overrunText, PageBudget, PageTooCostly } from './extract/page/page-budget.ts'
import { PageContent, START } from './extract/page/page-content.ts'
import { detectRecipe, proposeRecipe, targetOf } from './plan/auto-extract.ts'
import type { ContentPlan } from './plan/auto-extract.ts'
import { compileContent } from './plan/compile.ts'
import { compileExplain } from './plan/explain.ts'
import { parseRecipe, parseRunRecipe } from './recipe/parse-recipe.ts'
import { prepareRecipe } from './plan/prepare-recipe.ts'
import type { Recipe } from './recipe/schema.ts'

/** Characters of text below which a page is an empty shell, whatever was found on it. */
const HARDLY_ANY = 200
/**
 * Characters of text, such as those of a frame of navigation, below which it is one if nothing was
 * found on it.
 */
const LITTLE = 2_000

/**
 * Whether a page, as it was fetched, waits for its scripts: it is HTML with scripts, and has hardly
 * any text, or little text and nothing that the recipe looks for. `isEmpty` tells the latter; it is
 * asked only if that matters.
 */
export function needsBrowser(page: PageContent, isEmpty: () => boolean): boolean {
  if (page.kind !== 'html' || !/<script[\s>]/i.test(page.text)) return false
  const { length } = page.readable
  return length < HARDLY_ANY || (length < LITTLE && isEmpty())
}

/** The answer to each question. `budget`: what the visit has left. */
type Answers = {
  readonly [K in PageTask]: (page: Page, visit: Visit, budget: PageBudget) => PageAnswers[K]
}

/**
 * Whether a page is a shell is asked before rows are made: it may take as much of the budget, and
 * the rest is theirs.
 */
const SHELL_SHARE = 0.25
/** Names of places where a budget may end. */
const SHELL = 'render'
const EXPLANATION = 'explanation'

/**
 * Makes a recipe ready to answer questions about pages, on the thread that this is called on.
 * `null`: for questions that take no recipe. Page threads call this, and so does a platform on a
 * runtime without threads.
 *
 * @throws {PlatformError} 400 for a recipe that is not valid
 */
export async function openPageWork(source: Json | null, limits?: PageLimits): Promise<PageWork> {
  if (source !== null) await prepareRecipe(source)
  const answers = source === null ? WITHOUT_RECIPE : answersOf(parseRunRecipe(source))
  return {
    async answer(task, page, visit) {
      await preparePage(page)
      try {
        return answers[task](page, visit, new PageBudget(limits, page.spent))
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
  detect: (page, _, budget) => detectAt(page, budget),
  read: (page, _, budget) => read(page, budget),
}

function answersOf(recipe: Recipe): Answers {
  const plan = compileContent(recipe)
  return {
    ...WITHOUT_RECIPE,
    process: (page, visit, budget) => plan.process(page, visit, budget),
    inspect: (page, visit, budget) =>
      inspect(recipe, plan, new PageContent(page, visit, budget), visit),
    propose: (page, visit, budget) => propose(recipe, new PageContent(page, visit, budget), visit),
    complete: (page, _, budget) =>
      foundOut(budget, () => plain(detectRecipe(recipe, page, budget))),
    isShell: (page, visit, budget) => shellOf(plan, new PageContent(page, visit, budget), visit),
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
  // Before anything was found out, a page is looked at by itself, and has columns of its own.
  const rows = plan.detects ? [] : result.rows
  return {
    result: { ...result, rows, ...(cuts.length > 0 && { cuts }) },
    explanation,
    proposal: null,
  }
}

/** Half an explanation would tell of selectors that find nothing: it is whole, or there is none. */
function explain(recipe: Recipe, content: PageContent, visit: Visit): PageExplanation | null {
  const { budget } = content
  const whole = (): PageExplanation | null => {
    const explanation = compileExplain(recipe)(content, visit)
    return budget.overrun === null ? explanation : null
  }
  return budget.attemptWithin(1, EXPLANATION, whole, null)
}

/** What was left out at one place. */
function cutsAt(place: string, { losses: { cuts = [] } }: PageBudget): readonly PageCut[] {
  return cuts.filter(({ where }) => where === place)
}

function propose(recipe: Recipe, content: PageContent, visit: Visit): PageInspection {
  const target = targetOf(recipe)
  const { kind, confidence, proposed } = foundOut(content.budget, () => {
    const detection = detectContent(content)
    return { ...detection, proposed: plain(proposeRecipe(recipe, content, target, detection)) }
  })
  const complete = parseRecipe(proposed)
  return {
    ...inspect(complete, compileContent(complete), content, visit),
    proposal: { kind, confidence, recipe: proposed },
  }
}

function detectAt(page: Page, budget: PageBudget): PageDetection {
  const { extract, ...rest } = foundOut(budget, () => detect(page, budget))
  const fields: Record<string, Json> = JSON.parse(JSON.stringify(extract.fields))
  return {
    ...rest,
    extract: { ...(extract.items !== undefined && { items: extract.items }), fields },
  }
}

/**
 * What was found out about a page. What there is to extract has no answer in part: a recipe that
 * was made of half a page would be used for all the others.
 *
 * @throws {PageFailure} where the budget ended
 */
function foundOut<T>(budget: PageBudget, find: () => T): T {
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
  const found = budget.attempt('text', () => readWhole(content, page), nothing)
  return { ...found, ...budget.losses, spent: budget.spent }
}

function readWhole(content: PageContent, page: Page): Omit<PageText, 'spent'> {
  const found = pageText(content, page)
  return { ...found, isShell: isShell(content, () => found.text === null) }
}

function shellOf(plan: ContentPlan, content: PageContent, visit: Visit): PageShell {
  const { budget } = content
  // Before anything was found out there is nothing to look for.
  const isEmpty = (): boolean => plan.detects || isEmptyResult(plan.processContent(content, visit))
  const found = budget.attemptWithin(SHELL_SHARE, SHELL, () => isShell(content, isEmpty), false)
  // What the recipe has to leave out is told when the page is worked on, which may be another one
  // then.
  const cuts = cutsAt(SHELL, budget)
  return { isShell: found, spent: { ...budget.spent, ...(cuts.length > 0 && { cuts }) } }
}

/** A page that is too costly to look at is no shell: a browser would make more of it, not less. */
function isShell(content: PageContent, isEmpty: () => boolean): boolean {
  return needsBrowser(content, isEmpty) && content.budget.overrun === null
}

/** As JSON has it, without what is not set. */
function plain(recipe: Recipe): Json {
  return JSON.parse(JSON.stringify(recipe))
}

/** Whether nothing that a recipe looks for is on a page, what a model may still find aside. */
function isEmptyResult({ rows, links, question }: PageResult): boolean {
  return links.length === 0 && (question === undefined ? rows.length === 0 : !question.found)
}
