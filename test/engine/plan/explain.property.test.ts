import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { atOnce } from '../../../src/engine/extract/page/in-turns.ts'
import { PageContent } from '../../../src/engine/extract/page/page-content.ts'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import { compileExplain } from '../../../src/engine/plan/explain.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import type { Page } from '../../../src/ports/page-processor.ts'

const FIRST = { label: 'start', depth: 0, hop: 1 }
const start = { urls: ['https://shop.example.com/'] }
const pageOf = (text: string): Page => ({
  url: 'https://shop.example.com/',
  contentType: 'text/html',
  body: new TextEncoder().encode(text),
})

it('an explanation agrees with the rows of the recipe on any page', () => {
  const word = fc.constantFrom(
    '<b>',
    '</b>',
    '<i class="x">',
    '</i>',
    '<div class="item">',
    '</div>',
    '12',
    'text',
    ' ',
    '<b class="x">7</b>',
  )
  const field = fc.constantFrom(
    'b',
    '.x',
    { css: 'b', as: 'number' },
    { css: '.x', many: true },
    ['.none', { css: 'i', as: 'number' }, 'b'],
    { css: 'b', attr: 'class' },
  )
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 30 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), field, { minKeys: 1 }),
      fc.constantFrom(undefined, '.item'),
      (words, fields, items) => {
        const page = pageOf(words.join(''))
        const recipe = parseRecipe({ start, extract: { ...(items && { items }), fields } })
        const { filled } = compileRecipe(recipe).process(page, FIRST)
        const used: Record<string, number> = {}
        const explain = compileExplain(recipe.recipe)
        for (const source of atOnce(explain(new PageContent(page, FIRST), FIRST)).sources) {
          used[source.field] = (used[source.field] ?? 0) + source.used
          expect(source.used).toBeLessThanOrEqual(source.values)
          expect(source.reason === null).toBe(source.values > 0)
          if (source.values > 0) expect(source.matches).toBeGreaterThan(0)
        }
        expect(used).toEqual(filled)
      },
    ),
  )
})
