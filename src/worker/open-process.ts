import type { Plan } from '../engine/recipe/plan.ts'
import type { Json } from '../kernel/json.ts'
import type { PageProcessor } from '../ports/page-processor.ts'
import type { Process } from './visit.ts'

/** What makes rows and links of a recipe's pages: the processor where there is one, else its plan, here. */
export function openProcess(processor: PageProcessor | undefined, recipe: Json, plan: Plan): { readonly process: Process; close(): void } {
  const elsewhere = processor?.open(recipe)
  if (!elsewhere) return { process: (page, at) => plan.process(page, at), close: () => {} }
  return { process: (page, at, signal) => elsewhere.process(page, at, signal), close: () => elsewhere.close() }
}
