import * as v from 'valibot'
import { defineTemplate } from '../template.ts'
import { urlsOf } from './parameters.ts'
import { SAMPLES } from './samples.ts'
import { marked, stated } from './structured.ts'

const TYPES = ['Recipe']

/** Pages with instructions for cooking and baking. */
export const cookingRecipe = defineTemplate({
  id: 'cooking-recipe',
  version: 1,
  updatedAt: '2026-11-21',
  name: 'Cooking recipe',
  description:
    'Ingredients, steps, times, yield and nutrition of recipes for food, from JSON-LD or microdata.',
  categories: ['content', 'food'],
  parameters: v.strictObject({ urls: urlsOf('Addresses of pages with a recipe.') }),
  example: {
    urls: ['https://larder.example.com/plum-cake', 'https://larder.example.com/pea-soup'],
  },
  columns: [
    { name: 'url', type: 'url', description: 'Address of the page.' },
    { name: 'name', type: 'text', description: 'Name of the dish.' },
    { name: 'author', type: 'text', description: 'Whose recipe it is.' },
    { name: 'ingredients', type: 'list', description: 'Ingredients with amounts, as written.' },
    { name: 'steps', type: 'list', description: 'Instructions, step by step.' },
    { name: 'prepTime', type: 'text', description: 'Time of preparation (ISO 8601 duration).' },
    { name: 'cookTime', type: 'text', description: 'Time of cooking (ISO 8601 duration).' },
    { name: 'totalTime', type: 'text', description: 'Whole time (ISO 8601 duration).' },
    { name: 'yield', type: 'text', description: 'How much it gives.' },
    { name: 'calories', type: 'text', description: 'Energy of a serving, as written.' },
    { name: 'rating', type: 'number', description: 'Mean rating.' },
    { name: 'image', type: 'url', description: 'Picture.' },
  ],
  sample: SAMPLES['cooking-recipe'] ?? [],
  typicalPages: 20,
  recipe: ({ urls }) => ({
    start: { urls },
    extract: {
      fields: {
        url: { url: true },
        name: [
          ...stated(TYPES, 'name'),
          '[itemtype$="/Recipe"] [itemprop~="name"]',
          { meta: 'og:title' },
          'h1',
        ],
        author: [
          ...stated(TYPES, 'author.name'),
          ...stated(TYPES, 'author[*].name'),
          ...stated(TYPES, 'author', { as: 'text' }),
          '[itemprop~="author"] [itemprop~="name"]',
          marked('author'),
          { meta: 'author' },
        ],
        ingredients: [
          ...stated(TYPES, 'recipeIngredient[*]', { many: true }),
          { css: '[itemprop~="recipeIngredient"], [itemprop~="ingredients"]', many: true },
          { css: '.ingredients li, [class*="ingredient" i] li', many: true },
        ],
        steps: [
          ...stated(TYPES, 'recipeInstructions[*].text', { many: true }),
          ...stated(TYPES, 'recipeInstructions[*].itemListElement[*].text', { many: true }),
          ...stated(TYPES, 'recipeInstructions[*]', { many: true }),
          ...stated(TYPES, 'recipeInstructions', { many: true }),
          {
            css: '[itemprop~="recipeInstructions"] li, li[itemprop~="recipeInstructions"]',
            many: true,
          },
          { css: '[itemprop~="recipeInstructions"]', many: true },
          { css: '.instructions li, .directions li, .method li', many: true },
        ],
        prepTime: [
          ...stated(TYPES, 'prepTime'),
          { css: '[itemprop~="prepTime"][datetime]', attr: 'datetime' },
          { css: '[itemprop~="prepTime"][content]', attr: 'content' },
        ],
        cookTime: [
          ...stated(TYPES, 'cookTime'),
          { css: '[itemprop~="cookTime"][datetime]', attr: 'datetime' },
          { css: '[itemprop~="cookTime"][content]', attr: 'content' },
        ],
        totalTime: [
          ...stated(TYPES, 'totalTime'),
          { css: '[itemprop~="totalTime"][datetime]', attr: 'datetime' },
          { css: '[itemprop~="totalTime"][content]', attr: 'content' },
        ],
        yield: [
          ...stated(TYPES, 'recipeYield[0]', { as: 'text' }),
          ...stated(TYPES, 'recipeYield', { as: 'text' }),
          marked('recipeYield'),
        ],
        calories: [...stated(TYPES, 'nutrition.calories', { as: 'text' }), marked('calories')],
        rating: [
          ...stated(TYPES, 'aggregateRating.ratingValue', { as: 'number' }),
          marked('ratingValue', { as: 'number' }),
        ],
        image: [
          ...stated(TYPES, 'image.url', { as: 'url' }),
          ...stated(TYPES, 'image[0].url', { as: 'url' }),
          ...stated(TYPES, 'image[0]', { as: 'url' }),
          ...stated(TYPES, 'image', { as: 'url' }),
          { css: '[itemtype$="/Recipe"] [itemprop~="image"]', as: 'url' },
          { meta: 'og:image', as: 'url' },
        ],
      },
    },
  }),
})
