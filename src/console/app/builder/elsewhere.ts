import type { Candidates } from '../../../client.ts'
import { client } from '../session.ts'
import type { KeptPage } from './draft.ts'
import type { RecipeField } from './recipe.ts'

/** Other pages on which candidates are tried. */
const MOST_PAGES = 3

/** What a candidate finds on the other kept pages of its kind. */
export interface FindsElsewhere {
  /** Rows with a value; without items each page is one row. */
  readonly filled: number
  readonly rows: number
}

/** Candidates that were tried on the other kept pages, the best first. */
export interface TriedCandidates extends Candidates {
  /** By selector. Empty: there are no other pages. */
  readonly elsewhere: ReadonlyMap<string, FindsElsewhere>
}

/**
 * Tries candidates on the other pages at hand with the same label. Those pages are kept, so none is
 * visited. Candidates that find more there come first.
 */
export async function tryElsewhere(
  candidates: Candidates,
  pages: readonly KeptPage[],
  shown: string,
  items: string | undefined,
): Promise<TriedCandidates> {
  const label = pages.find(({ snapshot }) => snapshot === shown)?.label
  const others = pages
    .filter((page) => page.snapshot !== shown && page.label === label)
    .slice(0, MOST_PAGES)
  const { sources } = candidates
  if (others.length === 0 || sources.length === 0) return { ...candidates, elsewhere: new Map() }
  const fields = Object.fromEntries(
    sources.map(({ field }, index) => [`source${index}`, field as RecipeField]),
  )
  const answers = await Promise.all(
    others.map(({ url, snapshot }) =>
      client.value.previews.recipe({
        recipe: {
          start: { urls: [url] },
          extract: { ...(items !== undefined && { items }), fields },
        },
        snapshots: [snapshot],
      }),
    ),
  )
  const elsewhere = new Map(
    sources.map(({ selector }, index) => [
      selector,
      {
        filled: sum(
          answers.map(
            (answer) => answer.fields.find(({ field }) => field === `source${index}`)?.filled ?? 0,
          ),
        ),
        // Without items, a page on which nothing was found has no row, and counts as one.
        rows: sum(answers.map(({ totals }) => (items === undefined ? 1 : totals.rows))),
      },
    ]),
  )
  const finds = ({ selector }: Candidates['sources'][number]) =>
    elsewhere.get(selector)?.filled ?? 0
  return {
    ...candidates,
    sources: sources.toSorted((left, right) => finds(right) - finds(left)),
    elsewhere,
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0)
}
