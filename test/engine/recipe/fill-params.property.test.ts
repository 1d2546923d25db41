import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import { fillForCheck, fillRecipe } from '../../../src/engine/recipe/fill-params.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import type { RecipeInput } from '../../../src/engine/recipe/recipe-input.ts'
import { PlatformError } from '../../../src/kernel/errors.ts'
import type { Issue } from '../../../src/kernel/errors.ts'
import type { Json } from '../../../src/kernel/json.ts'
import { codePoint } from '../../support/any-text.ts'

const shop: RecipeInput = {
  params: {
    city: { description: 'A city' },
    pages: { type: 'integer', default: 2 },
    lang: { default: 'en' },
    near: { required: false },
  },
  start: { urls: ['https://shop.example.com/{{city}}?page={1..{{pages}}}&near={{near}}'] },
  crawl: { include: ['https://shop.example.com/{{city}}/**'] },
  page: { headers: { 'Accept-Language': '{{lang}}' } },
  extract: {
    fields: {
      title: 'h1',
      city: { const: '{{ city }}' },
      url: [{ css: 'a', transform: [{ prefix: '{{lang}}-' }] }, 'b'],
    },
  },
}

const fill = (recipe: RecipeInput, values?: Json) => fillRecipe(parseRecipe(recipe), values)
const filledSource = (recipe: RecipeInput, values?: Json) => fill(recipe, values).recipe.written
const issuesOf = (use: () => unknown): readonly Issue[] => {
  try {
    use()
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'BAD_REQUEST') return error.issues
    throw error
  }
  return []
}
/** A recipe of one parameter and one start URL. */
const withUrl = (url: string, type: 'text' | 'url' | 'integer' | 'number' = 'text') => ({
  params: { x: { type } },
  start: { urls: [url] },
})

describe('a recipe with parameters', () => {
  test('is filled with values and defaults, each encoded for its place', () => {
    const { recipe, params } = fill(shop, { city: 'São Paulo & Rio*' })
    expect(recipe.written).toEqual({
      start: {
        urls: ['https://shop.example.com/S%C3%A3o%20Paulo%20%26%20Rio*?page={1..2}&near='],
      },
      crawl: { include: ['https://shop.example.com/S%C3%A3o%20Paulo%20%26%20Rio%2A/**'] },
      page: { headers: { 'Accept-Language': 'en' } },
      extract: {
        fields: {
          title: 'h1',
          city: { const: 'São Paulo & Rio*' },
          url: [{ css: 'a', transform: [{ prefix: 'en-' }] }, 'b'],
        },
      },
    })
    expect(params).toEqual({ city: 'São Paulo & Rio*', pages: 2, lang: 'en' })
    expect(compileRecipe(recipe).startUrls).toHaveLength(2)
  })

  test('refuses unknown, missing and wrong values, with the nearest name', () => {
    expect(issuesOf(() => fill(shop, { citty: 'Ghent', pages: 1.5, lang: null }))).toEqual([
      { path: 'params.city', message: 'is required' },
      { path: 'params.pages', message: 'must be a whole number' },
      { path: 'params.lang', message: 'must be a text' },
      { path: 'params.citty', message: 'unknown field; did you mean city?' },
    ])
    expect(issuesOf(() => fill(shop, { city: 'Ghent', colour: 'red' }))).toEqual([
      { path: 'params.colour', message: 'unknown field; known: city, pages, lang, near' },
    ])
    expect(issuesOf(() => fill(shop, []))).toContainEqual({
      path: 'params',
      message: 'must be an object',
    })
    expect(issuesOf(() => fill({ start: shop.start }, { city: 'x' }))).toEqual([
      { path: 'params.city', message: 'the recipe declares no parameters' },
    ])
  })

  test('is refused for declarations that cannot work, each with its path', () => {
    const recipe: RecipeInput = {
      params: {
        city: { default: 3 },
        page: { type: 'integer', default: 1, required: true },
        site: {},
        unused: {},
      },
      start: { urls: ['https://{{site}}/{{citty}}', 'https://a.example.com/{{page}}'] },
      follow: [{ links: 'a[href*="{{city}}"]' }],
      page: { headersTo: [] },
    }
    expect(issuesOf(() => fillForCheck(parseRecipe(recipe)))).toEqual([
      {
        path: 'recipe.start.urls.0',
        message: expect.stringContaining('{{site}} cannot be in the scheme, host or port'),
      },
      {
        path: 'recipe.start.urls.0',
        message: '{{citty}} is not a parameter of the recipe; did you mean {{city}}?',
      },
      {
        path: 'recipe.follow.0.links',
        message: expect.stringContaining('{{city}} cannot be here'),
      },
      { path: 'recipe.params.city.default', message: 'must be of the type text' },
      {
        path: 'recipe.params.page.required',
        message: 'a parameter with a default is not required',
      },
      { path: 'recipe.params.unused', message: expect.stringContaining('is used nowhere') },
    ])
  })

  test('keeps its braces unchanged if it declares no parameters', () => {
    const plain = { start: { urls: ['https://a.example.com/{{x}}'] }, extract: { items: '{{x}}' } }
    const recipe = parseRecipe(plain)
    expect(fillRecipe(recipe)).toEqual({ recipe, params: null })
    expect(fillForCheck(recipe)).toBe(recipe)
  })

  test('is not compiled before it is filled', () => {
    expect(issuesOf(() => compileRecipe(parseRecipe(shop)))).toContainEqual({
      path: 'params',
      message: 'must be filled first, by fillRecipe(recipe, values)',
    })
    expect(compileRecipe(fillForCheck(parseRecipe(shop))).startUrls[0]).toContain('/city?')
  })

  test('cannot be made huge by values', () => {
    const recipe = {
      params: { x: {} },
      start: { urls: ['https://a.example.com/'] },
      extract: { fields: { a: { const: Array(20).fill('{{x}}'.repeat(50)) } } },
    }
    expect(issuesOf(() => fill(recipe, { x: 'y'.repeat(1_001) }))).toEqual([
      { path: 'params.x', message: 'fills more than 1,000,000 characters of the recipe' },
    ])
    const long = { ...recipe, extract: { fields: { a: { const: '{{x}}'.repeat(51) } } } }
    expect(issuesOf(() => fill(long, { x: '' }))).toEqual([
      { path: 'recipe.extract.fields.a.const', message: 'has more than 50 parameters in it' },
    ])
    const many = Array.from({ length: 6 }, (_, index) => `p${index}`)
    const wide = {
      params: Object.fromEntries(many.map((name) => [name, {}])),
      start: { urls: ['https://a.example.com/'] },
      extract: { fields: { a: { const: many.map((name) => `{{${name}}}`).join('') } } },
    }
    const values = Object.fromEntries(many.map((name) => [name, 'y'.repeat(2_000)]))
    expect(issuesOf(() => fill(wide, values))).toMatchObject([{ path: 'params' }])
    expect(
      issuesOf(() => fill(withUrl('https://a.example.com/{1..{{x}}}', 'integer'), { x: 99_999 })),
    ).toMatchObject([{ path: 'params.x', message: expect.stringContaining('10,000') }])
  })
})

describe('a URL', () => {
  test('that is wholly a value does not have its braces expanded', () => {
    expect(
      filledSource(withUrl('{{x}}', 'url'), { x: 'https://b.example.com/{1..9}' }).start.urls,
    ).toEqual(['https://b.example.com/%7B1..9%7D'])
    expect(issuesOf(() => fill(withUrl('{{x}}', 'url'), { x: 'b.example.com' }))).toEqual([
      { path: 'params.x', message: 'must be a URL with http:// or https://' },
    ])
    expect(issuesOf(() => fill(withUrl('{{x}}'), { x: 'https://b.example.com/' }))).toEqual([
      { path: 'recipe.start.urls.0', message: '{{x}} is a whole URL: its type must be url' },
    ])
  })

  test.each([
    'https://{{x}}/',
    'https://a.example.com{{x}}',
    'https://a.example.com:{{x}}/',
    '{{x}}/list',
    'https://{a.example.com/,b.example}{{x}}/',
    String.raw`https://a.example.com\{{x}}`,
  ])('does not get another host by a value: %s', (url) => {
    for (const type of ['text', 'url'] as const)
      expect(issuesOf(() => fill(withUrl(url, type), { x: 'https://b.example/' }))).toMatchObject([
        { path: 'recipe.start.urls.0' },
      ])
  })

  test.each(['..', '.', '%2e%2e'])('does not get another folder by a value: %s', (x) => {
    const folder = withUrl('https://a.example.com/list/{{x}}/items')
    const dots = { path: 'params.x', message: expect.stringContaining('another folder') }
    expect(issuesOf(() => fill(folder, { x }))).toEqual(x.startsWith('%') ? [] : [dots])
    expect(issuesOf(() => fill(withUrl('https://a.example.com/?q={{x}}'), { x }))).toEqual([])
  })

  test('is expanded by a value only if the value is an integer', () => {
    const range = (type: 'text' | 'number' | 'integer') =>
      withUrl('https://a.example.com/{1..{{x}}}', type)
    expect(compileRecipe(fill(range('integer'), { x: 3 }).recipe).startUrls).toHaveLength(3)
    for (const type of ['text', 'number'] as const)
      expect(issuesOf(() => fill(range(type), { x: type === 'text' ? '3' : 3 }))).toMatchObject([
        { path: 'recipe.start.urls.0', message: expect.stringContaining('type integer') },
      ])
  })

  test('from a caller is not requested with the keys of the recipe', () => {
    const page = { headers: { Authorization: 'Bearer secret' } }
    const recipe = { ...withUrl('{{x}}', 'url'), page }
    expect(filledSource(recipe, { x: 'https://evil.example.com/' }).page?.headersTo).toEqual([])
    const both = {
      params: { x: { type: 'url', default: 'https://c.example.com/1' } },
      start: { urls: ['{{x}}', 'https://a.example.com/list'] },
      page,
    } as const
    expect(filledSource(both, { x: 'https://evil.example.com/' }).page?.headersTo).toEqual([
      'https://c.example.com',
      'https://a.example.com',
    ])
  })
})

test('whatever the values are, a recipe is filled in the same shape, or refused with a path', () => {
  const nasty = fc.oneof(
    fc.string({ unit: codePoint, maxLength: 40 }),
    fc.constantFrom('..', '.', '../..', '{1..9}', '{a,b}', '{{city}}', '"], *', '*', '/', '\\'),
    fc.constantFrom('\r\nX: y', '#', '?', '@evil.example.com', '\uD800', '%2e%2e', ''),
  )
  const plan = compileRecipe(
    fill({ ...shop, page: {} }, { city: 'x', lang: 'y', near: 'z' }).recipe,
  )
  fc.assert(
    fc.property(fc.record({ city: nasty, near: nasty, lang: nasty }), (values) => {
      let filled: RecipeInput | null = null
      const issues = issuesOf(() => {
        const { recipe } = fill(shop, values)
        filled = recipe.written
        const { startUrls } = compileRecipe(recipe)
        expect(startUrls).toHaveLength(plan.startUrls.length)
        for (const url of startUrls) {
          const { origin, pathname, searchParams, hash } = new URL(url)
          expect([origin, pathname.split('/').length, hash]).toEqual([
            'https://shop.example.com',
            2,
            '',
          ])
          expect([...searchParams.keys()]).toEqual(['page', 'near'])
          expect(decodeURIComponent(pathname.slice(1))).toBe(values.city.toWellFormed())
          expect(searchParams.get('near')).toBe(values.near.toWellFormed())
        }
      })
      for (const { path } of issues) expect(path).toMatch(/^(params|recipe)\./)
      if (filled !== null) expect(shapeOf(filled)).toBe(shapeOf({ ...shop, params: undefined }))
    }),
    { numRuns: 500 },
  )
})

/** A recipe without its texts. */
function shapeOf(recipe: object): string {
  return JSON.stringify(recipe, (_, value: unknown) => (typeof value === 'string' ? '' : value))
}
