import type { Fields } from '../../recipe/field-schema.ts'
import { loadedReaders } from '../document/prepare-page.ts'
import type { PageContent } from '../page/page-content.ts'

/**
 * How the records of CSV and of JSON Lines are taken; `null` for every other page, and where there
 * are none.
 */
export function tableFields(
  page: PageContent,
): { readonly items: string; readonly fields: Fields } | null {
  if (!page.isTable) return null
  const fields = loadedReaders()?.recordFields(page.data) ?? {}
  return Object.keys(fields).length === 0 ? null : { items: '$[*]', fields }
}
