import { readOffice } from '../../adapters/node/page-office.ts'
import { preparePage, readablePage } from '../../src/engine/extract/document/prepare-page.ts'
import { compileRecipe } from '../../src/engine/plan/compile.ts'
import { parseRecipe } from '../../src/engine/recipe/parse-recipe.ts'
import type { Page } from '../../src/ports/page-processor.ts'

/** The visit of a page that a recipe starts with. */
export const START = { label: 'start', depth: 0, hop: 1 }
export const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

/** An Office file as a page that is ready for a recipe. */
export async function pageOf(
  body: Uint8Array,
  contentType = 'application/octet-stream',
): Promise<Page> {
  const page = await readablePage(
    { url: 'https://a.example/file', contentType, body },
    (bytes, format) => {
      if (format === 'pdf') throw new Error('it is no PDF')
      return readOffice(format, bytes)
    },
    new AbortController().signal,
  )
  await preparePage(page)
  return page
}

/** The rows that a recipe with these parts takes from a page. */
export const rowsOf = (page: Page, parts: object) =>
  compileRecipe(parseRecipe({ start: { urls: [page.url] }, ...parts })).process(page, START).rows
