import { askedColumns } from '../../src/engine/model/question.ts'
import { compileRecipe } from '../../src/engine/plan/compile.ts'
import { compileExplain } from '../../src/engine/plan/explain.ts'
import { compileModel } from '../../src/engine/plan/compile-model.ts'
import { prepareRecipe } from '../../src/engine/plan/prepare-recipe.ts'
import { parseRecipe } from '../../src/engine/recipe/parse-recipe.ts'
import type { Fields, RecipeInput } from '../../src/engine/recipe/recipe-input.ts'

const start = { urls: ['https://a.example/'] }
const recipeOf = (parts: Omit<RecipeInput, 'start'>) => parseRecipe({ start, ...parts })

export const ASKED = askedColumns(
  compileModel(
    undefined,
    {
      name: { model: 'the name' },
      price: { model: 'the price', as: 'number' },
      day: { model: 'the day', as: 'date' },
    },
    [],
  )?.columns ?? [],
)

/** Patterns, transforms and conversions of texts of the page. */
const recipe = parseRecipe({
  start: { urls: ['https://a.example/'] },
  extract: {
    fields: {
      pattern: { css: 'body', regex: '(\\w+)\\s*[-,;]?\\s*(\\d+|$)', many: true },
      replaced: {
        css: 'body',
        transform: [
          'collapse',
          { replace: ['a', 'bb'] },
          { replace: { regex: '[ -]+(x|$)', with: '-' } },
          'upper',
        ],
      },
      parts: { css: 'body', transform: ['trim', { split: ',' }] },
      number: { css: 'body', as: 'number' },
      date: { css: 'body', as: 'date' },
      links: { css: 'a', attr: 'href', as: 'url', many: true },
    },
  },
})
await prepareRecipe(recipe)
export const fields = compileRecipe(recipe)

/** Values in the markup, the scripts and the tables of a page. */
const SOURCES = {
  name: { product: 'name' },
  price: { product: 'price' },
  stock: { product: 'availability' },
  state: { state: '$..name', many: true },
  marked: { microdata: 'a', many: true },
} satisfies Fields
export const marked = compileRecipe(
  parseRecipe({ start: { urls: ['https://a.example/'] }, extract: { fields: SOURCES } }),
)
export const cells = compileRecipe(
  parseRecipe({
    start: { urls: ['https://a.example/'] },
    extract: { items: 'tr', fields: { first: { cell: 1 }, named: { cell: 'a' } } },
  }),
)
export const linked = compileRecipe(
  parseRecipe({
    start: { urls: ['https://a.example/'] },
    follow: [
      {
        items: 'li, tr, div',
        links: 'a, h1',
        carry: { name: 'a', all: { css: 'p', many: true } },
        as: 'one',
      },
      { links: '//a', carry: { title: 'title' }, as: 'other' },
      { next: 'a.next' },
    ],
    extract: { fields: { title: 'h1', from: { carried: 'name' } } },
  }),
)
export const explain = compileExplain(recipe.recipe)
export const lost = parseRecipe({
  start: { urls: ['https://a.example/'] },
  extract: {
    items: '.lost',
    fields: { name: '.lost-name', price: { css: '.lost-price', as: 'number' } },
  },
})
export const SOUGHT = {
  columns: ['name', 'price'],
  rows: Array.from({ length: 60 }, (_, index) => ({
    name: index % 2 === 0 ? 'x' : 'a',
    price: index % 4,
  })),
}

export const detecting = recipeOf({ extract: 'auto' })
/** Columns for a model that is asked about all items. */
export const asking = compileRecipe(
  recipeOf({
    extract: {
      items: 'li, tr, article, p',
      fields: { name: { model: 'the name' }, price: '.price' },
    },
  }),
)
export const askingOfPage = compileRecipe(
  recipeOf({ extract: { fields: { name: { model: 'the name' } } } }),
)

/** Files that a page names, and parts of it that are read as another format. */
const media = recipeOf({
  extract: {
    fields: {
      media: { css: 'img, picture, a, svg', as: 'media', many: true },
      json: { css: 'body', as: 'json' },
      markdown: { css: 'body', as: 'markdown' },
      html: { css: 'body', as: 'html' },
      mailbox: { css: 'body', transform: ['name'] },
      german: { css: 'body', as: { number: { decimal: ',' } } },
      ordered: { css: 'body', as: { date: { order: 'dmy' } } },
    },
  },
})
export const reading = compileRecipe(media)

const xpathFields = (...paths: readonly string[]): Fields =>
  Object.fromEntries(paths.map((xpath, index) => [`x${index}`, { xpath, many: true }]))

/** Functions and operators of XPath, over all of a page. */
export const paths = compileRecipe(
  recipeOf({
    extract: {
      fields: xpathFields(
        'string(//body)',
        'normalize-space(//body)',
        'translate(//body, "abc1 ", "xyz")',
        'substring(//body, 3, 100)',
        'substring-before(//body, "zz")',
        'substring-after(//body, "zz")',
        'sum(//td)',
        '//*[@class = "card" or starts-with(@href, "/")]',
        '//p[position() < last() - 1]',
      ),
    },
  }),
)
/** XPaths that ask the same of many nodes, which is listed for all of them. */
export const listed = compileRecipe(
  recipeOf({
    extract: {
      fields: xpathFields(
        '//*[preceding-sibling::p = following-sibling::i]',
        '//*[following-sibling::* < 5]',
        '//*[string(preceding-sibling::p/a) = "x"]',
        '//*[following-sibling::*[@class][1]]',
        '//*/preceding-sibling::p[last()]',
        '//*[(following-sibling::p)[position() < 3] != "y"]',
        '//*[starts-with(normalize-space(), "z")]',
        '//*[contains(normalize-space(.), "x-none")]',
        '//*[. = "x-none"]',
        '//*[preceding-sibling::p = //a]',
        '//*[//b > following-sibling::p]',
        '//*[following-sibling::* = 5]',
        '//*[(following-sibling::*)[position() = 2] = true()]',
        '//*[preceding-sibling::i = true()]',
      ),
    },
  }),
)
/**
 * Work that combines each member of a list with each of another, or with everything around it. The
 * allowance of a page is its only bound.
 */
export const products = compileRecipe(
  recipeOf({
    extract: {
      fields: xpathFields(
        'count(//*[. = //p])',
        'id(//@class)',
        '//*[@class = "card"]/ancestor::*[1]',
        '//p[position() < last() - 1]/following-sibling::p[1]',
        '//*[lang("en")]',
        '//*[name() != "p"][string-length(.) > 5][. >= 1]/..',
        '//td[. < //th]',
        '//*[(//a)[position() < 999999]]',
        '//*[//a | //p]',
      ),
    },
  }),
)
