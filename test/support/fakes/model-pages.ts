import type { ExtractRules, Fields, RecipeInput } from 'seine'
import type { Json } from '../../../src/kernel/json.ts'
import type { Model, ModelRequest } from '../../../src/ports/model.ts'

/** The start of the recipes, and pages that a model is asked about. */
export const SHOP = 'https://shop.example.com/'
export const PEN =
  `<title>Pen</title><base href="${SHOP}pens/"><h1>Fountain pen</h1><p>` +
  `${'A pen to write with. '.repeat(12)}</p><p>It costs 12,50 € and is green. ` +
  '<a href="7">More</a></p>'
export const LIST =
  '<h1>Pens</h1>' +
  ['Red', 'Green', 'Blue']
    .map(
      (name, index) =>
        `<div class="pen"><b>${name}</b> for ${index + 1} euros <button>Buy for ${index + 1},90</button></div>`,
    )
    .join('')

/** A model that records its questions, and gives these answers. */
export function modelOf(
  answer: (request: ModelRequest, nth: number) => Json | Promise<Json>,
): Model & { readonly asked: ModelRequest[]; closed: number } {
  const requests: ModelRequest[] = []
  return {
    asked: requests,
    closed: 0,
    async ask(request) {
      requests.push(request)
      return { json: await answer(request, requests.length), inputTokens: 100, outputTokens: 10 }
    },
    async close() {
      this.closed++
    },
  }
}

export const page = (
  fields: Fields,
  more: Partial<ExtractRules> = {},
  urls: readonly string[] = [SHOP],
): RecipeInput => ({ start: { urls }, extract: { fields, ...more } })
export const PRICE: Fields = { price: { model: 'The price in euros', as: 'number' } }
