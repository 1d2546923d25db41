import { expect, it } from 'vitest'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import { prepareRecipe } from '../../../src/engine/plan/prepare-recipe.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import { contacts } from '../../../src/features/templates/catalog/contacts.ts'

it('finds mail addresses of domains in any script', async () => {
  const url = 'https://a.example/'
  const recipe = parseRecipe(contacts.recipe({ urls: [url], follow: false, maxPages: 1 }))
  await prepareRecipe(recipe)
  const body = new TextEncoder().encode(
    '<a href="mailto:info@müller.example?subject=x">Write</a><p>Oder an büro@例え.テスト.</p>',
  )
  const page = { url, contentType: 'text/html; charset=utf-8', body }
  const { rows } = compileRecipe(recipe).process(page, { label: 'start', depth: 0, hop: 1 })
  expect(rows[0]).toMatchObject({ emails: ['info@müller.example'] })
})
