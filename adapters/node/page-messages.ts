import type { Json } from '../../src/kernel/json.ts'
import type { Page, PageResult, Visit } from '../../src/ports/page-processor.ts'

/** What a page thread is told; `id` and `recipe` are numbers that the other side chose. Pages are answered one by one, in the order in which they came. */
export type ToThread =
  | { readonly kind: 'open'; readonly recipe: number; readonly source: Json }
  | { readonly kind: 'page'; readonly id: number; readonly recipe: number; readonly page: Page; readonly visit: Visit }
  | { readonly kind: 'close'; readonly recipe: number }

/** What a page thread says: `ready` once, then an answer for each page. */
export type FromThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly id: number; readonly result: PageResult }
  | { readonly kind: 'error'; readonly id: number; readonly message: string }
