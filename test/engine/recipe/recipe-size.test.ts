import { beforeAll, describe, expect, it } from 'vitest'
import {
  checkRecipe,
  parseRecipe,
  parseRunRecipe,
  readRecipe,
} from '../../../src/engine/recipe/parse-recipe.ts'
import { prepareRecipe } from '../../../src/engine/plan/prepare-recipe.ts'
import type { Json } from '../../../src/kernel/json.ts'
import type { Recipe } from '../../../src/engine/recipe/schema.ts'

beforeAll(() => prepareRecipe({ start: {}, extract: { fields: { a: { regex: 'a' } } } }))

const start = { urls: ['https://shop.example.com/'] }
const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))
const fieldsOf = (
  count: number,
  make: (
    i: number,
  ) => NonNullable<NonNullable<Exclude<Recipe['extract'], 'auto'>>['fields']>[string],
) => Object.fromEntries(times(count, (i) => [`c${i}`, make(i)]))
const jsonOf = (recipe: unknown): Json => JSON.parse(JSON.stringify(recipe))
const check = (recipe: unknown) => checkRecipe(jsonOf(recipe))
const issueOf = (recipe: unknown) => check(recipe).issues?.[0]

describe('the size of a recipe', () => {
  it('allows the largest honest recipes', () => {
    const urls = times(
      10_000,
      (i) => `https://shop.example.com/catalogue/products/item-${i}?colour=red&size=large&page=2`,
    )
    const fields = fieldsOf(200, (i) => [
      `div.product-card > .price[data-at="${i}"] span:first-child`,
      { css: `.price-${i}`, regex: '(\\d+(?:[.,]\\d{2})?)\\s*(?:€|EUR)', as: 'number' },
    ])
    expect(
      check({ start: { urls }, extract: { fields: fieldsOf(200, (i) => `.field-${i}`) } }).issues,
    ).toBeNull()
    expect(
      check({
        start,
        follow: times(50, (i) => ({ links: `a.l${i}`, as: `l${i}` })),
        extract: { items: 'article', fields },
      }).issues,
    ).toBeNull()
  })

  it.each([
    [
      'start URLs',
      { start: { urls: times(10_000, (i) => `https://a.example.com/${i}?${'a&'.repeat(20)}`) } },
      /^start\.urls\.\d+$/,
      /divide the start URLs among several tasks$/,
    ],
    [
      'patterns',
      {
        start,
        extract: {
          fields: fieldsOf(200, (i) => times(20, () => ({ css: 'a', regex: `(\\d+)x{1,20}${i}` }))),
        },
      },
      /^extract\.fields\.c\d+\.\d+\.regex$/,
      /use fewer or simpler patterns$/,
    ],
    [
      'selectors',
      {
        start,
        extract: { fields: fieldsOf(200, () => times(20, () => 'a[b="c"] > '.repeat(10) + 'a')) },
      },
      /^extract\.fields\.c\d+\.\d+$/,
      /use fewer or shorter selectors$/,
    ],
    [
      'paths',
      {
        start,
        extract: {
          fields: fieldsOf(200, () => times(20, () => ({ json: `$${'.a'.repeat(200)}` }))),
        },
      },
      /^extract\.fields\.c\d+\.\d+\.json$/,
      /use fewer or shorter XPaths and JSONPaths$/,
    ],
  ])(
    'is refused for too many %s, with the place, the number, the limit and a remedy',
    (part, recipe, path, wayOut) => {
      const issue = issueOf(recipe)
      expect(issue?.path).toMatch(path)
      expect(issue?.message).toMatch(
        new RegExp(
          `makes the recipe too large: its size up to here is 50,\\d{3} \\(${part} \\d\\d,\\d{3}`,
        ),
      )
      expect(issue?.message).toContain('and the limit is 50,000')
      expect(issue?.message).toMatch(wayOut)
    },
  )

  it('is refused with the place at a rule, an action, an item and a nested field', () => {
    const long = times(300, (i) => `https://a.example.com/{1..33}/${i}`)
    const css = ':enabled'.repeat(100)
    const pathOf = (recipe: object) => issueOf({ start: { urls: long }, ...recipe })?.path
    expect(pathOf({ follow: times(20, () => ({ links: css })) })).toMatch(/^follow\.\d+\.links$/)
    expect(
      pathOf({ page: { render: 'browser', actions: times(20, () => ({ click: css })) } }),
    ).toMatch(/^page\.actions\.\d+\.click$/)
    expect(
      pathOf({
        extract: { items: 'a', fields: { a: { css: 'a', fields: { b: times(20, () => css) } } } },
      }),
    ).toMatch(/^extract\.fields\.a\.fields\.b\.\d+$/)
  })

  it('leaves room for columns that are detected on the first page of a run', () => {
    const recipe = {
      start,
      extract: { fields: fieldsOf(200, () => times(5, () => 'a[b="c"] > '.repeat(10) + 'a')) },
    }
    expect(() => parseRecipe(recipe)).toThrow(/makes the recipe too large/)
    expect(parseRunRecipe(recipe).recipe).toEqual(recipe)
    const larger = {
      start,
      extract: { fields: fieldsOf(200, () => times(15, () => 'a[b="c"] > '.repeat(10) + 'a')) },
    }
    expect(() => parseRunRecipe(larger)).toThrow(/makes the recipe too large/)
    expect(readRecipe(jsonOf(larger)).recipe).toEqual(larger)
  })

  it('allows a stored recipe with a name that is refused today', () => {
    const stored: unknown = JSON.parse(
      '{"start":{"urls":["https://a.example/"]},"extract":{"fields":{"a":"p","constructor":"h1"}}}',
    )
    expect(issueOf(stored)).toEqual({
      path: 'extract.fields.constructor',
      message: 'is not allowed as a name',
    })
    expect(readRecipe(jsonOf(stored)).recipe).toMatchObject({ extract: { fields: { a: 'p' } } })
    expect(parseRunRecipe(stored).recipe).toMatchObject({ extract: { fields: { a: 'p' } } })
  })
})

describe('the cost of a pattern', () => {
  it('is reported if counts multiply, without compiling the pattern', () => {
    const recipe = { start, extract: { fields: { a: { css: 'a', regex: 'a{1000}'.repeat(71) } } } }
    expect(issueOf(recipe)).toEqual({
      path: 'extract.fields.a.regex',
      message: expect.stringMatching(
        /^is too large a pattern: .* this makes 71,000 instructions; the limit is 10,000$/,
      ),
    })
  })
})
