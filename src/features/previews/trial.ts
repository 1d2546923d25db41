import { detect } from '../../engine/extract/auto.ts'
import { detectRecipe } from '../../engine/recipe/auto-extract.ts'
import { compileExplain } from '../../engine/recipe/explain.ts'
import type { Explain, PageExplanation } from '../../engine/recipe/explain.ts'
import { isEmptyResult } from '../../engine/recipe/is-empty-result.ts'
import { parseRecipe } from '../../engine/recipe/parse-recipe.ts'
import type { Plan } from '../../engine/recipe/plan.ts'
import type { Recipe } from '../../engine/recipe/schema.ts'
import type { Json } from '../../kernel/json.ts'
import type { Page, PageResult, Visit } from '../../ports/page-processor.ts'
import type { JsonObject } from '../tasks/schema.ts'
import type { Admit } from '../recipes/service.ts'
import type { Proposal } from './preview.ts'

/** What a trial made of one page. */
export interface TrialPage {
  /** With a question where something is left to a model. */
  readonly result: PageResult
  readonly explanation: PageExplanation | null
}

/** A recipe on trial. What it leaves open is found out on the first page that its rows come from. */
export class Trial {
  readonly #admit: Admit
  readonly #recipe: Recipe
  #found: readonly string[] = []
  #explain: Explain
  #plan: Plan
  /** Label of the pages that rows come from; `null`: all of them. */
  readonly target: string | null
  /** Whether the recipe leaves something open. */
  readonly isAuto: boolean
  proposal: Proposal | null = null

  /** @throws {PlatformError} 400 for a recipe that cannot be run */
  constructor(recipe: Json, admit: Admit) {
    this.#admit = admit
    this.#plan = admit(recipe)
    this.#recipe = parseRecipe(recipe)
    this.#explain = compileExplain(this.#recipe)
    this.isAuto = this.#plan.detects
    this.target = targetOf(this.#recipe)
  }

  get plan(): Plan {
    return this.#plan
  }

  /** Takes pages that the recipe's search has found for start pages. */
  startFrom(found: readonly string[]): void {
    this.#found = found
    this.#plan = this.#admit(JSON.parse(JSON.stringify(this.#recipe)), found)
  }

  /** Whether nothing is found on a page as it was fetched. */
  isEmpty(page: Page, visit: Visit): boolean {
    if (this.#plan.detects) return true
    return isEmptyResult(this.#plan.process(page, visit))
  }

  read(page: Page, visit: Visit): TrialPage {
    if (this.#plan.detects && (this.target === null || visit.label === this.target)) this.#propose(page)
    const result = this.#plan.process(page, visit)
    // Before anything is found out, a page would be looked at by itself, with columns of its own.
    return { result: this.#plan.detects ? { ...result, rows: [] } : result, explanation: this.#explain(page, visit) }
  }

  #propose(page: Page): void {
    const { kind, confidence, next } = detect(page)
    const recipe: JsonObject = JSON.parse(JSON.stringify(this.#complete(page, next)))
    this.#plan = this.#admit(recipe, this.#found)
    this.#explain = compileExplain(parseRecipe(recipe))
    this.proposal = { kind, confidence, recipe }
  }

  #complete(page: Page, next: string | undefined): Recipe {
    const { extract, ...found } = detectRecipe(this.#recipe, page)
    if (this.#recipe.extract !== 'auto') return { ...found, ...(extract && { extract }) }
    // A format is of a whole page, and what was found may be parts of one.
    const { formats: _, ...rest } = found
    const on = this.target === null ? {} : { on: this.target }
    const isAlone = rest.follow === undefined && rest.crawl === undefined
    return { ...rest, ...(isAlone && next !== undefined && { follow: [{ next }] }), extract: { ...on, ...extract } }
  }
}

/** Rows come from where `on` says; without it, those of a proposal come from the end of the way that the rules lead. */
function targetOf({ extract, follow = [] }: Recipe): string | null {
  if (extract !== 'auto') return extract?.on ?? null
  return follow.reduce<string | null>((label, rule) => ('as' in rule && rule.as !== undefined ? rule.as : label), null)
}
