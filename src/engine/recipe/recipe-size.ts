import type { Issue } from '../../kernel/errors.ts'

/**
 * The largest size of a recipe. One unit of size is about a microsecond of work for whoever reads
 * and compiles the recipe: a start URL is 2 or 3, a selector about 15, a small pattern about 60. So
 * 10,000 start URLs and 200 columns fit together.
 */
export const MAX_RECIPE_SIZE = 50_000

/** What a recipe's size is made of, each with what helps where it is too much. */
const WAYS_OUT = {
  'start URLs': 'divide the start URLs among several tasks',
  fields: 'use fewer fields, or fewer sources for each',
  selectors: 'use fewer or shorter selectors',
  paths: 'use fewer or shorter XPaths and JSONPaths',
  patterns: 'use fewer or simpler patterns',
  globs: 'use fewer or shorter globs',
} as const

/** A part of a recipe that costs work when it is read. */
export type RecipePart = keyof typeof WAYS_OUT

/** Thrown where a recipe is too large, which ends the reading of it. */
export class RecipeTooLarge extends Error {
  override readonly name = 'RecipeTooLarge'
  readonly issue: Issue

  constructor(issue: Issue) {
    super(issue.message)
    this.issue = issue
  }
}

/** The size of one recipe, added up while it is read. */
export class RecipeSize {
  readonly #most: number
  readonly #taken = new Map<RecipePart, number>()
  #total = 0

  constructor(most = MAX_RECIPE_SIZE) {
    this.#most = most
  }

  get total(): number {
    return this.#total
  }

  /**
   * Adds a part that stands at `path`.
   *
   * @throws {RecipeTooLarge}
   */
  take(part: RecipePart, units: number, path: string): void {
    this.#taken.set(part, (this.#taken.get(part) ?? 0) + units)
    this.#total += units
    if (this.#total > this.#most) throw new RecipeTooLarge({ path, message: this.#message() })
  }

  #message(): string {
    const parts = [...this.#taken].toSorted(([, a], [, b]) => b - a)
    const shares = parts.map(([part, units]) => `${part} ${said(units)}`).join(', ')
    const [largest = 'fields'] = parts[0] ?? []
    return `makes the recipe too large: its size up to here is ${said(this.#total)} (${shares}), and ${said(this.#most)} is the most; ${WAYS_OUT[largest]}`
  }
}

function said(units: number): string {
  return Math.ceil(units).toLocaleString('en')
}
