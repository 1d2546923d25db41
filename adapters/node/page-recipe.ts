import { compileRecipe, parseRecipe } from '../../src/engine.ts'
import type { Plan } from '../../src/engine.ts'
import type { Json } from '../../src/kernel/json.ts'

/** An open recipe of a pool: its number for the threads, and its plan for pages that are not worth sending. */
export class PageRecipe {
  readonly number: number
  readonly source: Json
  isOpen = true
  #plan: Plan | undefined

  constructor(number: number, source: Json) {
    this.number = number
    this.source = source
  }

  /** Compiled when it is first asked for. @throws {PlatformError} where the recipe is not valid */
  get plan(): Plan {
    return (this.#plan ??= compileRecipe(parseRecipe(this.source)))
  }
}
