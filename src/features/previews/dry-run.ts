import type { ParsedRecipe } from '../../engine/recipe/parse-recipe.ts'
import type { RecipeInput } from '../../engine/recipe/recipe-input.ts'
import type { CrawlPlan } from '../../engine/plan/plan.ts'
import { targetOf, withoutFollow } from '../../engine/plan/auto-extract.ts'
import type {
  PageProposal,
  OpenRecipe,
  Page,
  PageInspection,
  PageShell,
  RefusedItems,
  Visit,
} from '../../ports/page-processor.ts'
import { PageFailure } from '../../kernel/failures.ts'
import { takeRecipe } from '../recipes/service.ts'
import type { Recipes } from '../recipes/service.ts'
import type { Proposal, ProposalSample } from './preview.ts'
import type { NormalUrl } from '../../kernel/url.ts'

/** The dry run's result for one page. */
export type DryRunPage = Pick<PageInspection, 'result' | 'explanation' | 'isShell'>

/** Opens a recipe for a dry run. */
export type OpenForDryRun = (recipe: ParsedRecipe) => OpenRecipe

/**
 * A recipe in a dry run. Parts that it leaves open are detected on the first page that its rows
 * come from.
 */
export class DryRun {
  readonly #recipes: Recipes
  readonly #open: OpenForDryRun
  readonly #recipe: ParsedRecipe
  #found: readonly NormalUrl[] = []
  #pages: OpenRecipe
  #plan: CrawlPlan
  /** Label of the pages that rows come from. `null`: all pages. */
  readonly target: string | null
  /** True if the recipe leaves parts open. */
  readonly isAuto: boolean
  proposal: Proposal | null = null
  proposals: readonly ProposalSample[] = []
  /**
   * The reason why a thread that worked on its pages was ended the last time. `null`: none was
   * ended.
   */
  threadEnd: string | null = null
  refused: readonly RefusedItems[] = []
  /** Parts of the recipe that a proposal repeats unchanged, with their parameters. */
  kept: Partial<RecipeInput> = {}

  /** @throws {PlatformError} 400 for a recipe that cannot be run */
  static async open(recipe: ParsedRecipe, recipes: Recipes, open: OpenForDryRun): Promise<DryRun> {
    return new DryRun(recipe, recipes, open, await recipes.admit(recipe))
  }

  private constructor(
    recipe: ParsedRecipe,
    recipes: Recipes,
    open: OpenForDryRun,
    plan: CrawlPlan,
  ) {
    this.#recipes = recipes
    this.#open = open
    this.#plan = plan
    this.#recipe = recipe
    this.#pages = open(recipe)
    this.isAuto = plan.detects
    this.target = targetOf(recipe.recipe)
  }

  get plan(): CrawlPlan {
    return this.#plan
  }

  /** The recipe at the start of the dry run, with its start URLs and the values of parameters. */
  get recipe(): ParsedRecipe {
    return this.#recipe
  }

  /** Adds start pages that the recipe's search has found. */
  async startFrom(urls: readonly NormalUrl[]): Promise<void> {
    this.#found = urls
    this.#plan = await this.#recipes.admit(this.#recipe, urls)
  }

  /** Checks whether a fetched page is an empty shell that waits for its scripts. */
  isShell(page: Page, visit: Visit, signal: AbortSignal): Promise<PageShell> {
    return this.#noting(this.#pages.isShell(page, visit, signal))
  }

  async read(page: Page, visit: Visit, signal: AbortSignal): Promise<DryRunPage> {
    const isProposed = this.#plan.detects && (this.target === null || visit.label === this.target)
    if (!isProposed) return this.#noting(this.#pages.inspect(page, visit, signal))
    const { proposal, proposals, refused, ...inspected } = await this.#noting(
      this.#pages.propose(page, visit, signal),
    )
    this.refused = refused
    if (proposal !== null) await this.#take(proposal)
    this.proposals = proposals.map((sample) => ({
      ...sample,
      recipe: { ...takeRecipe(sample.recipe).written, ...this.kept },
    }))
    return inspected
  }

  /** Releases the pages' resources. */
  close(): void {
    this.#pages.close()
  }

  async #noting<T>(answer: Promise<T>): Promise<T> {
    return answer.catch((error: unknown) => {
      if (error instanceof PageFailure && error.endedThread) this.threadEnd = error.message
      throw error
    })
  }

  async #take({ recipe: proposed, ...detected }: PageProposal): Promise<void> {
    const recipe = takeRecipe(proposed)
    // A dry run must give the same rows as an execution, which follows only links that its recipe
    // names.
    const run =
      this.#recipe.recipe.follow === undefined ? takeRecipe(withoutFollow(proposed)) : recipe
    this.#plan = await this.#recipes.admit(run, this.#found)
    this.#pages.close()
    this.#pages = this.#open(run)
    this.proposal = { ...detected, recipe: { ...recipe.written, ...this.kept } }
  }
}
