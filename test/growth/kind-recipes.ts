import { compileRecipe } from '../../src/engine/plan/compile.ts'
import { compileExplain } from '../../src/engine/plan/explain.ts'
import { prepareRecipe } from '../../src/engine/plan/prepare-recipe.ts'
import { parseRecipe } from '../../src/engine/recipe/parse-recipe.ts'
import type { RecipeInput } from '../../src/engine/recipe/recipe-input.ts'

const start = { urls: ['https://a.example/'] }
const recipeOf = (parts: Omit<RecipeInput, 'start'>) => parseRecipe({ start, ...parts })

/** Attributes, cells, marks and names of elements, and facts of the page itself. */
const elements = recipeOf({
  extract: {
    fields: {
      named: {
        css: 'p',
        attr: 'data-json',
        json: '$.a[*]',
        fields: { name: '$.name' },
        many: true,
      },
      plain: { css: 'p', attr: 'data-json', json: '$..name', many: true },
      texts: { css: 'p', attr: 'data-json', json: '$.a', transform: ['upper'], many: true },
      joined: { css: 'p', transform: ['trim', { split: ' ' }, { join: '-' }] },
      entries: { microdata: 'h-entry', many: true },
      spaces: { xpath: 'namespace-uri(//*[last()])' },
      before: { xpath: '(//a)[last()]/preceding::p[1]' },
      address: { page: 'url' },
      status: { page: 'status' },
      photos: { jsonld: '$..image', as: 'media', many: true },
      pictures: { css: 'picture, video', as: 'media', many: true },
    },
  },
})
await prepareRecipe(elements)
export const elementsPlan = compileRecipe(elements)

/** Rows whose values are read within them. */
export const rowsPlan = compileRecipe(
  recipeOf({
    follow: [{ links: '//a' }],
    extract: {
      items: '//tr | //p | //li',
      fields: {
        day: { cell: 1, as: 'date' },
        link: { cell: 2, as: 'url' },
        marked: { microdata: 'name' },
      },
    },
  }),
)
export const itemsPlan = compileRecipe(
  recipeOf({
    extract: {
      items: 'tr, article',
      fields: { day: { cell: 1, as: 'date' }, own: { microdata: 'name' } },
    },
  }),
)
/** Follows every link of a page. */
export const crawlPlan = compileRecipe(
  recipeOf({
    crawl: { maxDepth: 2 },
    extract: { fields: { empty: { css: 'p:empty, [class^=a], a[href$="1"]', many: true } } },
  }),
)
export const explainElements = compileExplain(elements.recipe)

/** Links and rows of documents of JSON. */
export const jsonPlan = compileRecipe(
  recipeOf({
    follow: [
      { links: '$..name', as: 'one' },
      { next: '$.nextCursor', param: 'cursor' },
    ],
    crawl: { scope: 'path', maxDepth: 2 },
    extract: { items: '$.items[*]', fields: { name: '$.name', media: { json: '$', as: 'media' } } },
  }),
)

export const lostOnPage = recipeOf({
  extract: { fields: { name: '.lost-name', price: { css: '.lost-price', as: 'number' } } },
})

/** Recipes that leave parts to detection, in each way. */
const leaving = (items: string) =>
  recipeOf({
    follow: [{ next: ':auto' }],
    extract: { items, fields: { title: 'h2', name: 'b' } },
  })
const WAYS = [':auto', ':auto(list)', ':auto(table)', ':auto(table as written)'].map(leaving)
export const DETECTED = WAYS.map(({ recipe }) => recipe)
export const detectingPlan = compileRecipe(leaving(':auto'))
export const autoPlan = compileRecipe(
  parseRecipe({ start: { urls: ['https://a.example/'] }, extract: 'auto' }),
)
export const plainRecipe = recipeOf({ extract: 'auto' }).recipe

export const numbersPlan = compileRecipe(
  recipeOf({
    extract: {
      items: 'li, article',
      fields: { price: { css: '.price', as: 'number' }, other: { css: 'i', as: 'integer' } },
    },
  }),
)
/** Entries of a feed, whose contents are HTML. */
export const entriesPlan = compileRecipe(
  recipeOf({
    extract: {
      items: 'entry, item',
      fields: {
        text: 'content',
        markdown: { css: 'content', as: 'markdown' },
        html: { css: 'content', as: 'html' },
      },
    },
  }),
)
export const documentPlan = compileRecipe(
  recipeOf({
    extract: {
      fields: { pages: { json: '$.pages[*].text', many: true }, date: { json: '$.date' } },
    },
  }),
)

/** A model that finds the rows itself. */
export const findingPlan = compileRecipe(
  recipeOf({
    extract: {
      items: ':model(every open position)',
      fields: { name: { model: 'the name' }, title: 'title' },
    },
  }),
)

// The list of public suffixes is loaded with the first recipe that needs it.
await prepareRecipe(recipeOf({ crawl: { scope: 'domain' }, extract: { fields: { title: 'h1' } } }))
