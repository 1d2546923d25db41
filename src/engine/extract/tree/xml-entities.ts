import { replaceEach } from '../../../kernel/text/long-text.ts'
import type { PageBudget } from '../page/page-budget.ts'

/**
 * Number of characters in which a document type may begin, and number of its characters that are
 * read.
 */
const HEAD = 10_000
const SUBSET = 20_000
/** Maximum number of characters that entities add to a document. Later ones stay as they are. */
const MOST_ADDED = 100_000
const DOCTYPE = '<!DOCTYPE'
const CDATA = '<![CDATA['
const ENTITY =
  /<!ENTITY\s+([\p{L}_][\p{L}\p{N}_.-]{0,99})\s+(?:"([^"<]{0,1000})"|'([^'<]{0,1000})')\s*>/gu
const REFERENCE = /&([\p{L}_][\p{L}\p{N}_.-]{0,99});/gu
/** Names of XML's own entities, which cannot be redefined. */
const OWN = new Set(['amp', 'lt', 'gt', 'quot', 'apos'])

/**
 * Replaces the entities whose text an XML document declares itself, as the XML Recommendation asks
 * of every reader, and leaves out the declarations. Nothing is fetched, texts with markup are not
 * used, and entities in entities stay. So a document grows only a little.
 */
export function expandEntities(text: string, budget: PageBudget): string {
  const start = text.slice(0, HEAD).indexOf(DOCTYPE)
  if (start === -1 || /<[\p{L}_]/u.test(text.slice(0, start))) return text
  const declaration = text.slice(start, start + SUBSET)
  const [open, end] = [declaration.indexOf('['), /\]\s*>/.exec(declaration)]
  if (end === null || open === -1 || declaration.slice(0, open).includes('>')) return text
  const entities = new Map<string, string>()
  for (const [, name = '', double, single] of declaration.slice(0, end.index).matchAll(ENTITY))
    // The first declaration of a name counts.
    if (!OWN.has(name) && !entities.has(name)) entities.set(name, double ?? single ?? '')
  const rest = text.slice(start + end.index + end[0].length)
  if (entities.size === 0) return text
  budget.work(text.length)
  let added = 0
  const expanded = outsideCdata(rest, (part) =>
    replaceEach(part, REFERENCE, (reference) => {
      const value = entities.get(reference.slice(1, -1))
      if (value === undefined || added + value.length > MOST_ADDED) return reference
      added += value.length
      return value
    }),
  )
  budget.make(added)
  return text.slice(0, start) + expanded
}

function outsideCdata(text: string, replace: (part: string) => string): string {
  const parts: string[] = []
  for (let position = 0; position < text.length;) {
    const open = text.indexOf(CDATA, position)
    const stop = open === -1 ? text.length : open
    parts.push(replace(text.slice(position, stop)))
    const close = text.indexOf(']]>', stop)
    position = close === -1 ? text.length : close
    parts.push(text.slice(stop, position))
  }
  return parts.join('')
}
