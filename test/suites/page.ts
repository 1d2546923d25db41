import { compileRecipe } from '../../src/engine/plan/compile.ts'
import { prepareRecipe } from '../../src/engine/plan/prepare-recipe.ts'
import { parseRecipe } from '../../src/engine/recipe/parse-recipe.ts'
import { PageContent } from '../../src/engine/extract/page/page-content.ts'
import type { Json, Row } from '../../src/kernel/json.ts'
import type { Page } from '../../src/ports/page-processor.ts'
import type { Case } from './suite.ts'

/** A page of text with a stated charset. */
export function textPage(text: string, contentType: string, url = 'https://example.com/'): Page {
  return {
    url,
    contentType: `${contentType}; charset=utf-8`,
    body: new TextEncoder().encode(text),
  }
}

/** The HTML page of a case: its field `html`, whose text has a charset and whose file has none. */
export function htmlPage(one: Case): Page {
  const url = one.text('url', 'https://example.com/')
  return one.value('html') === undefined
    ? { url, contentType: 'text/html', body: one.bytes('html') }
    : textPage(one.text('html'), 'text/html', url)
}

/** The same page in the form of the engine. */
export function htmlContent(one: Case): PageContent {
  return new PageContent(htmlPage(one))
}

/** The rows of a recipe on a page, as a caller gets them. */
export async function rowsOf(recipe: Row, page: Page): Promise<readonly Row[]> {
  const parsed = parseRecipe({ start: { urls: [page.url] }, ...recipe })
  await prepareRecipe(parsed)
  const result = compileRecipe(parsed).process(page, { label: 'start', depth: 0, hop: 1 })
  return result.rows
}

/** The value of one field on a page; `null` if there is none. */
export async function fieldOf(source: Json, page: Page): Promise<Json> {
  const [row] = await rowsOf({ extract: { fields: { value: source } } }, page)
  return row?.['value'] ?? null
}
