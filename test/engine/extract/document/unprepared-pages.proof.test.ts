import { expect, it } from 'vitest'
import { preparePage } from '../../../../src/engine/extract/document/prepare-page.ts'
import { compileRecipe } from '../../../../src/engine/plan/compile.ts'
import { parseRecipe } from '../../../../src/engine/recipe/parse-recipe.ts'

// The reader of CSV is loaded once for a process, so this test needs a process that has read none.
it('a page of CSV has no records before it is prepared, and reading it throws no error', async () => {
  const url = 'https://a.example/data/pens.csv'
  const body = new TextEncoder().encode('Name,Price\r\nBall,"1,50"\r\n"Pen, blue",2.50\r\n')
  const page = { url, contentType: 'text/csv', body }
  const extract = { items: '$[*]', fields: { name: '$.Name' } }
  const plan = compileRecipe(parseRecipe({ start: { urls: [url] }, extract }))
  const rows = () => plan.process(page, { label: 'start', depth: 0, hop: 1 }).rows
  expect(rows()).toEqual([])
  expect(preparePage({ ...page, contentType: 'text/html' })).toBeNull()
  await preparePage(page)
  expect(preparePage(page)).toBeNull()
  expect(rows()).toHaveLength(2)
})
