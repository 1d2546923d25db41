import type { PageWork } from '../../kernel/price.ts'
import type { Plan } from './plan.ts'

/** What may be done with any page of a recipe: the dearest that it can come to. */
export function mostWork({ request, model }: Pick<Plan, 'request' | 'model'>): PageWork {
  return { rendered: request.render !== null, modelled: model !== null }
}
