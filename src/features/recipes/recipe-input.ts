import type { Recipe } from '../../engine/recipe/schema.ts'
import type { Json } from '../../kernel/json.ts'

/**
 * A recipe as a caller may send it: typed for who writes one by hand, any JSON object for who has
 * it from elsewhere. The service checks both alike.
 */
export type RecipeInput = Recipe | { readonly [key: string]: Json }
