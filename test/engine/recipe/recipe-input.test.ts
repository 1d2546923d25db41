import { defineRecipe, parseRecipe, PlatformError } from 'seine'
import type { ParsedRecipe, PlatformApi, Recipe, RecipeInput } from 'seine'
import type { Client } from 'seine/client'
import type { InferInput } from 'valibot'
import { describe, expect, expectTypeOf, test } from 'vitest'
import type { recipeSchema } from '../../../src/engine/recipe/schema.ts'

const start = { urls: ['https://shop.example/'] }
const recipe = defineRecipe({
  start,
  follow: [
    { links: 'a.product', as: 'detail' },
    { next: 'a.next', maxPages: 5 },
  ],
  extract: {
    on: 'detail',
    fields: { title: ['h1', { meta: 'og:title' }], price: { css: '.price', as: 'number' } },
  },
})

describe('the type of a recipe', () => {
  test('allows exactly what the schema accepts', () => {
    expectTypeOf<InferInput<typeof recipeSchema>>().toExtend<RecipeInput>()
    expectTypeOf<Recipe>().toExtend<RecipeInput>()
    expectTypeOf<keyof RecipeInput>().toEqualTypeOf<keyof InferInput<typeof recipeSchema>>()
  })

  test('is the type that services and client accept', () => {
    expectTypeOf<Parameters<PlatformApi['tasks']['create']>[1]['recipe']>().toEqualTypeOf<
      RecipeInput | ParsedRecipe
    >()
    expectTypeOf<Parameters<PlatformApi['previews']['run']>[1]['recipe']>().toEqualTypeOf<
      RecipeInput | ParsedRecipe
    >()
    expectTypeOf<Parameters<PlatformApi['executions']['run']>[1]['recipe']>().toEqualTypeOf<
      RecipeInput | ParsedRecipe
    >()
    expectTypeOf<Parameters<PlatformApi['estimates']['recipe']>[1]>().toEqualTypeOf<
      RecipeInput | ParsedRecipe
    >()
    expectTypeOf<Parameters<Client['tasks']['create']>[0]['recipe']>().toEqualTypeOf<RecipeInput>()
    expectTypeOf<
      Parameters<Client['previews']['recipe']>[0]['recipe']
    >().toEqualTypeOf<RecipeInput>()
  })
})

describe('a recipe of unknown type', () => {
  test('is checked once, and then has the type that services accept', () => {
    const parsed = parseRecipe(JSON.parse(JSON.stringify(recipe)))
    expect(parsed.written).toEqual(recipe)
    expect(parseRecipe(parsed)).toBe(parsed)
    expectTypeOf(parseRecipe).parameter(0).toEqualTypeOf<unknown>()
    expectTypeOf(parseRecipe).returns.toEqualTypeOf<ParsedRecipe>()
  })

  test.each([
    [{ start, crwal: {} }, ['crwal']],
    [
      { start, extract: { fields: { a: { csss: 'p' } } }, formats: ['pdf'] },
      ['extract.fields.a.csss', 'formats.0'],
    ],
    ['https://shop.example/', ['']],
    [null, ['']],
  ])("%j is refused with the API's error and every path", (json, paths) => {
    const refusal = refusalOf(json)
    expect(refusal).toMatchObject({ code: 'BAD_REQUEST', status: 400 })
    expect(refusal.issues.map(({ path }) => path)).toEqual(expect.arrayContaining(paths))
  })
})

function refusalOf(json: unknown): PlatformError {
  try {
    parseRecipe(json)
  } catch (error) {
    if (error instanceof PlatformError) return error
    throw error
  }
  throw new Error('The recipe was accepted')
}
