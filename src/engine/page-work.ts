import type { Json } from '../kernel/json.ts'
import { PageFailure } from '../kernel/page-failure.ts'
import type { Page, PageAnswers, PageDetection, PageInspection, PageLimits, PageResult, PageTask, PageText, PageWork, Visit } from '../ports/page-processor.ts'
import { detect, detectContent } from './extract/auto.ts'
import { preparePage } from './extract/document/prepare-page.ts'
import { pageText } from './extract/format/page-text.ts'
import { overrunText, PageBudget, PageTooCostly } from './extract/page/page-budget.ts'
import { PageContent, START } from './extract/page/page-content.ts'
import { detectRecipe } from './recipe/auto-extract.ts'
import { compileRecipe } from './recipe/compile.ts'
import { compileExplain } from './recipe/explain.ts'
import { isEmptyResult } from './recipe/is-empty-result.ts'
import { parseRecipe, parseRunRecipe } from './recipe/parse-recipe.ts'
import type { Plan } from './recipe/plan.ts'
import { prepareRecipe } from './recipe/prepare-recipe.ts'
import { proposeRecipe, targetOf } from './recipe/propose-recipe.ts'
import type { Recipe } from './recipe/schema.ts'
import { needsBrowser } from './render/needs-browser.ts'

/** The answer to each question. */
type Answers = { readonly [K in PageTask]: (page: Page, visit: Visit) => PageAnswers[K] }

/**
 * Makes a recipe ready to answer questions about pages, on the thread that this is called on. `null`: for questions
 * that take no recipe. Page threads call this, and so does a platform on a runtime without threads.
 *
 * @throws {PlatformError} 400 for a recipe that is not valid
 */
export async function openPageWork(source: Json | null, limits?: PageLimits): Promise<PageWork> {
  if (source !== null) await prepareRecipe(source)
  const answers = source === null ? answersWithout(limits) : answersOf(parseRunRecipe(source), limits)
  return {
    async answer(task, page, visit) {
      await preparePage(page)
      try {
        return answers[task](page, visit)
      } catch (error) {
        if (error instanceof PageTooCostly) throw tooCostly(error.message, error)
        throw error
      }
    },
  }
}

function answersWithout(limits: PageLimits | undefined): Answers {
  const refuse = (): never => {
    throw new Error('This question takes a recipe')
  }
  return { process: refuse, inspect: refuse, propose: refuse, complete: refuse, isShell: refuse, detect: (page) => detectAt(page, new PageBudget(limits)), read: (page) => read(page, new PageBudget(limits)) }
}

function answersOf(recipe: Recipe, limits: PageLimits | undefined): Answers {
  const plan = compileRecipe(recipe)
  return {
    ...answersWithout(limits),
    process: (page, visit) => plan.process(page, visit, new PageBudget(limits)),
    inspect: (page, visit) => inspect(recipe, plan, page, visit, limits),
    propose: (page, visit) => propose(recipe, page, visit, limits),
    complete: (page) => foundOut(new PageBudget(limits), (budget) => plain(detectRecipe(recipe, page, budget))),
    isShell: (page, visit) => isShell(plan, page, visit, new PageBudget(limits)),
  }
}

function inspect(recipe: Recipe, plan: Plan, page: Page, visit: Visit, limits: PageLimits | undefined): PageInspection {
  const result: PageResult = plan.process(page, visit, new PageBudget(limits))
  // Before anything was found out, a page is looked at by itself, and has columns of its own.
  return { result: plan.detects ? { ...result, rows: [] } : result, explanation: compileExplain(recipe)(page, visit, new PageBudget(limits)), proposal: null }
}

function propose(recipe: Recipe, page: Page, visit: Visit, limits: PageLimits | undefined): PageInspection {
  const target = targetOf(recipe)
  const { kind, confidence, proposed } = foundOut(new PageBudget(limits), (budget) => {
    const content = new PageContent(page, START, budget)
    const detection = detectContent(content)
    return { ...detection, proposed: plain(proposeRecipe(recipe, content, target, detection)) }
  })
  const complete = parseRecipe(proposed)
  return { ...inspect(complete, compileRecipe(complete), page, visit, limits), proposal: { kind, confidence, recipe: proposed } }
}

function detectAt(page: Page, budget: PageBudget): PageDetection {
  const { extract, ...rest } = foundOut(budget, () => detect(page, budget))
  const fields: Record<string, Json> = JSON.parse(JSON.stringify(extract.fields))
  return { ...rest, extract: { ...(extract.items !== undefined && { items: extract.items }), fields } }
}

/**
 * What was found out about a page. What there is to extract has no answer in part: a recipe that was made of half a
 * page would be used for all the others.
 *
 * @throws {PageFailure} where the budget ended
 */
function foundOut<T>(budget: PageBudget, find: (budget: PageBudget) => T): T {
  const answer = find(budget)
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
  return { ...found, ...budget.losses }
}

function readWhole(content: PageContent, page: Page): PageText {
  const found = pageText(content, page)
  return { ...found, isShell: needsBrowser(content, () => found.text === null) }
}

/** A page that is too costly to look at is no shell: a browser would make more of it, not less. */
function isShell(plan: Plan, page: Page, visit: Visit, budget: PageBudget): boolean {
  const content = new PageContent(page, visit, budget)
  // Before anything was found out there is nothing to look for.
  const isEmpty = (): boolean => plan.detects || isEmptyResult(plan.process(page, visit, budget))
  return budget.attempt('page', () => needsBrowser(content, isEmpty), false)
}

/** As JSON has it, without what is not set. */
function plain(recipe: Recipe): Json {
  return JSON.parse(JSON.stringify(recipe))
}
