import type { Json } from '../../../kernel/json.ts'
import type { Page } from '../../../ports/page-processor.ts'
import type { ContentKind } from '../page/content-type.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { atOnce, StepParts, type Parts } from '../page/in-turns.ts'
import { csvParts } from './read-csv.ts'
import { readJson } from '../page/parse-json.ts'

/**
 * Returns the document of a page of records: one list, or nothing if the page cannot be read.
 *
 * @throws {PageTooCostly}
 */
export function* readRecords(
  kind: ContentKind,
  text: string,
  { contentType, url }: Page,
  budget: PageBudget,
  inParts = false,
): Parts<readonly Json[]> {
  if (kind === 'lines') {
    const document = yield* jsonLineParts(text, budget, inParts)
    return document === undefined ? [] : [document]
  }
  const isTabs =
    /^text\/(?:tab-separated-values|x-tsv|tsv)/i.test(contentType) ||
    /\.(?:tsv|tab)(?:[?#]|$)/i.test(url)
  // RFC 4180, section 3.
  const header = /;\s*header\s*=\s*"?(present|absent)/i.exec(contentType)?.[1]?.toLowerCase()
  return [
    yield* csvParts(text, budget, {
      ...(isTabs && { delimiter: '\t' }),
      ...(header !== undefined && { header: header === 'present' }),
    }),
  ]
}

/** Maximum number of unreadable lines. With more, the file is not JSON Lines. */
const MAX_BAD = 1_000
/** Steps to read a line, however short. */
const LINE_STEPS = 8

/**
 * Reads JSON Lines (NDJSON): one document per line. Other lines are skipped. A file that is one
 * document of many lines gives that document. Returns `undefined` if nothing can be read.
 *
 * @throws {PageTooCostly}
 */
export function readJsonLines(text: string, budget: PageBudget): Json | undefined {
  return atOnce(jsonLineParts(text, budget, false))
}

/** Like {@link readJsonLines} in parts; `inParts`: as for {@link readJson}. */
function* jsonLineParts(
  text: string,
  budget: PageBudget,
  inParts: boolean,
): Parts<Json | undefined> {
  const documents: Json[] = []
  let bad = 0
  const pass = new StepParts(budget)
  let position = 0
  while (position < text.length && bad < MAX_BAD) {
    const end = text.indexOf('\n', position)
    const line = text.slice(position, end === -1 ? text.length : end).trim()
    position = end === -1 ? text.length : end + 1
    budget.work(LINE_STEPS)
    if (pass.ends()) yield
    if (line === '') continue
    const value = yield* readJson(line, budget, inParts)
    if (value === undefined) bad++
    else documents.push(value)
  }
  const isLines = bad === 0 || documents.length > bad
  const whole = isLines ? undefined : yield* readJson(text, budget, inParts)
  if (whole !== undefined) return whole
  if (position < text.length && documents.length > 0)
    budget.cut('lines that are not JSON', MAX_BAD, 'page')
  return isLines || documents.length > 0 ? documents : undefined
}
