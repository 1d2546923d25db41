import { compileRecipe, parseRunRecipe, preparePage, prepareRecipe } from '../../src/engine.ts'
import type { Plan } from '../../src/engine.ts'
import type { Json } from '../../src/kernel/json.ts'
import type { Page, PageResult, Visit } from '../../src/ports/page-processor.ts'

/** An open recipe of a pool: its number for the threads, and its plan for pages that are not worth sending. */
export class PageRecipe {
  readonly number: number
  readonly source: Json
  isOpen = true
  #plan: Promise<Plan> | undefined

  constructor(number: number, source: Json) {
    this.number = number
    this.source = source
  }

  /** Processes a page on this thread. Compiled when it is first asked for; rejects where the recipe is not valid. */
  async process(page: Page, visit: Visit): Promise<PageResult> {
    const plan = await (this.#plan ??= compile(this.source))
    await preparePage(page)
    return plan.process(page, visit)
  }
}

async function compile(source: Json): Promise<Plan> {
  await prepareRecipe(source)
  return compileRecipe(parseRunRecipe(source))
}
