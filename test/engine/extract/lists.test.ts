import { describe, expect, it } from 'vitest'
import { detectRecipe } from '../../../src/engine/plan/auto-extract.ts'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import type { Row } from '../../../src/kernel/json.ts'
import { listPage } from '../../support/fakes/list-pages.ts'

const URL = 'https://list.example.com/all'
const { recipe } = parseRecipe({ start: { urls: [URL] }, extract: 'auto' })

function rowsOf(html: string): readonly Row[] {
  const page = {
    url: URL,
    contentType: 'text/html; charset=utf-8',
    body: new TextEncoder().encode(html),
  }
  return compileRecipe(detectRecipe(recipe, page)).process(page, {
    label: 'start',
    depth: 0,
    hop: 1,
  }).rows
}

describe('detected lists of many designs', () => {
  const pages = Array.from({ length: 60 }, (_, seed) => {
    const page = listPage(seed + 1)
    return { ...page, seed: seed + 1, found: rowsOf(page.html) }
  })

  it('have a row for each item, and no other', () => {
    const wrong = pages
      .filter(({ rows, found }) => !sameItems(rows, found))
      .map(({ seed, design, found }) => `${seed}, ${design}: ${found.length} rows`)
    expect(wrong).toEqual([])
  })

  it('have columns that are named after their content, with the right values', () => {
    const wrong = pages.flatMap(({ rows, found, seed, design }) =>
      Object.keys(rows[0] ?? {})
        .filter((column) => rows.some((row, index) => found[index]?.[column] !== row[column]))
        .map((column) => `${seed}, ${column}, ${design}: ${JSON.stringify(found[0]?.[column])}`),
    )
    expect(wrong).toEqual([])
  })
})

/** True if there is a row for each item, in the order of the items, and no other row. */
function sameItems(rows: readonly Row[], others: readonly Row[]): boolean {
  return (
    rows.length === others.length &&
    rows.every(
      ({ title, url }, index) =>
        others[index]?.['url'] === url || others[index]?.['title'] === title,
    )
  )
}
