import { expect, test } from 'vitest'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import { prepareRecipe } from '../../../src/engine/plan/prepare-recipe.ts'
import { parseRecipe, readFacts } from '../../../src/engine/recipe/parse-recipe.ts'
import { ESTIMATE_EXAMPLES } from '../../../src/features/estimates/examples.ts'
import { PREVIEW_EXAMPLES } from '../../../src/features/previews/examples.ts'
import { TASK_EXAMPLES } from '../../../src/features/tasks/examples.ts'
import { CATALOG } from '../../../src/features/templates/catalog/catalog.ts'
import { fillBlanks } from '../../../src/engine/recipe/fill-blanks.ts'
import { failingCases } from '../../support/failing-cases.ts'

const start = { urls: ['https://a.example/'] }
const fields = { name: 'h1', photo: { css: 'img', as: 'media' } }

/** Recipes by name: those of templates and of the documentation, and one of each kind of rows. */
const RECIPES: readonly (readonly [string, unknown])[] = [
  ...CATALOG.map(
    (template) =>
      [template.id, fillBlanks(template, JSON.parse(JSON.stringify(template.example)))] as const,
  ),
  ['the documentation of tasks', TASK_EXAMPLES.create.body.recipe],
  ['the documentation of previews', PREVIEW_EXAMPLES.recipe.body.recipe],
  ['the documentation of estimates', ESTIMATE_EXAMPLES.recipe.body.recipe],
  ['a page', { start }],
  ['formats', { start, page: { render: 'browser' }, formats: ['html', 'text', 'screenshot'] }],
  ['fields', { start, extract: { fields } }],
  ['fields and formats', { start, extract: { fields }, formats: ['text', 'links'] }],
  ['items', { start, extract: { items: 'li', fields }, output: { unique: ['name'] } }],
  ['whatever a page has', { start, extract: 'auto' }],
  ['items that are detected', { start, extract: { items: ':auto' } }],
  ['fields of items that are detected', { start, extract: { items: ':auto', fields } }],
]

test('columns and media of a recipe, as a merge reads them without a plan, equal those of its plan', async () => {
  const failing = await failingCases(
    RECIPES,
    ([name]) => name,
    async ([, source]) => {
      const recipe = parseRecipe(source)
      await prepareRecipe(recipe)
      const { columns, media } = compileRecipe(recipe)
      expect(readFacts(source)).toMatchObject({ columns, media })
    },
  )
  expect(failing).toEqual([])
})
