import { detect } from '../../src/engine/extract/auto.ts'
import { compileRecipe } from '../../src/engine/plan/compile.ts'
import { parseRecipe } from '../../src/engine/recipe/parse-recipe.ts'
import type { Row } from '../../src/kernel/json.ts'

/** The address of the pages of {@link found}. */
export const LIST_URL = 'https://a.example/list/'
/** When the pages are visited. */
const VISITED = Date.UTC(2026, 2, 20, 12)

/** The texts that a function makes of each number from 1 to `length`. */
export const each = (length: number, make: (i: number) => string): string =>
  Array.from({ length }, (_, index) => make(index + 1)).join('\n')

/** The first proposal of detection for a page, and the rows of the proposal. */
export function found(body: string, head = '', lang = '') {
  const page = {
    url: LIST_URL,
    contentType: 'text/html; charset=utf-8',
    body: new TextEncoder().encode(
      `<!doctype html><html${lang}><head><title>All</title>${head}</head><body>${body}</body></html>`,
    ),
    visitedAt: VISITED,
  }
  const { kind, extract } = detect(page)
  const recipe = parseRecipe({ start: { urls: [LIST_URL] }, extract })
  const { rows } = compileRecipe(recipe).process(page, { label: 'start', depth: 0, hop: 1 })
  const [first, second]: readonly Row[] = rows
  return { kind, extract, rows, first, second }
}
