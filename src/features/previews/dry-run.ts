import type { CrawlPlan } from '../../engine/plan/plan.ts'
import { targetOf } from '../../engine/plan/auto-extract.ts'
import type { Json } from '../../kernel/json.ts'
import type {
  PageProposal,
  OpenRecipe,
  Page,
  PageInspection,
  PageShell,
  Visit,
} from '../../ports/page-processor.ts'
import type { Admit } from '../recipes/service.ts'
import { parseRecipe, parseStoredRecipe } from '../../engine/recipe/parse-recipe.ts'
import type { Proposal } from './preview.ts'

/** The dry run's result for one page. */
export type DryRunPage = Pick<PageInspection, 'result' | 'explanation'>

/** Opens a recipe for a dry run. */
export type OpenForDryRun = (recipe: Json) => OpenRecipe

/**
 * A recipe in a dry run. Parts that it leaves open are detected on the first page that its rows
 * come from.
 */
export class DryRun {
  readonly #admit: Admit
  readonly #open: OpenForDryRun
  readonly #recipe: Json
  #found: readonly string[] = []
  #pages: OpenRecipe
  #plan: CrawlPlan
  /** Label of the pages that rows come from. `null`: all pages. */
  readonly target: string | null
  /** True if the recipe leaves parts open. */
  readonly isAuto: boolean
  proposal: Proposal | null = null

  /** @throws {PlatformError} 400 for a recipe that cannot be run */
  constructor(recipe: Json, admit: Admit, open: OpenForDryRun) {
    this.#admit = admit
    this.#open = open
    this.#plan = admit(recipe)
    this.#recipe = recipe
    this.#pages = open(recipe)
    this.isAuto = this.#plan.detects
    this.target = targetOf(parseRecipe(recipe))
  }

  get plan(): CrawlPlan {
    return this.#plan
  }

  /** Adds start pages that the recipe's search has found. */
  startFrom(found: readonly string[]): void {
    this.#found = found
    this.#plan = this.#admit(this.#recipe, found)
  }

  /** Finds out whether a fetched page is an empty shell that waits for its scripts. */
  isShell(page: Page, visit: Visit, signal: AbortSignal): Promise<PageShell> {
    return this.#pages.isShell(page, visit, signal)
  }

  async read(page: Page, visit: Visit, signal: AbortSignal): Promise<DryRunPage> {
    const isProposed = this.#plan.detects && (this.target === null || visit.label === this.target)
    if (!isProposed) return this.#pages.inspect(page, visit, signal)
    const { proposal, ...found } = await this.#pages.propose(page, visit, signal)
    if (proposal !== null) this.#take(proposal)
    return found
  }

  /** Releases the pages' resources. */
  close(): void {
    this.#pages.close()
  }

  #take({ kind, confidence, recipe: proposed }: PageProposal): void {
    const recipe = parseStoredRecipe(proposed)
    this.#plan = this.#admit(recipe, this.#found)
    this.#pages.close()
    this.#pages = this.#open(recipe)
    this.proposal = { kind, confidence, recipe }
  }
}
