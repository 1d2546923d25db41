import type { Field } from '../../recipe/field-schema.ts'
import { mainContent } from '../format/main-content.ts'
import type { PageContent } from '../page/page-content.ts'
import { textOf } from '../tree/text-content.ts'
import { itemFields } from './item-fields.ts'
import { repeatedItems } from './repeated-items.ts'
import { selectorForAll } from './stable-selector.ts'

/** A list of records: its items, and fields of each. */
export interface BestList {
  readonly items: string
  readonly fields: Record<string, Field>
  readonly count: number
  /** Part of the main content's text that is in the items. */
  readonly share: number
}

/** The list that the page is likeliest about; `null` if nothing on it repeats. */
export function bestList(page: PageContent): BestList | null {
  for (const { items } of repeatedItems(page).slice(0, 5)) {
    const css = selectorForAll(page, items, 0.34)
    if (css === null) continue
    const fields = itemFields(page, items)
    if (Object.keys(fields).length < 2) continue
    const main = mainContent(page)
    const length = items.reduce((sum, item) => sum + textOf(item, page.budget).length, 0)
    return {
      items: css,
      fields,
      count: items.length,
      share: main === null ? 0 : length / Math.max(1, textOf(main, page.budget).length),
    }
  }
  return null
}
