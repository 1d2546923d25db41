import type { Candidates, Preview, RecipeInput } from '../../../client.ts'
import type { KeptPage } from './draft.ts'
import type { RecipeField } from './recipe.ts'

/** Maximum number of other pages on which candidates are tried. */
const MOST_PAGES = 3

/** The matches of a candidate on the other kept pages of its kind. */
export interface FindsElsewhere {
  /** Number of rows with a value. Without items, each page is one row. */
  readonly filled: number
  readonly rows: number
}

/** Candidates, with the matches on other kept pages of those that were tried. */
export interface TriedCandidates extends Candidates {
  /** By selector. Empty: there are no other pages, or they were not tried yet. */
  readonly elsewhere: ReadonlyMap<string, FindsElsewhere>
}

/** Requests the result of a recipe on a kept page. */
export type AskKept = (
  recipe: RecipeInput,
  snapshot: string,
) => Promise<{
  readonly fields: readonly Pick<Preview['fields'][number], 'field' | 'filled'>[]
  readonly totals: Pick<Preview['totals'], 'rows'>
}>

/** The page on which candidates were found. */
interface PointedPage {
  /** All kept pages, and which of them is shown. */
  readonly pages: readonly KeptPage[]
  readonly shown: string
  readonly items: string | undefined
}

/** Dry runs of candidates on the other kept pages, so no page is visited. */
export class CandidateDryRuns {
  readonly #ask: AskKept
  #scope = ''
  #finds = new Map<string, FindsElsewhere>()

  constructor(ask: AskKept) {
    this.#ask = ask
  }

  /**
   * Tries candidates on the other pages with the same label. Each selector is tried once, because
   * requests count against the limits of the server. Candidates that find more there come first.
   */
  async of(candidates: Candidates, { pages, shown, items }: PointedPage): Promise<TriedCandidates> {
    const label = pages.find(({ snapshot }) => snapshot === shown)?.label
    const others = pages
      .filter((page) => page.snapshot !== shown && page.label === label)
      .slice(0, MOST_PAGES)
    const scope = JSON.stringify([others, items])
    if (scope !== this.#scope) this.#finds = new Map()
    this.#scope = scope
    // A later request about other pages has its own map.
    const finds = this.#finds
    const untried = candidates.sources.filter(({ selector }) => !finds.has(selector))
    if (others.length > 0 && untried.length > 0) {
      const fields = Object.fromEntries(
        untried.map(({ field }, index) => [`source${index}`, field as RecipeField]),
      )
      const extract = { ...(items !== undefined && { items }), fields }
      const answers = await Promise.all(
        others.map(({ url, snapshot }) => this.#ask({ start: { urls: [url] }, extract }, snapshot)),
      )
      for (const [index, { selector }] of untried.entries()) {
        const filled = answers.map(
          (answer) => answer.fields.find(({ field }) => field === `source${index}`)?.filled ?? 0,
        )
        // Without items, a page without a match has no row, but counts as one row.
        const rows = answers.map(({ totals }) => (items === undefined ? 1 : totals.rows))
        finds.set(selector, { filled: sum(filled), rows: sum(rows) })
      }
    }
    const filledOf = ({ selector }: Candidates['sources'][number]) =>
      finds.get(selector)?.filled ?? 0
    return {
      ...candidates,
      sources: candidates.sources.toSorted((left, right) => filledOf(right) - filledOf(left)),
      elsewhere: finds,
    }
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0)
}
