import { isStructure, objectOf } from '../../../kernel/json.ts'
import type { Json } from '../../../kernel/json.ts'
import type { PageText } from '../../../ports/page-processor.ts'
import type { Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import type { PageContent } from '../page/page-content.ts'
import { parsePageJson } from '../page/parse-json.ts'
import { countWordParts, formatParts } from './format-page.ts'
import { feedParts } from './feed.ts'

/** The readable parts of a document. */
type ReadText = Pick<PageText, 'title' | 'text' | 'facts' | 'isReadable'>

const FACTS = ['author', 'date', 'site', 'language', 'description'] as const
const NONE: ReadText['facts'] = Object.fromEntries(FACTS.map((name) => [name, null]))
/** Maximum characters of JSON to format, before and after formatting. */
const MOST_JSON = 2_000_000
const MOST_ON_LINES = 4_000_000

/** Returns the text of an HTML page, a document that was read, a feed, JSON, XML, CSV or plain text. */
export function* pageTextParts(content: PageContent): Parts<ReadText> {
  const { document } = content
  if (document !== null) {
    const { title, text, author, date, language, pages, pagesRead, cutAt } = document
    const isCut = pagesRead < pages || cutAt !== undefined
    content.budget.work(text.length)
    content.budget.make(text.length)
    return yield* withCount(content.budget, {
      title,
      text,
      isReadable: true,
      facts: { author, date, language, pages, ...(isCut && { pagesRead, truncated: true }) },
    })
  }
  if (content.kind === 'other') return { title: null, text: null, facts: NONE, isReadable: false }
  const text = yield* mainText(content)
  yield
  if (text === null) return { title: null, text, facts: NONE, isReadable: true }
  const metadata = objectOf(yield* formatParts(content, 'metadata'))
  const { title } = metadata
  return yield* withCount(content.budget, {
    title:
      typeof title === 'string' && title !== ''
        ? title
        : ((yield* feedParts(content))?.title ?? null),
    text,
    isReadable: true,
    facts: Object.fromEntries(FACTS.map((name) => [name, metadata[name] ?? null])),
  })
}

/** Returns the main content of a page, a feed or another document as text, or `null` without text. */
function* mainText(content: PageContent): Parts<string | null> {
  const text =
    content.kind === 'json'
      ? jsonText(content)
      : ((yield* feedParts(content))?.text ??
        (yield* formatParts(content, 'markdown')) ??
        (yield* formatParts(content, 'text')))
  return typeof text === 'string' && text.trim() !== '' ? text : null
}

function* withCount(budget: PageBudget, { facts, text, ...read }: ReadText): Parts<ReadText> {
  const isBlank = text === null || text.trim() === ''
  return {
    ...read,
    text: isBlank ? null : text,
    facts: { ...NONE, ...facts, wordCount: yield* countWordParts(text ?? '', budget) },
  }
}

/**
 * Formats JSON on several lines unless that makes it much longer: each level indents everything in
 * it.
 */
function jsonText({ text, budget }: PageContent): string {
  const parsed = text.length > MOST_JSON ? undefined : parsePageJson(text, budget)
  const isSetOut = parsed !== undefined && lengthOnLines(parsed, MOST_ON_LINES) <= MOST_ON_LINES
  const whole = isSetOut ? `\`\`\`json\n${JSON.stringify(parsed, null, 2)}\n\`\`\`` : text
  budget.work(whole.length)
  budget.make(whole.length)
  return whole
}

/**
 * Estimates the length of a value formatted on several lines at this level. Counting stops beyond
 * `most`.
 */
function lengthOnLines(value: Json, most: number, level = 0): number {
  if (typeof value === 'string') return value.length
  if (!isStructure(value)) return 1
  const indent = 2 * (level + 1)
  let length = 0
  for (const [name, member] of Object.entries(value)) {
    length += indent + name.length
    if (length > most) return length
    length += lengthOnLines(member, most - length, level + 1)
  }
  return length
}
