import type { Json } from '../../../kernel/json.ts'
import type { Page } from '../../../ports/page-processor.ts'
import type { ContentKind } from '../page/content-type.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { readCsv } from './read-csv.ts'
import { readJsonLines } from './read-json-lines.ts'

/**
 * The document of a page of records: one list, or nothing where the page cannot be read.
 *
 * @throws {PageTooCostly}
 */
export function readRecords(
  kind: ContentKind,
  text: string,
  { contentType, url }: Page,
  budget: PageBudget,
): readonly Json[] {
  if (kind === 'lines') {
    const document = readJsonLines(text, budget)
    return document === undefined ? [] : [document]
  }
  const isTabs =
    /^text\/(?:tab-separated-values|x-tsv|tsv)/i.test(contentType) ||
    /\.(?:tsv|tab)(?:[?#]|$)/i.test(url)
  // RFC 4180, section 3.
  const header = /;\s*header\s*=\s*"?(present|absent)/i.exec(contentType)?.[1]?.toLowerCase()
  return [
    readCsv(text, budget, {
      ...(isTabs && { delimiter: '\t' }),
      ...(header !== undefined && { header: header === 'present' }),
    }),
  ]
}
